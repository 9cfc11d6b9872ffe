{#- [[ marker ]] -#}

{#- Where each rule's verdict is kept: rules of one disposition take the bits of its mask in order,
    60 to a word; every rule takes a bit of `_undecided`. -#}
{% macro assay_bits(rules) -%}
  {%- set masks = {'fail': '_fail', 'quarantine': '_quarantine', 'flag': '_flag', 'unknown_member': '_flag'} -%}
  {%- set taken = {'_fail': 0, '_quarantine': 0, '_flag': 0, '_undecided': 0} -%}
  {%- set bits = [] -%}
  {%- for name, disposition, mappings in rules -%}
    {%- set places = [] -%}
    {%- for mask in [masks[disposition], '_undecided'] -%}
      {%- set at = taken[mask] -%}
      {%- do taken.update({mask: at + 1}) -%}
      {%- do places.append({'mask': mask if at < 60 else mask ~ '_' ~ (at // 60 + 1), 'bit': 2 ** (at % 60)}) -%}
    {%- endfor -%}
    {%- do bits.append({'rule': name, 'disposition': disposition, 'mappings': mappings, 'failed': places[0], 'undecided': places[1]}) -%}
  {%- endfor -%}
  {{ return(bits) }}
{%- endmacro %}

{#- Counts every rule once, from the masks, before any gate can stop the run. A second try within one
    invocation replaces its rows. -#}
{% macro assay_measure(judged, mart, entity, rules) -%}
{%- set bits = assay_bits(rules) -%}
{%- set masks = [] -%}
{%- for rule in bits -%}
  {%- for mask in [rule.failed.mask, rule.undecided.mask] if mask not in masks -%}
    {%- do masks.append(mask) -%}
  {%- endfor -%}
{%- endfor -%}
{%- set run_at = "'" ~ run_started_at.strftime('%Y-%m-%d %H:%M:%S') ~ "'::TIMESTAMP" -%}
DELETE FROM {{ mart }} WHERE run_id = '{{ invocation_id }}' AND entity = '{{ entity }}';
INSERT INTO {{ mart }} (
  run_id, run_at, entity, mapping, rule, disposition,
  rows_failed, rows_undecided, rows_evaluated, rows_quarantined, rows_deduped
)
WITH verdicts AS (
  SELECT
    _source,
    _route,
    {%- for mask in masks %}
    {{ mask }},
    {%- endfor %}
    COUNT(*) AS deliveries
  FROM {{ judged }}
  GROUP BY
    _source,
    _route
    {%- for mask in masks %},
    {{ mask }}
    {%- endfor %}
)
SELECT
  '{{ invocation_id }}', {{ run_at }}, '{{ entity }}', '(entity)', '(entity)', '(entity)', 0, 0,
  COALESCE(SUM(CASE WHEN _route <> 'deduped' THEN deliveries END), 0),
  COALESCE(SUM(CASE WHEN _route = 'quarantined' THEN deliveries END), 0),
  COALESCE(SUM(CASE WHEN _route = 'deduped' THEN deliveries END), 0)
FROM verdicts
{%- for rule in bits %}
{%- for mapping in rule.mappings %}
UNION ALL
SELECT
  '{{ invocation_id }}', {{ run_at }}, '{{ entity }}', {{ dbt.string_literal(dbt.escape_single_quotes(mapping)) }}, '{{ rule.rule }}', '{{ rule.disposition }}',
  COALESCE(SUM(CASE WHEN {{ rule.failed.mask }} & {{ rule.failed.bit }} <> 0 THEN deliveries END), 0),
  COALESCE(SUM(CASE WHEN {{ rule.undecided.mask }} & {{ rule.undecided.bit }} <> 0 THEN deliveries END), 0),
  0, 0, 0
FROM verdicts
WHERE
  _route <> 'deduped' AND _source = {{ dbt.string_literal(dbt.escape_single_quotes(mapping)) }}
{%- endfor %}
{%- endfor %}
{%- endmacro %}

{#- The facts that must stop a run, one row each. -#}
{% macro assay_broken_gates(judged) -%}
[[ gates ]]
{%- endmacro %}

{#- `dbt build` runs this before it builds what reads judged, and skips all of it on a failure. -#}
{% test assay_gates(model) %}
{{ config(severity='error') }}
{{ assay_broken_gates(model) }}
{% endtest %}

{#- Where the gate's test is not part of the run (`dbt run`), judged itself fails. -#}
{% macro assay_block(judged, test) -%}
{%- if execute and flags.WHICH in ['run', 'build'] -%}
  {%- set tests = [] -%}
  {%- for id in selected_resources if id.startswith('test.') and '.' ~ test ~ '.' in id -%}
    {%- do tests.append(id) -%}
  {%- endfor -%}
  {%- if tests | length == 0 -%}
    {%- do assay_raise(judged, assay_broken_gates(judged)) -%}
  {%- endif -%}
{%- endif -%}
{%- endmacro %}

{#- Runs inside the entity's transaction: what it finds wrong is never committed. Orphans that point at
    the unknown member may share a key; `replaced` are the key columns that can point there. -#}
{% macro assay_published(entity, judged, key, replaced, members) -%}
{%- if execute -%}
  {%- set facts -%}
SELECT
  'key_not_unique' AS gate,
  COUNT(*)::TEXT AS _source_row_id,
  NULL AS _load_id
FROM {{ entity }}
WHERE
  TRUE
  {%- for column in replaced %}
  AND {{ column }} <> '__unknown__'
  {%- endfor %}
GROUP BY
  {{ key | join(', ') }}
HAVING
  COUNT(*) > 1
    {%- if judged %}
UNION ALL
{{ assay_broken_gates(judged) }}
UNION ALL
SELECT
  'conservation' AS gate,
  COUNT(*)::TEXT AS _source_row_id,
  NULL AS _load_id
FROM {{ entity }}
HAVING
  COUNT(*) <> {{ members }} + (SELECT COUNT(*) FROM {{ judged }} WHERE _route = 'admitted')
    {%- endif %}
  {%- endset -%}
  {%- do assay_raise(entity, facts) -%}
{%- endif -%}
{%- endmacro %}

{#- Every row that was diverted must be here, unresolved. Both of these ask the gates of judged again:
    `dbt run --select` can build a relation without them. -#}
{% macro assay_kept(reject, judged) -%}
{%- if execute -%}
  {%- set facts -%}
SELECT
  'conservation' AS gate,
  judged._source_row_id,
  judged._load_id
FROM {{ judged }} AS judged
LEFT JOIN {{ reject }} AS held
  ON held.source_relation = judged._source
  AND held._source_row_id = judged._source_row_id
  AND held._load_id = judged._load_id
  AND held.resolved_at IS NULL
WHERE
  judged._route = 'quarantined' AND held.reject_id IS NULL
UNION ALL
{{ assay_broken_gates(judged) }}
  {%- endset -%}
  {%- do assay_raise(reject, facts) -%}
{%- endif -%}
{%- endmacro %}

{% macro assay_raise(relation, facts) -%}
{%- set found = run_query("SELECT gate, COUNT(*) AS facts, MIN(_source_row_id) AS example FROM (" ~ facts ~ ") AS broken GROUP BY gate ORDER BY gate") -%}
{%- if found.rows | length > 0 -%}
  {%- set lines = [] -%}
  {%- for row in found.rows -%}
    {%- do lines.append(row[0] ~ ' (' ~ row[1] ~ ', for example ' ~ row[2] ~ ')') -%}
  {%- endfor -%}
  {{ exceptions.raise_compiler_error('assay: nothing was published from ' ~ relation ~ ': ' ~ lines | join('; ')) }}
{%- endif -%}
{%- endmacro %}
