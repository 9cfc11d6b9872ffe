-- [[ marker ]]
{{ config(
    materialized='table',
    schema='[[ gold ]]',
    tags=['[[ folder ]]'],
) }}
[[ body ]]
