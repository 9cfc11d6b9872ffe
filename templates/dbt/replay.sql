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
{%- set deployed = adapter.get_columns_in_relation(stored) | map(attribute='name') | list -%}
{%- if deployed | sort != columns | sort -%}
  {{ exceptions.raise_compiler_error(
      'assay: ' ~ stored ~ ' was built from another version of its specs; run dbt build --full-refresh --select ' ~ entity ~ '__judged+ first'
  ) }}
{%- endif -%}
{%- set now = assay_judged_at() -%}
{%- set listed = [] -%}
{%- for column in columns -%}
  {%- do listed.append(adapter.quote(column)) -%}
{%- endfor -%}
{%- set same = [] -%}
{%- for column in identity -%}
  {%- do same.append('own.' ~ column ~ ' = other.' ~ column) -%}
{%- endfor -%}
{%- set same = same | join(' AND ') -%}
{%- do assay_execute(
    'DROP TABLE IF EXISTS assay_replayed; DROP TABLE IF EXISTS assay_passing; DROP TABLE IF EXISTS assay_contest; '
    ~ 'CREATE TEMP TABLE assay_replayed AS ' ~ (judge(held(reject, stored, ' AS held'), stored=stored) if compares else judge(held(reject, stored, ' AS held'))) ~ '; '
    ~ "DELETE FROM assay_replayed AS own USING " ~ stored ~ " AS other WHERE " ~ same ~ " AND own._route <> 'admitted'; "
    ~ 'CREATE TEMP TABLE assay_passing AS SELECT * FROM (' ~ admit('assay_replayed', held(reject, stored, ' AS held')) ~ ") AS admitted WHERE _source_row_id <> '__unknown__'; "
    ~ 'DELETE FROM assay_passing AS own USING ' ~ stored ~ ' AS other WHERE ' ~ same ~ ' AND own._quality_flags = other._quality_flags; '
    ~ 'CREATE TEMP TABLE assay_contest AS ' ~ contest('assay_passing', stored) ~ '; '
    ~ "UPDATE assay_replayed AS own SET _route = 'deduped' FROM assay_contest AS other WHERE " ~ same ~ ' AND other._is_replayed AND other._place > 1; '
    ~ 'DELETE FROM assay_passing AS own USING assay_contest AS other WHERE ' ~ same ~ ' AND other._is_replayed AND other._place > 1'
) -%}
{%- set broken = run_query("SELECT COUNT(*), MIN(_source_row_id) FROM assay_replayed WHERE _route = 'admitted' AND _fail <> 0").rows[0] -%}
{%- if broken[0] > 0 -%}
  {{ exceptions.raise_compiler_error('assay: nothing was replayed into ' ~ stored ~ ': fail_rule (' ~ broken[0] ~ ', for example ' ~ broken[1] ~ ')') }}
{%- endif -%}
{%- set own_key = [] -%}
{%- for column in replaced -%}
  {%- do own_key.append(column ~ " <> '__unknown__'") -%}
{%- endfor -%}
{%- set twice = run_query(
    'SELECT COUNT(*) FROM (SELECT ' ~ key | join(', ') ~ ' FROM (SELECT ' ~ (key + identity) | join(', ') ~ ' FROM ' ~ stored ~ ' AS own WHERE NOT EXISTS (SELECT 1 FROM assay_contest AS other WHERE '
    ~ same ~ ' AND NOT other._is_replayed AND other._place > 1) AND NOT EXISTS (SELECT 1 FROM assay_passing AS other WHERE ' ~ same ~ ') UNION ALL SELECT ' ~ (key + identity) | join(', ') ~ ' FROM assay_passing) AS rows_then WHERE '
    ~ (own_key or ['TRUE']) | join(' AND ') ~ ' GROUP BY ' ~ key | join(', ') ~ ' HAVING COUNT(*) > 1) AS twice'
).rows[0][0] -%}
{%- if twice > 0 -%}
  {{ exceptions.raise_compiler_error('assay: nothing was replayed into ' ~ stored ~ ': key_not_unique (' ~ twice ~ ')') }}
{%- endif -%}
{%- set counts = run_query(
    "SELECT COALESCE(SUM(CASE WHEN own._route = 'admitted' THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN own._route = 'deduped' THEN 1 ELSE 0 END), 0), "
    ~ "COALESCE(SUM(CASE WHEN own._route = 'quarantined' THEN 1 ELSE 0 END), 0), (SELECT COUNT(*) FROM assay_passing AS own JOIN " ~ stored ~ ' AS other ON ' ~ same ~ ') '
    ~ 'FROM assay_replayed AS own JOIN ' ~ reject ~ ' AS held ON held.source_relation = own._source AND held._source_row_id = own._source_row_id AND held._load_id = own._load_id AND held.resolved_at IS NULL'
).rows[0] -%}
{%- if not dry_run -%}
  {%- set news = divert('assay_replayed', held(reject, stored, '')) -%}
  {%- do assay_execute(
      'DELETE FROM ' ~ stored ~ ' AS own USING assay_contest AS other WHERE ' ~ same ~ ' AND NOT other._is_replayed AND other._place > 1; '
      ~ 'DELETE FROM ' ~ stored ~ ' AS own USING assay_passing AS other WHERE ' ~ same ~ '; '
      ~ 'INSERT INTO ' ~ stored ~ ' (' ~ listed | join(', ') ~ ') SELECT ' ~ listed | join(', ') ~ ' FROM assay_passing; '
      ~ 'UPDATE ' ~ reject ~ ' AS own SET failed_rules = other.failed_rules, stage = other.stage, key_values = other.key_values, '
      ~ 'mapping_version = other.mapping_version, last_evaluated_at = ' ~ now ~ ' FROM (' ~ news ~ ') AS other '
      ~ 'WHERE own.reject_id = other.reject_id AND own.resolved_at IS NULL AND own.failed_rules <> other.failed_rules; '
      ~ 'UPDATE ' ~ reject ~ " AS own SET resolved_at = " ~ now ~ ", last_evaluated_at = " ~ now
      ~ ", resolution = CASE WHEN other._route = 'admitted' THEN 'replayed' ELSE 'superseded' END FROM assay_replayed AS other "
      ~ "WHERE own.resolved_at IS NULL AND own.source_relation = other._source AND own._source_row_id = other._source_row_id AND own._load_id = other._load_id AND other._route <> 'quarantined'; "
      ~ 'UPDATE ' ~ judged ~ " AS own SET _route = 'deduped'" ~ (', _judged_at = ' ~ now if is_ledger else '') ~ ' FROM assay_contest AS other WHERE ' ~ same ~ ' AND NOT other._is_replayed AND other._place > 1; '
      ~ 'DELETE FROM ' ~ judged ~ ' AS own USING assay_replayed AS other WHERE own._source = other._source AND own._source_row_id = other._source_row_id AND own._load_id = other._load_id; '
      ~ 'INSERT INTO ' ~ judged ~ ' SELECT * FROM assay_replayed; '
      ~ 'INSERT INTO ' ~ ref('quality_runs') ~ ' (run_id, run_at, entity, relation, action, row_count, until) '
      ~ "SELECT '" ~ invocation_id ~ "', " ~ now ~ ", '" ~ entity ~ "', '" ~ stored ~ "', 'replayed', " ~ counts[0] ~ ', NULL'
  ) -%}
{%- endif -%}
{%- do assay_execute('DROP TABLE assay_replayed; DROP TABLE assay_passing; DROP TABLE assay_contest') -%}
{%- do adapter.commit() -%}
{{ log('assay: ' ~ entity ~ ': ' ~ counts[0] ~ (' would be admitted, ' if dry_run else ' admitted, ') ~ counts[1] ~ ' superseded, ' ~ counts[2] ~ ' still refused, ' ~ counts[3] ~ ' judged again', info=true) }}
{%- endmacro %}
