-- [[ marker ]]
{{ config(severity='warn', tags=['[[ folder ]]']) }}
[[ body ]]
