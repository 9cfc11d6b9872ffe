-- [[ marker ]]
-- depends_on: {{ ref('mart_data_quality') }}
{{ config(
    materialized='table',
    schema='[[ silver ]]',
    tags=['[[ folder ]]'],[% if !hooks.is_empty() %]
    pre_hook=[
[% for hook in hooks %]        [[ hook ]],
[% endfor %]    ],[% endif %]
    post_hook=[
        "{{ assay_measure(this, ref('mart_data_quality'), '[[ entity ]]', [[ entity ]]__rules()) }}",
        {'sql': "{{ assay_block(this, '[[ entity ]]__gates') }}", 'transaction': false},
    ],
) }}
[[ body ]]
