{#- [[ marker ]] -#}

[% if has_judged %]{#- The facts that must stop a run, one row each. -#}
{% macro assay_facts(judged, is_ledger=false) -%}
[[ gates ]]
{%- endmacro %}

[% endif %]{#- What gates say that count facts, one row a gate. -#}
{% macro assay_verdicts(gates, facts) -%}
[[ verdicts ]]
{%- endmacro %}

{#- Leaves what the gates of a relation say in `quality_runs`. A second try within one invocation
    replaces its rows. -#}
{% macro assay_record(relation, entity, verdicts, rule_set) -%}
DELETE FROM {{ ref('quality_runs') }} WHERE run_id = '{{ invocation_id }}' AND relation = '{{ relation.identifier }}';
INSERT INTO {{ ref('quality_runs') }} (
  run_id, run_at, asked_at, entity, relation, gate, outcome, measured, out_of, threshold, reason, rule_set
)
SELECT
  '{{ invocation_id }}', {{ assay_judged_at() }}, CURRENT_TIMESTAMP AT TIME ZONE 'UTC', '{{ entity }}', '{{ relation.identifier }}',
  gate, outcome, measured, out_of, threshold, reason, {{ rule_set }}
FROM (
{{ verdicts }}
) AS verdicts
{%- endmacro %}

[% if has_judged %]{#- Asks every gate of judged once; whoever reads judged reads the record. -#}
{% macro assay_ask(judged, entity, rule_set, is_ledger=false) -%}
{%- set verdicts -%}
{{ assay_verdicts(
    [[ gates_of_judged ]],
    assay_facts(judged, is_ledger)
) }}
[% if has_limits %]{%- set limits = assay_limits(judged, entity, is_ledger) -%}
{%- if limits %}
UNION ALL
{{ limits }}
{%- endif -%}
[% endif %]{%- endset -%}
{{ assay_record(judged, entity, verdicts, "'" ~ rule_set ~ "'") }}
{%- endmacro %}

{#- What the newest record of judged has against its readers. -#}
{% macro assay_broken(judged, runs) -%}
{%- set own = "relation = '" ~ judged.identifier ~ "'" -%}
{%- if runs %}
SELECT
  gate,
  measured,
  out_of,
  reason
FROM {{ runs }} AS runs
WHERE
  {{ own }} AND outcome = 'fail' AND asked_at = (SELECT MAX(asked_at) FROM {{ runs }} WHERE {{ own }})
UNION ALL
{% endif -%}
SELECT
  'not_asked' AS gate,
  0 AS measured,
  NULL AS out_of,
  'its gates have not been asked; build it' AS reason
{%- if runs %}
WHERE
  NOT EXISTS (SELECT 1 FROM {{ runs }} WHERE {{ own }})
{%- endif %}
{%- endmacro %}

{#- By which rules the rows of judged were judged. -#}
{% macro assay_rule_set(judged) -%}
{%- set newest -%}
FROM {{ ref('quality_runs') }} WHERE relation = '{{ judged.identifier }}'
{%- endset -%}
(SELECT MAX(rule_set) {{ newest }} AND asked_at = (SELECT MAX(asked_at) {{ newest }}))
{%- endmacro %}

{#- As sentences. -#}
{% macro assay_told(broken) -%}
{%- set lines = [] -%}
{%- for gate, measured, out_of, reason in run_query(broken).rows -%}
  {%- if out_of is none -%}
    {%- do lines.append(gate ~ ' (' ~ ([measured, reason] | reject('none') | join(', ')) ~ ')') -%}
  {%- else -%}
    {%- do lines.append(gate ~ ': ' ~ reason) -%}
  {%- endif -%}
{%- endfor -%}
{{ return(lines | sort) }}
{%- endmacro %}

[% endif %]{% macro assay_refuse(relation, lines) -%}
{%- if lines -%}
  {{ exceptions.raise_compiler_error('assay: nothing was published from ' ~ relation ~ ': ' ~ lines | join('; ')) }}
{%- endif -%}
{%- endmacro %}

[% if has_judged %]{#- `dbt build` runs this before it builds what reads judged, and skips all of it on a failure. -#}
{% test assay_gates(model) %}
{{ config(severity='error') }}
{%- if execute %}
{%- set broken = assay_broken(model, assay_find('quality_runs')) -%}
{{ broken }}
  {%- if flags.WHICH in ['build', 'test'] -%}
    {%- for line in assay_told(broken) -%}
      {%- do log('assay: ' ~ model.identifier ~ ': ' ~ line, info=true) -%}
    {%- endfor -%}
  {%- endif -%}
{%- endif %}
{% endtest %}

{#- Where the gate's test is not part of the run (`dbt run`), judged itself fails. -#}
{% macro assay_block(judged, test) -%}
{%- if execute and flags.WHICH in ['run', 'build'] -%}
  {%- set tests = [] -%}
  {%- for id in selected_resources if id.startswith('test.') and '.' ~ test ~ '.' in id -%}
    {%- do tests.append(id) -%}
  {%- endfor -%}
  {%- if tests | length == 0 -%}
    {%- do assay_refuse(judged, assay_told(assay_broken(judged, ref('quality_runs')))) -%}
  {%- endif -%}
{%- endif -%}
{%- endmacro %}

[% endif %]{#- The relation of one of our models or snapshots, where it is there. Not by `ref`:
    a test that refers to `quality_runs` would be a test of it, too. -#}
{% macro assay_find(name) -%}
{%- set found = [] -%}
{%- if execute -%}
  {%- for node in graph.nodes.values() if node.resource_type in ['model', 'snapshot'] and node.name == name and '[[ folder ]]' in node.tags -%}
    {%- do found.append(adapter.get_relation(node.database, node.schema, node.alias)) -%}
  {%- endfor -%}
{%- endif -%}
{{ return(found | select | first) }}
{%- endmacro %}

{#- When this run judged, to the microsecond: no two runs share it. -#}
{% macro assay_judged_at() -%}
  {{ return("'" ~ run_started_at.strftime('%Y-%m-%d %H:%M:%S.%f') ~ "'::TIMESTAMP") }}
{%- endmacro %}

{#- Records what the gates say of a relation that has just been written, in its transaction. Where one is
    broken the relation is taken back, and its record stays. -#}
{% macro assay_settle(relation, entity, verdicts, judged) -%}
{%- set found = [] -%}
{%- set broken = [] -%}
{%- for gate, outcome, measured, out_of, threshold, reason in run_query(verdicts).rows -%}
  {%- set values = [] -%}
  {%- for value in [gate, outcome, measured, out_of, threshold, reason] -%}
    {%- do values.append('NULL' if value is none else value if value is number else dbt.string_literal(dbt.escape_single_quotes(value))) -%}
  {%- endfor -%}
  {%- do found.append('SELECT ' ~ values[0] ~ ' AS gate, ' ~ values[1] ~ ' AS outcome, ' ~ values[2] ~ ' AS measured, ' ~ values[3] ~ '::BIGINT AS out_of, ' ~ values[4] ~ ' AS threshold, ' ~ values[5] ~ '::TEXT AS reason') -%}
  {%- if outcome == 'fail' -%}
    {%- do broken.append(gate ~ ' (' ~ ([measured, reason] | reject('none') | join(', ')) ~ ')') -%}
  {%- endif -%}
{%- endfor -%}
{%- set record = assay_record(relation, entity, found | join(' UNION ALL\n'), [% if has_judged %]assay_rule_set(judged) if judged else [% endif %]'NULL') -%}
{%- if broken -%}
  {%- do run_query('ROLLBACK') -%}
  {%- do run_query('BEGIN') -%}
  {%- do run_query(record) -%}
  {%- do adapter.commit() -%}
  {%- do assay_refuse(relation, broken) -%}
{%- endif -%}
{{ record }}
{%- endmacro %}

{#- Runs inside the entity's transaction: what it finds wrong is never committed. Orphans that point at
    the unknown member may share a key; `replaced` are the key columns that can point there. -#}
{% macro assay_published(relation, entity, judged, key, replaced, members) -%}
{%- if execute -%}
  {%- set gates = ['key_not_unique'] -%}
  {%- set facts -%}
SELECT
  'key_not_unique' AS gate,
  COUNT(*)::TEXT || ' rows of one key' AS _source_row_id
FROM {{ relation }}
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
      {%- do gates.append('conservation') %}
UNION ALL
SELECT
  'conservation' AS gate,
  COUNT(*)::TEXT || ' rows' AS _source_row_id
FROM {{ relation }}
HAVING
  COUNT(*) <> {{ members }} + (SELECT COUNT(*) FROM {{ judged }} WHERE _route = 'admitted')
    {%- endif %}
  {%- endset -%}
  {%- if judged -%}
    {%- do assay_stand_by(relation, judged) -%}
  {%- endif -%}
{{ assay_settle(relation, entity, assay_verdicts(gates, facts), judged) }}
{%- endif -%}
{%- endmacro %}
[% if has_judged %]
{#- `dbt run --select` can build what reads judged without it; what its gates have said stands. -#}
{% macro assay_stand_by(relation, judged) -%}
{%- do assay_refuse(relation, assay_told(assay_broken(judged, ref('quality_runs')))) -%}
{%- endmacro %}

{#- Every row that was diverted must be here, unresolved[% if has_ledger %], unless retention has deleted it: a ledger
    remembers what it has judged for longer[% endif %]. -#}
{% macro assay_kept(reject, entity, judged[% if has_ledger %], is_ledger=false[% endif %]) -%}
{%- if execute -%}
  {%- set facts -%}
SELECT
  'conservation' AS gate,
  judged._source_row_id
FROM {{ judged }} AS judged
LEFT JOIN {{ reject }} AS held
  ON held.source_relation = judged._source
  AND held._source_row_id = judged._source_row_id
  AND held._load_id = judged._load_id
  AND held.resolved_at IS NULL
WHERE
  judged._route = 'quarantined' AND held.reject_id IS NULL[% if has_ledger %]
  {%- if is_ledger %}
  AND NOT COALESCE(
    judged._ingested_at < (SELECT MAX(until) FROM {{ ref('quality_log') }} WHERE action = 'retention' AND relation = '{{ reject }}'),
    FALSE
  )
  {%- endif %}[% endif %]
  {%- endset -%}
  {%- do assay_stand_by(reject, judged) -%}
{{ assay_settle(reject, entity, assay_verdicts(['conservation'], facts), judged) }}
{%- endif -%}
{%- endmacro %}
[% endif %]