{#- [[ marker ]] -#}

{#- How many of how many rows of a run an entity may divert. -#}
{% macro assay_ceilings() -%}
  {{ return({
[% for ceiling in ceilings %]    '[[ ceiling.entity ]]': {'share': '[[ ceiling.share ]]', 'parts': [[ ceiling.parts ]], 'whole': [[ ceiling.whole ]]},
[% endfor %]  }) }}
{%- endmacro %}

{#- The limits that a run is beyond, one row each. -#}
{% macro assay_beyond_limits(judged, entity, is_ledger=false) -%}
{%- set ceiling = assay_ceilings()[entity] -%}
[[ ceiling ]]
{%- endmacro %}

{#- The same as sentences. -#}
{% macro assay_told_limits(judged, entity, is_ledger=false) -%}
{%- set lines = [] -%}
{%- for row in run_query(assay_beyond_limits(judged, entity, is_ledger)).rows -%}
  {%- do lines.append(row[0] ~ ': ' ~ row[1]) -%}
{%- endfor -%}
{{ return(lines) }}
{%- endmacro %}

{% macro assay_stay_within(relation, judged, entity, is_ledger=false) -%}
{%- set lines = assay_told_limits(judged, entity, is_ledger) -%}
{%- if lines -%}
  {{ exceptions.raise_compiler_error('assay: nothing was published from ' ~ relation ~ ': ' ~ lines | join('; ')) }}
{%- endif -%}
{%- endmacro %}

{#- Before a relation is written that `dbt run --select` builds without judged, which would have asked. -#}
{% macro assay_ask_limits(relation, judged, entity, is_ledger=false) -%}
{%- if execute -%}
  {%- set asked = [] -%}
  {%- for id in selected_resources if id.startswith('model.') and id.endswith('.' ~ entity ~ '__judged') -%}
    {%- do asked.append(id) -%}
  {%- endfor -%}
  {%- if not asked -%}
    {%- do assay_stay_within(relation, judged, entity, is_ledger) -%}
  {%- endif -%}
{%- endif -%}
{%- endmacro %}
