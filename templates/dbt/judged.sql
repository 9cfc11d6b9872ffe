-- [[ marker ]]
-- depends_on: {{ ref('mart_data_quality') }}
-- depends_on: {{ ref('quality_runs') }}
[% if reads_log %]-- depends_on: {{ ref('quality_log') }}
[% endif %]{{ config(
[% if let Some(ledger) = ledger %]    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key=['_source', '_source_row_id', '_load_id'],
    on_schema_change='fail',
[% else %]    materialized='table',
[% endif %]    schema='[[ silver ]]',
    tags=['[[ folder ]]'],
[% if !indexes.is_empty() %]    indexes=[
[% for index in indexes %]        [[ index ]],
[% endfor %]    ],
[% endif %][% if !hooks.is_empty() %]    pre_hook=[
[% for hook in hooks %]        [[ hook ]],
[% endfor %]    ],
[% endif %]    post_hook=[
[% if let Some(ledger) = ledger %]        "{{ assay_forget(this) }}",
        "{{ assay_measure(this, ref('mart_data_quality'), '[[ entity ]]', [[ entity ]]__rules(), assay_judged_at()) }}",
        "{{ assay_ask(this, '[[ entity ]]', '[[ rule_set ]]', true) }}",
        {'sql': "{{ assay_block(this, '[[ entity ]]__gates') }}", 'transaction': false},
[% else %]        "{{ assay_measure(this, ref('mart_data_quality'), '[[ entity ]]', [[ entity ]]__rules()) }}",
        "{{ assay_ask(this, '[[ entity ]]', '[[ rule_set ]]') }}",
        {'sql': "{{ assay_block(this, '[[ entity ]]__gates') }}", 'transaction': false},
[% endif %]    ],
) }}
[% if let Some(ledger) = ledger %]{{ [[ entity ]]__judged(
    assay_arrived([[ entity ]]__bronze(), lag_hours=[[ ledger.lag_hours ]], generation='[[ ledger.generation ]]'),
    ledger=this if is_incremental() else none
) }}
[% else %]{{ [[ entity ]]__judged([[ entity ]]__bronze()) }}
[% endif %]
