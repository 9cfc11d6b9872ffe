{#- [[ marker ]] -#}

{#- A history belongs to dbt, so its refused rows go back through bronze. -#}
{% macro [[ entity ]]__redeliver(dry_run) -%}
[% for redelivery in redeliveries %]  {%- do assay_redeliver(
    '[[ entity ]]',
    ref('[[ entity ]]__reject'),
    [[ entity ]]__bronze().get([[ redelivery.source ]]),
    [[ redelivery.source ]],
    [
[% for column in redelivery.columns %]      [[ column ]],
[% endfor %]    ],
    dry_run
  ) -%}
[% endfor %]{%- endmacro %}
