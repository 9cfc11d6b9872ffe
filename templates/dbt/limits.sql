{#- [[ marker ]] -#}

[% if !ceilings.is_empty() %]{#- How many of how many rows of a run an entity may divert. -#}
{% macro assay_ceilings() -%}
  {{ return({
[% for ceiling in ceilings %]    '[[ ceiling.entity ]]': {'share': '[[ ceiling.share ]]', 'parts': [[ ceiling.parts ]], 'whole': [[ ceiling.whole ]]},
[% endfor %]  }) }}
{%- endmacro %}

[% endif %]{#- The limits that a run is beyond, one row each. -#}
{% macro assay_beyond_limits(judged, entity, is_ledger=false) -%}
[% if !ceilings.is_empty() %]{%- set ceiling = assay_ceilings().get(entity) -%}
[% endif %][% if rails.is_empty() %][[ ceiling ]]
[% else if ceilings.is_empty() %]{{ assay_beyond_rails(judged, entity) }}
[% else %]{%- set rails = assay_beyond_rails(judged, entity) -%}
{%- if ceiling -%}
[[ ceiling ]]
{%- endif -%}
{%- if ceiling and rails %}
UNION ALL
{% endif -%}
{{ rails }}
[% endif %]{%- endmacro %}

[% if !rails.is_empty() %]{#- What a run would take away from what is published. -#}
{% macro assay_beyond_rails(judged, entity) -%}
[% for rail in rails %]{%- [% if loop.first %]if[% else %]elif[% endif %] entity == '[[ rail.entity ]]' -%}
{%- set published = assay_stands('[[ rail.entity ]]', [[ rail.columns ]]) -%}
SELECT
  *
FROM (
  [[ rail.body ]]
) AS rails
[% endfor %]{%- endif -%}
{%- endmacro %}

{#- The columns of an entity as readers see them: current versions, without the unknown member. NULL in
    place of a column that was not there yet; no row, where nothing is published. -#}
{% macro assay_stands(entity, columns) -%}
{%- set found = [] -%}
{%- if execute -%}
  {%- for node in graph.nodes.values() if node.resource_type in ['model', 'snapshot'] and node.name == entity and '[[ folder ]]' in node.tags -%}
    {%- do found.append(adapter.get_relation(node.database, node.schema, node.alias)) -%}
  {%- endfor -%}
{%- endif -%}
{%- set relation = found | select | first -%}
{%- set known = [] -%}
{%- if relation -%}
  {%- for column in adapter.get_columns_in_relation(relation) -%}
    {%- do known.append(column.name) -%}
  {%- endfor -%}
{%- endif -%}
{%- set listed = [] -%}
{%- for column in columns -%}
  {%- do listed.append(('' if column in known else 'NULL AS ') ~ adapter.quote(column)) -%}
{%- endfor -%}
{%- set conditions = ['TRUE' if relation else 'FALSE'] -%}
{%- if '_source_row_id' in known -%}
  {%- do conditions.append("_source_row_id IS DISTINCT FROM '__unknown__'") -%}
{%- endif -%}
{%- if 'valid_to' in known and 'valid_to' not in columns -%}
  {%- do conditions.append('valid_to IS NULL') -%}
{%- endif -%}
(SELECT {{ listed | join(', ') }}{% if relation %} FROM {{ relation }}{% endif %} WHERE {{ conditions | join(' AND ') }}) AS stands
{%- endmacro %}

[% endif %]{#- The same as sentences. -#}
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
