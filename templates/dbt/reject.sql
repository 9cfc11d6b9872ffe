-- [[ marker ]]
{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='reject_id',
    on_schema_change='append_new_columns',
    full_refresh=false,
    schema='[[ silver ]]',
    tags=['[[ folder ]]'],[% if !hooks.is_empty() %]
    pre_hook=[
[% for hook in hooks %]        [[ hook ]],
[% endfor %]    ],[% endif %]
    post_hook="{{ assay_kept(this, ref('[[ entity ]]__judged')) }}",
) }}
[[ body ]]
