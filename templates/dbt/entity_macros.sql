{#- [[ marker ]] -#}

{#- The bronze relations by name; a replay puts what was rejected in their place. -#}
{% macro [[ entity ]]__bronze() -%}
  {{ return({
[% for source in sources %]    [[ source ]],
[% endfor %]  }) }}
{%- endmacro %}

{#- The typed values of every delivery. -#}
{% macro [[ entity ]]__coerced(bronze) -%}
[[ coerced ]]
{%- endmacro %}

{#- One row per delivery: where it goes and which rules it violates. -#}
{% macro [[ entity ]]__judged(bronze[% if is_incremental %], ledger=none[% endif %]) -%}
[[ judged ]]
{%- endmacro %}

{#- The admitted rows, typed, in authored order. -#}
{% macro [[ entity ]]__admitted(judged, bronze[% if is_incremental %], since=none[% endif %]) -%}
[[ admitted ]]
{%- endmacro %}
[% if let Some(diverted) = diverted %]
{#- The diverted rows, and the end of those that are diverted no longer; `held` is what is there. -#}
{% macro [[ entity ]]__diverted(judged, bronze, held=none[% if is_incremental %], since=none[% endif %]) -%}
[[ diverted ]]
{%- endmacro %}
[% endif %]
{#- Every rule in the order of its bits: name, disposition, mappings whose rows it judges. -#}
{% macro [[ entity ]]__rules() -%}
  {{ return([
[% for rule in rules %]    [[ rule ]],
[% endfor %]  ]) }}
{%- endmacro %}
