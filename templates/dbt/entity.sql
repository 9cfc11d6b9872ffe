-- [[ marker ]]
{{ config(
    materialized='table',
    schema='[[ silver ]]',
    tags=['[[ folder ]]'],[% if installs %]
    pre_hook={'sql': '{{ assay_install() }}', 'transaction': false},[% endif %]
    post_hook="{{ assay_published(this, [[ judged ]], [[ key ]], [[ replaced ]], [[ members ]]) }}",
) }}
[[ body ]]
