-- [[ marker ]]
-- depends_on: {{ ref('quality_runs') }}
[% if is_incremental %]-- depends_on: {{ ref('quality_log') }}
[% endif %]{{ config(
[% if is_incremental %]    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key=[[ identity ]],
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
[% endif %][% if is_incremental %]    post_hook=[
        "{{ assay_retract(this, [[ judged ]], [[ identity ]]) }}",
        "{{ assay_published(this, '[[ entity ]]', [[ judged ]], [[ key ]], [[ replaced ]], [[ members ]]) }}",
        "{{ assay_note(this, '[[ entity ]]', [[ judged ]]) }}",
    ],
[% else %]    post_hook="{{ assay_published(this, '[[ entity ]]', [[ judged ]], [[ key ]], [[ replaced ]], [[ members ]]) }}",
[% endif %]) }}
[[ body ]]
