{#- [[ marker ]] -#}
{% snapshot [[ entity ]] %}
-- depends_on: {{ ref('quality_runs') }}
{{ config(
    schema='[[ silver ]]',
    strategy='assay_newer',
    unique_key=[[ key ]],
    updated_at=[[ since ]],
    hard_deletes='ignore',
    snapshot_meta_column_names={'dbt_valid_from': 'valid_from', 'dbt_valid_to': 'valid_to'},
    tags=['[[ folder ]]'],
    pre_hook=[
[% for hook in hooks %]        [[ hook ]],
[% endfor %]        "{{ assay_can_begin(this, '[[ entity ]]') }}",
    ],
    post_hook=[
        "{{ [[ entity ]]__close(this, ref('[[ entity ]]__judged')) }}",
        "{{ assay_history(this, '[[ entity ]]', ref('[[ entity ]]__judged'), [[ key_in_text ]]) }}",
    ],
) }}
[[ body ]]
{% endsnapshot %}
