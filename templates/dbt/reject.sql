-- [[ marker ]]
[% if is_incremental %]-- depends_on: {{ ref('quality_runs') }}
[% endif %]{{ config(
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
[% endif %][% if is_incremental %]    post_hook=[
        "{{ assay_kept(this, ref('[[ entity ]]__judged'), true) }}",
        "{{ assay_note(this, '[[ entity ]]', ref('[[ entity ]]__judged')) }}",
    ],
[% else %]    post_hook="{{ assay_kept(this, ref('[[ entity ]]__judged')) }}",
[% endif %]) }}
{{ [[ entity ]]__diverted(
    ref('[[ entity ]]__judged'),
    [[ entity ]]__bronze(),
    held=this if is_incremental() else none[% if is_incremental %],
    since=assay_since(this)[% endif %]
) }}
