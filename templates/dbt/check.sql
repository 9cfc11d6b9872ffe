-- [[ marker ]]
-- depends_on: {{ ref('mart_data_quality') }}
-- depends_on: {{ ref('quality_runs') }}
{{ config(
    materialized='table',
    schema='[[ gold ]]',
    tags=['[[ folder ]]'],
    post_hook=[
        "{{ assay_count_check(this, ref('mart_data_quality'), '[[ entity ]]', '[[ kind ]]', '[[ name ]]', '[[ on_fail ]]') }}",
        "{{ assay_record_check(this, '[[ entity ]]', '[[ name ]]', '[[ outcome ]]', '[[ rule_set ]]') }}",
[% if is_gate %]        {'sql': "{{ assay_hold(this, '[[ name ]]') }}", 'transaction': false},
[% endif %]    ],
) }}
[[ body ]]
