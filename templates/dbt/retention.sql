{#- [[ marker ]] -#}

{#- For how many hours rejected rows are kept. -#}
{% macro assay_retentions() -%}
  {{ return({
[% for (entity, hours) in entities %]    '[[ entity ]]': [[ hours ]],
[% endfor %]  }) }}
{%- endmacro %}

{#- Deletes the rejected rows whose time is over:
      dbt run-operation assay_retention
      dbt run-operation assay_retention --args '{entity: order_line, dry_run: true}' -#}
{% macro assay_retention(entity=none, dry_run=false) -%}
{%- set known = assay_retentions() | list -%}
{%- if entity is not none and entity not in known -%}
  {{ exceptions.raise_compiler_error("assay: nothing of `" ~ entity ~ "` can be deleted, only of " ~ known | join(', ')) }}
{%- endif -%}
{%- for name in known if entity in (none, name) -%}
  {%- set reject = ref(name ~ '__reject') -%}
  {%- for relation in [reject, ref('quality_log')] if load_relation(relation) is none -%}
    {{ exceptions.raise_compiler_error('assay: ' ~ relation ~ ' is not there; run dbt build first') }}
  {%- endfor -%}
  {%- set expired = run_query('SELECT COUNT(*) FROM ' ~ reject ~ ' WHERE ' ~ assay_is_expired(name)).rows[0][0] -%}
  {%- if not dry_run -%}
    {%- do assay_execute(assay_delete_expired(reject, name)) -%}
    {%- do adapter.commit() -%}
  {%- endif -%}
  {{ log('assay: ' ~ name ~ ': ' ~ expired ~ (' would be deleted' if dry_run else ' deleted') ~ ', kept since ' ~ assay_kept_since(name), info=true) }}
{%- endfor -%}
{%- endmacro %}

{#- The same behind each build, where the variable `assay_retention` asks for it. -#}
{% macro assay_retain(reject, entity) -%}
{%- if execute and var('assay_retention', false) -%}
{{ assay_delete_expired(reject, entity) }}
{%- endif -%}
{%- endmacro %}

{% macro assay_kept_since(entity) -%}
  {%- set kept = modules.datetime.timedelta(hours=assay_retentions()[entity]) -%}
  {{ return((run_started_at.replace(tzinfo=none) - kept).isoformat(' ')) }}
{%- endmacro %}

{#- A resolved row is kept from its resolution on, another one from its newest delivery. -#}
{% macro assay_is_expired(entity) -%}
COALESCE(resolved_at, last_seen) < '{{ assay_kept_since(entity) }}'::TIMESTAMP
{%- endmacro %}

{% macro assay_delete_expired(reject, entity) -%}
INSERT INTO {{ ref('quality_log') }} (
  run_id, run_at, entity, relation, action, row_count, until
)
SELECT
  '{{ invocation_id }}',
  {{ assay_judged_at() }},
  '{{ entity }}',
  '{{ reject }}',
  'retention',
  COUNT(*),
  '{{ assay_kept_since(entity) }}'::TIMESTAMP
FROM {{ reject }}
WHERE
  {{ assay_is_expired(entity) }};
DELETE FROM {{ reject }}
WHERE
  {{ assay_is_expired(entity) }}
{%- endmacro %}
