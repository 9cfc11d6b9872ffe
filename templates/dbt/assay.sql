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
    invocation replaces its rows. With `run`, only what that run has read. -#}
{% macro assay_measure(judged, mart, entity, rules, run=none) -%}
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
  {%- if run %}
  WHERE
    _judged_at = {{ run }} AND _delivered IS NOT NULL
  {%- endif %}
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

{#- `run_query` begins no transaction. -#}
{% macro assay_execute(sql) -%}
{%- call statement('assay', auto_begin=true) -%}{{ sql }}{%- endcall -%}
{%- endmacro %}
[% if has_ledger %]
{#- What an incremental run reads of each bronze relation: deliveries from the day before the newest one
    that was judged, less the lag. All of it where there is no ledger yet, where a gate was left broken,
    or where older deliveries came late; the counts tell. -#}
{% macro assay_arrived(bronze, lag_hours, generation) -%}
{%- if not execute or not is_incremental() -%}
  {{ return(bronze) }}
{%- endif -%}
{%- set is_ledger = '_generation' in adapter.get_columns_in_relation(this) | map(attribute='name') -%}
{%- if not is_ledger or run_query("SELECT 1 FROM " ~ this ~ " WHERE _generation <> '" ~ generation ~ "' LIMIT 1").rows | length > 0 -%}
  {{ exceptions.raise_compiler_error(
      'assay: the rows of ' ~ this ~ ' were judged by another version of its specs. Judge them anew: dbt build --full-refresh --select '
      ~ this.identifier ~ '+'
  ) }}
{%- endif -%}
{%- set last = run_query("SELECT CAST(MAX(_judged_at) AS TEXT) FROM " ~ this ~ " WHERE _judged_at >= " ~ assay_judged_at()).rows[0][0] -%}
{%- if last is not none -%}
  {{ exceptions.raise_compiler_error('assay: ' ~ this ~ ' was judged at ' ~ last ~ ', not before the time of this run; run again after that') }}
{%- endif -%}
{%- set newest = run_query("SELECT CAST(MAX(_ingested_at) AS TEXT) FROM " ~ this ~ " WHERE _ingested_at <= " ~ assay_judged_at()).rows[0][0] -%}
{%- if newest is none -%}
  {{ return(bronze) }}
{%- endif -%}
{%- set back = modules.datetime.timedelta(days=1, hours=lag_hours) -%}
{%- set floor = modules.datetime.datetime.fromisoformat(newest[:10]) - back -%}
{%- set floor = floor.strftime('%Y-%m-%d') -%}
{%- set relations = [] -%}
{%- for relation in bronze.values() -%}
  {%- do relations.append("SELECT _ingested_at FROM " ~ relation) -%}
{%- endfor -%}
{%- set counts = run_query(
    "SELECT (SELECT COUNT(*) FROM (" ~ relations | join(' UNION ALL ') ~ ") AS delivered WHERE NOT (" ~ assay_is_recent('[[ arrival ]]', floor) ~ ")), "
    ~ "(SELECT COUNT(*) FROM " ~ this ~ " WHERE NOT (" ~ assay_is_recent('[[ arrival_of_ledger ]]', floor) ~ ")), "
    ~ "(SELECT COUNT(*) FROM " ~ this ~ " WHERE _gates <> 0 OR (_fail <> 0 AND _route <> 'deduped'))"
).rows[0] -%}
{%- if counts[0] > counts[1] or counts[2] > 0 -%}
  {{ return(bronze) }}
{%- endif -%}
{%- set arrived = {} -%}
{%- for name, relation in bronze.items() -%}
  {%- do arrived.update({name: "(SELECT * FROM " ~ relation ~ " WHERE " ~ assay_is_recent('[[ arrival ]]', floor) ~ ") AS arrived"}) -%}
{%- endfor -%}
{{ return(arrived) }}
{%- endmacro %}

{#- Whatever is not plainly older: a time that cannot be read is for the gates to find. -#}
{% macro assay_is_recent(arrival, floor) -%}
  COALESCE({{ arrival }} >= '{{ floor }}' OR {{ arrival }} NOT LIKE '____-__-__%', TRUE)
{%- endmacro %}

{#- Rows that broke a gate and have gone from bronze: a run after such a one has read all of bronze. -#}
{% macro assay_forget(ledger) -%}
DELETE FROM {{ ledger }}
WHERE
  (_gates <> 0 OR (_fail <> 0 AND _route <> 'deduped')) AND _judged_at < {{ assay_judged_at() }}
{%- endmacro %}

{#- The newest run whose rows this relation has taken over; none on its first. -#}
{% macro assay_since(relation) -%}
{%- if execute and is_incremental() -%}
  {%- set until = run_query("SELECT CAST(MAX(until) AS TEXT) FROM " ~ ref('quality_log') ~ " WHERE action = 'published' AND relation = '" ~ relation ~ "'").rows[0][0] -%}
  {%- if until is not none -%}
    {{ return("'" ~ until ~ "'::TIMESTAMP") }}
  {%- endif -%}
{%- endif -%}
{{ return(none) }}
{%- endmacro %}

{#- Takes back rows whose delivery is admitted no longer. -#}
{% macro assay_retract(entity, judged, identity) -%}
DELETE FROM {{ entity }} AS entity
WHERE
  EXISTS (
    SELECT
      1
    FROM {{ judged }} AS judged
    WHERE
      judged._route <> 'admitted'
      {%- for column in identity %}
      AND judged.{{ column }} = entity.{{ column }}
      {%- endfor %}
      {%- set since = assay_since(entity) %}
      {%- if since %}
      AND judged._judged_at > {{ since }}
      {%- endif %}
  )
{%- endmacro %}

{#- Remembers up to which run this relation has taken over what was judged. -#}
{% macro assay_note(relation, entity, judged) -%}
INSERT INTO {{ ref('quality_log') }} (
  run_id, run_at, entity, relation, action, row_count, until
)
SELECT
  '{{ invocation_id }}',
  {{ assay_judged_at() }},
  '{{ entity }}',
  '{{ relation }}',
  'published',
  SUM(CASE WHEN _judged_at = {{ assay_judged_at() }} THEN 1 ELSE 0 END),
  MAX(_judged_at)
FROM {{ judged }}
{%- endmacro %}
[% endif %]
