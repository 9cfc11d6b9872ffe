-- [[ marker ]]
-- depends_on: {{ ref('quality_runs') }}
-- depends_on: {{ ref('quality_log') }}
{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='reject_id',
    on_schema_change='append_new_columns',
    full_refresh=false,
    schema='[[ silver ]]',
    tags=['[[ folder ]]'],
[% if !indexes.is_empty() %]    indexes=[
[% for index in indexes %]        [[ index ]],
[% endfor %]    ],
[% endif %][% if !hooks.is_empty() %]    pre_hook=[
[% for hook in hooks %]        [[ hook ]],
[% endfor %]    ],
[% endif %]    post_hook=[
[% if is_incremental %]        "{{ assay_kept(this, '[[ entity ]]', ref('[[ entity ]]__judged'), true) }}",
        "{{ assay_note(this, '[[ entity ]]', ref('[[ entity ]]__judged')) }}",
[% else %]        "{{ assay_kept(this, '[[ entity ]]', ref('[[ entity ]]__judged')) }}",
[% endif %]        "{{ assay_retain(this, '[[ entity ]]') }}",
    ],
) }}
{{ [[ entity ]]__diverted(
    ref('[[ entity ]]__judged'),
    [[ entity ]]__bronze(),
    held=this if is_incremental() else none[% if is_incremental %],
    since=assay_since(this)[% endif %]
) }}
