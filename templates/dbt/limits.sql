{#- [[ marker ]] -#}

[% if !ceilings.is_empty() %]{#- How many of how many rows of a run an entity may divert. -#}
{% macro assay_ceilings() -%}
  {{ return({
[% for ceiling in ceilings %]    '[[ ceiling.entity ]]': {'share': '[[ ceiling.share ]]', 'parts': [[ ceiling.parts ]], 'whole': [[ ceiling.whole ]]},
[% endfor %]  }) }}
{%- endmacro %}

[% endif %]{#- What the limits of an entity say of a run, one row each; nothing where it has none. -#}
{% macro assay_limits(judged, entity, is_ledger=false) -%}
[% if !ceilings.is_empty() %]{%- set ceiling = assay_ceilings().get(entity) -%}
{%- if ceiling -%}
[[ ceiling ]]
{%- endif -%}
[% endif %][% if !rails.is_empty() %]{%- set rails = assay_rails(judged, entity) -%}
[% if !ceilings.is_empty() %]{%- if ceiling and rails %}
UNION ALL
{% endif -%}
[% endif %]{{ rails }}
[% endif %]{%- endmacro %}

[% if !rails.is_empty() %]{#- What a run would take from what is published. -#}
{% macro assay_rails(judged, entity) -%}
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
{%- set relation = assay_find(entity) -%}
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

[% endif %]
