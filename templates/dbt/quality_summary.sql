-- [[ marker ]]
{{ config(materialized='view', schema='[[ gold ]]', tags=['[[ folder ]]']) }}
[[ body ]]
