{#- [[ marker ]] -#}

{#- The typed values of every delivery; judged and entity read this one text. -#}
{% macro [[ entity ]]__coerced() -%}
[[ body ]]
{%- endmacro %}
[% if let Some(rules) = rules %]
{#- Every rule in the order of its bits: name, disposition, mappings whose rows it judges. -#}
{% macro [[ entity ]]__rules() -%}
  {{ return([
[% for rule in rules %]    [[ rule ]],
[% endfor %]  ]) }}
{%- endmacro %}
[% endif %]
