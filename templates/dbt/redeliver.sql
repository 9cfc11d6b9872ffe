{#- [[ marker ]] -#}

{#- Delivers the unresolved rows of one source again, as they were, with the load `__replay__`; the next
    build judges them. Of each source row bronze has one such delivery at most: the same one is not
    written twice, and an older one is replaced. -#}
{% macro assay_redeliver(entity, reject, bronze, source, columns, dry_run) -%}
{%- if execute -%}
  {%- set types = {} -%}
  {%- for column in adapter.get_columns_in_relation(bronze) -%}
    {%- do types.update({column.name: column.data_type}) -%}
  {%- endfor -%}
  {%- set names = [] -%}
  {%- set values = [] -%}
  {%- set arrival = [] -%}
  {%- for name, value in columns -%}
    {%- do names.append('"' ~ name | replace('"', '""') ~ '"') -%}
    {%- if name == '_load_id' -%}
      {%- do values.append("'__replay__'") -%}
    {%- else -%}
      {%- do values.append('CAST(' ~ value ~ ' AS ' ~ types.get(name, 'TEXT') ~ ')') -%}
    {%- endif -%}
    {%- if name == '_ingested_at' -%}
      {%- do arrival.append(value) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set is_there -%}
EXISTS (
  SELECT 1
  FROM {{ bronze }} AS delivered
  WHERE
    delivered._load_id::TEXT = '__replay__'
    AND delivered._source_row_id::TEXT = held._source_row_id
    AND delivered._ingested_at::TEXT = ({{ arrival[0] }})
)
  {%- endset -%}
  {%- set refused -%}
held.resolved_at IS NULL AND held.source_relation = {{ dbt.string_literal(dbt.escape_single_quotes(source)) }}
  {%- endset -%}
  {%- set counts = run_query('SELECT COUNT(*), COALESCE(SUM(CASE WHEN ' ~ is_there ~ ' THEN 1 ELSE 0 END), 0) FROM ' ~ reject ~ ' AS held WHERE ' ~ refused).rows[0] -%}
  {%- if not dry_run -%}
    {#- In the transaction that asking for the columns has begun. -#}
    {%- do run_query(
      'DELETE FROM ' ~ bronze ~ " WHERE _load_id::TEXT = '__replay__' AND _source_row_id::TEXT IN ("
      ~ 'SELECT held._source_row_id FROM ' ~ reject ~ ' AS held WHERE ' ~ refused ~ ' AND NOT ' ~ is_there ~ ');'
      ~ 'INSERT INTO ' ~ bronze ~ ' (' ~ names | join(', ') ~ ') SELECT ' ~ values | join(', ')
      ~ ' FROM ' ~ reject ~ ' AS held WHERE ' ~ refused ~ ' AND NOT ' ~ is_there
    ) -%}
    {%- do adapter.commit() -%}
  {%- endif -%}
  {%- do log(
    'assay: ' ~ entity ~ ' from ' ~ source ~ ': ' ~ (counts[0] - counts[1]) | int
    ~ (' would be delivered again, ' if dry_run else ' delivered again, ')
    ~ counts[1] | int ~ ' there already, waiting for a build', info=true
  ) -%}
{%- endif -%}
{%- endmacro %}
