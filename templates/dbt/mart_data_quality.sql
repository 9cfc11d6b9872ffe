-- [[ marker ]]
{#- Filled by the judged models as they are built, so that a run that a gate stops is counted too. -#}
{{ config(
    materialized='incremental',
    incremental_strategy='append',
    on_schema_change='append_new_columns',
    full_refresh=false,
    schema='[[ gold ]]',
    tags=['[[ folder ]]'],
) }}
SELECT
  NULL::TEXT AS run_id,
  NULL::TIMESTAMP AS run_at,
  NULL::TEXT AS entity,
  NULL::TEXT AS mapping,
  NULL::TEXT AS rule,
  NULL::TEXT AS disposition,
  NULL::BIGINT AS rows_failed,
  NULL::BIGINT AS rows_undecided,
  NULL::BIGINT AS rows_evaluated,
  NULL::BIGINT AS rows_quarantined,
  NULL::BIGINT AS rows_deduped
WHERE
  FALSE
