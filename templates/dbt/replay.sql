{#- [[ marker ]] -#}

{#- Judges what the reject relations hold by today's specs and takes in what passes, parents first:
      dbt run-operation assay_replay
      dbt run-operation assay_replay --args '{entity: order_line, dry_run: true}' -#}
{% macro assay_replay(entity=none, dry_run=false) -%}
{%- set known = [[ names ]] -%}
{%- if entity is not none and entity not in known -%}
  {{ exceptions.raise_compiler_error("assay: nothing of `" ~ entity ~ "` can be replayed; the entities with a reject relation are " ~ known | join(', ')) }}
{%- endif -%}
[% for entity in entities %]{%- if entity in (none, '[[ entity.name ]]') -%}
[% if entity.is_history %]  {%- do [[ entity.name ]]__redeliver(dry_run) -%}
[% else %]  {%- do assay_replay_rows(
      '[[ entity.name ]]',
      columns=[[ entity.columns ]],
      identity=[[ entity.identity ]],
      key=[[ entity.key ]],
      replaced=[[ entity.replaced ]],
      judge=[[ entity.name ]]__judged,
      held=[[ entity.name ]]__held,
      admit=[[ entity.name ]]__admitted,
      divert=[[ entity.name ]]__diverted,
      contest=[[ entity.name ]]__contest,
      is_ledger=[[ entity.is_ledger ]],
      compares=[[ entity.compares ]],
      dry_run=dry_run
  ) -%}
[% endif %]{%- endif -%}
[% endfor %]{%- endmacro %}

{#- One entity, in one transaction. What would become of each row is worked out first. -#}
{% macro assay_replay_rows(entity, columns, identity, key, replaced, judge, held, admit, divert, contest, is_ledger, compares, dry_run) -%}
{%- set stored = ref(entity) -%}
{%- set judged = ref(entity ~ '__judged') -%}
{%- set reject = ref(entity ~ '__reject') -%}
{%- for relation in [stored, judged, reject] if load_relation(relation) is none -%}
  {{ exceptions.raise_compiler_error('assay: ' ~ relation ~ ' is not there; run dbt build first') }}
{%- endfor -%}
{%- if adapter.get_columns_in_relation(stored) | map(attribute='name') | sort != columns | sort -%}
  {{ exceptions.raise_compiler_error(
      'assay: ' ~ stored ~ ' was built from another version of its specs; run dbt build --full-refresh --select ' ~ entity ~ '__judged+ first'
  ) }}
{%- endif -%}
{%- set now = assay_judged_at() -%}
{%- set judged_now = ', _judged_at = ' ~ now if is_ledger else '' -%}
{%- set columns = assay_quoted(columns) -%}
{%- set judged_columns = assay_quoted(adapter.get_columns_in_relation(judged) | map(attribute='name')) -%}
{%- set same = [] -%}
{%- for column in identity -%}
  {%- do same.append('own.' ~ column ~ ' = other.' ~ column) -%}
{%- endfor -%}
{%- set same = same | join(' AND ') -%}
{%- set own_key = [] -%}
{%- for column in replaced -%}
  {%- do own_key.append(column ~ " <> '__unknown__'") -%}
{%- endfor -%}
{%- set own_key = (own_key or ['TRUE']) | join(' AND ') -%}
{%- set key_and_identity = (key + identity) | join(', ') -%}
{%- set key = key | join(', ') -%}
{%- set deliveries = held(reject, stored, ' AS held') -%}
{%- set rows = judge(deliveries, stored=stored) if compares else judge(deliveries) -%}
{%- set admitted = admit('assay_replayed', deliveries) -%}
{%- set contest = contest('assay_passing', stored) -%}
{%- set news = divert('assay_replayed', held(reject, stored, '')) -%}

{%- call statement('assay_judge', auto_begin=true) %}
[% include "sql/replay/judge.sql" %]
{%- endcall -%}

{%- set broken -%}
[% include "sql/replay/broken.sql" %]
{%- endset -%}
{%- set broken = run_query(broken).rows[0] -%}
{%- if broken[0] > 0 -%}
  {{ exceptions.raise_compiler_error('assay: nothing was replayed into ' ~ stored ~ ': fail_rule (' ~ broken[0] ~ ', for example ' ~ broken[1] ~ ')') }}
{%- endif -%}

{%- set twice -%}
[% include "sql/replay/twice.sql" %]
{%- endset -%}
{%- set twice = run_query(twice).rows[0][0] -%}
{%- if twice > 0 -%}
  {{ exceptions.raise_compiler_error('assay: nothing was replayed into ' ~ stored ~ ': key_not_unique (' ~ twice ~ ')') }}
{%- endif -%}

{%- set counts -%}
[% include "sql/replay/counts.sql" %]
{%- endset -%}
{%- set counts = run_query(counts).rows[0] -%}

{%- if not dry_run -%}
{%- call statement('assay_write', auto_begin=true) %}
[% include "sql/replay/write.sql" %];

INSERT INTO {{ ref('quality_log') }} (
  run_id, run_at, entity, relation, action, row_count, until
)
SELECT
  '{{ invocation_id }}', {{ now }}, '{{ entity }}', '{{ stored }}', 'replayed', {{ counts[0] }}, NULL
{%- endcall -%}
{%- endif -%}
{%- do assay_execute('DROP TABLE assay_replayed; DROP TABLE assay_passing; DROP TABLE assay_contest') -%}
{%- do adapter.commit() -%}
{{ log('assay: ' ~ entity ~ ': ' ~ counts[0] ~ (' would be admitted, ' if dry_run else ' admitted, ') ~ counts[1] ~ ' superseded, ' ~ counts[2] ~ ' still refused, ' ~ counts[3] ~ ' judged again', info=true) }}
{%- endmacro %}

{% macro assay_quoted(columns) -%}
{%- set quoted = [] -%}
{%- for column in columns -%}
  {%- do quoted.append(adapter.quote(column)) -%}
{%- endfor -%}
{{ return(quoted | join(', ')) }}
{%- endmacro %}
