-- [[ marker ]]
{{ config(
    materialized='table',
    schema='[[ silver ]]',
    tags=['[[ folder ]]'],
    post_hook="{{ assay_published(this, [[ judged ]], [[ key ]], [[ replaced ]], [[ members ]]) }}",
) }}
[[ body ]]
