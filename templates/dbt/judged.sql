-- [[ marker ]]
-- depends_on: {{ ref('mart_data_quality') }}
{{ config(
    materialized='table',
    schema='[[ silver ]]',
    tags=['[[ folder ]]'],[% if installs %]
    pre_hook={'sql': '{{ assay_install() }}', 'transaction': false},[% endif %]
    post_hook=[
        "{{ assay_measure(this, ref('mart_data_quality'), '[[ entity ]]', [[ entity ]]__rules()) }}",
        {'sql': "{{ assay_block(this, '[[ entity ]]__gates') }}", 'transaction': false},
    ],
) }}
[[ body ]]
