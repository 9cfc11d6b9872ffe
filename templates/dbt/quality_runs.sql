-- [[ marker ]]
{#- Filled by the relations whose gates it tells of, so that a run that one stops is in it too. -#}
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
  NULL::TIMESTAMP AS asked_at,
  NULL::TEXT AS entity,
  NULL::TEXT AS relation,
  NULL::TEXT AS gate,
  NULL::TEXT AS outcome,
  NULL::BIGINT AS measured,
  NULL::BIGINT AS out_of,
  NULL::TEXT AS threshold,
  NULL::TEXT AS reason,
  NULL::TEXT AS rule_set
WHERE
  FALSE
