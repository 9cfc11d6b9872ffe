-- [[ marker ]]
{{ config(
    materialized='table',
    schema='[[ silver ]]',
    tags=['[[ folder ]]'],[% if !hooks.is_empty() %]
    pre_hook=[
[% for hook in hooks %]        [[ hook ]],
[% endfor %]    ],[% endif %]
    post_hook="{{ assay_published(this, [[ judged ]], [[ key ]], [[ replaced ]], [[ members ]]) }}",
) }}
[[ body ]]
