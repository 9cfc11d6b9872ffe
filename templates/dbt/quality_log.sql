-- [[ marker ]]
{#- Filled by what it tells of: when a relation took over what was judged, and up to which run. -#}
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
  NULL::TEXT AS relation,
  NULL::TEXT AS action,
  NULL::BIGINT AS row_count,
  NULL::TIMESTAMP AS until
WHERE
  FALSE
