{#- [[ marker ]] -#}

{#- The query of a type 2 entity finds out what is new; dbt closes the version before it. An id is
    not given twice, also where a version is replaced in the instant in which it began. -#}
{% macro snapshot_assay_newer_strategy(node, snapshotted_rel, current_rel, model_config, target_exists) -%}
  {%- set key = config.get('unique_key') -%}
  {%- set parts = [] -%}
  {%- for column in key -%}
    {%- do parts.append("LENGTH(" ~ column ~ "::TEXT) || ':' || " ~ column ~ "::TEXT") -%}
  {%- endfor -%}
  {{ return({
      'unique_key': key,
      'updated_at': config.get('updated_at'),
      'row_changed': 'TRUE',
      'scd_id': "MD5('" ~ invocation_id ~ " ' || " ~ parts | join(' || ') ~ ")",
      'invalidate_hard_deletes': false,
      'hard_deletes': 'ignore',
  }) }}
{%- endmacro %}

{#- What a history holds. Before its first run that is nothing, and of a column that was added to the
    entity since, NULL. -#}
{% macro assay_versions(history, columns) -%}
{%- set found = load_relation(history) if execute else none -%}
{%- set known = [] -%}
{%- if found is not none -%}
  {%- for column in adapter.get_columns_in_relation(found) -%}
    {%- do known.append(column.name) -%}
  {%- endfor -%}
{%- endif -%}
SELECT
  {%- for name, type in columns %}
    {% if name in known %}"{{ name }}"{% else %}NULL::{{ type }} AS "{{ name }}"{% endif %}
    {%- if not loop.last %},{% endif %}
  {%- endfor %}
  {%- if found is not none %}
  FROM {{ found }}
  {%- else %}
  WHERE
    FALSE
  {%- endif %}
{%- endmacro %}

{#- A history cannot begin in the table of a type 1 entity. -#}
{% macro assay_can_begin(history, entity) -%}
{%- set found = load_relation(history) if execute else none -%}
{%- if found is not none and adapter.get_columns_in_relation(found) | selectattr('name', 'equalto', 'valid_to') | list | length == 0 -%}
  {{ exceptions.raise_compiler_error('assay: ' ~ history ~ ' holds no versions yet; drop it first, its rows come back: dbt run-operation assay_begin_history --args \'{entity: ' ~ entity ~ '}\'') }}
{%- endif -%}
{%- endmacro %}

{#- Runs inside the snapshot's transaction: what it finds wrong is never committed. -#}
{% macro assay_history(history, entity, judged, key) -%}
{%- if execute -%}
  {%- set facts -%}
[[ gates ]]
  {%- endset -%}
  {%- set no_delivery -%}
[[ no_delivery ]]
  {%- endset -%}
  {%- do assay_stand_by(history, judged) -%}
{{ assay_settle(
    history,
    entity,
    assay_verdicts(['version_without_time', 'versions_overlap'], facts) ~ '\nUNION ALL\n' ~ no_delivery,
    judged
) }}
{%- endif -%}
{%- endmacro %}

{#- Drops the table of an entity that was type 1, so that its history can begin. All of its rows are
    in bronze; a table that holds versions is left alone. -#}
{% macro assay_begin_history(entity) -%}
{%- for node in graph.nodes.values() if node.resource_type == 'snapshot' and node.name == entity and '[[ folder ]]' in node.tags -%}
  {%- set found = adapter.get_relation(node.database, node.schema, node.alias) -%}
  {%- if found is not none and adapter.get_columns_in_relation(found) | selectattr('name', 'equalto', 'valid_to') | list | length == 0 -%}
    {%- do run_query('DROP TABLE ' ~ found) -%}
    {%- do adapter.commit() -%}
    {%- do log('assay: dropped ' ~ found, info=true) -%}
  {%- endif -%}
{%- endfor -%}
{%- endmacro %}
