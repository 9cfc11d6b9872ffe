{#- [[ marker ]] -#}

{#- Counts what a check of finished relations has found. A second try within one invocation replaces its
    row. -#}
{% macro assay_count_check(relation, mart, entity, kind, check, disposition) -%}
DELETE FROM {{ mart }} WHERE run_id = '{{ invocation_id }}' AND mapping = '({{ kind }})' AND rule = '{{ check }}';
INSERT INTO {{ mart }} (
  run_id, run_at, entity, mapping, rule, disposition,
  rows_failed, rows_undecided, rows_evaluated, rows_quarantined, rows_deduped
)
SELECT
  '{{ invocation_id }}',
  '{{ run_started_at.strftime('%Y-%m-%d %H:%M:%S') }}'::TIMESTAMP,
  '{{ entity }}', '({{ kind }})', '{{ check }}', '{{ disposition }}',
  COALESCE(SUM(CASE WHEN _outcome <> 'undecided' THEN 1 END), 0),
  COALESCE(SUM(CASE WHEN _outcome = 'undecided' THEN 1 END), 0),
  0, 0, 0
FROM {{ relation }}
{%- endmacro %}

{#- A check is a gate of its relation; one that only flags warns. -#}
{% macro assay_record_check(relation, entity, check, broken, rule_set) -%}
{%- set verdict -%}
[[ verdict ]]
{%- endset -%}
{{ assay_record(relation, entity, verdict, "'" ~ rule_set ~ "'") }}
{%- endmacro %}

{#- What nobody can decide is listed and does not fail. -#}
{% test assay_holds(model) %}
SELECT
  *
FROM {{ model }}
WHERE
  _outcome <> 'undecided'
{% endtest %}
[% if has_gates %]
{#- Where the test of a check is not part of the run (`dbt run`), the relation itself fails. -#}
{% macro assay_hold(relation, check) -%}
{%- if execute and flags.WHICH in ['run', 'build'] -%}
  {%- set tests = [] -%}
  {%- for id in selected_resources if id.startswith('test.') and '.' ~ check ~ '__holds.' in id -%}
    {%- do tests.append(id) -%}
  {%- endfor -%}
  {%- if tests | length == 0 -%}
    {%- set found = run_query("SELECT COUNT(*) FROM " ~ relation ~ " WHERE _outcome <> 'undecided'").rows[0][0] -%}
    {%- if found > 0 -%}
      {{ exceptions.raise_compiler_error('assay: ' ~ check ~ ' does not hold: ' ~ relation ~ ' lists ' ~ found) }}
    {%- endif -%}
  {%- endif -%}
{%- endif -%}
{%- endmacro %}
[% endif %]
