{#- [[ marker ]] -#}

{#- Ends what dbt does not end: a version whose key has a newer delivery, which was quarantined. A
    version that was replaced in the instant in which it began was valid for no time, and goes. -#}
{% macro [[ entity ]]__close(history, judged) -%}
[% if let Some(key_values) = key_values %]UPDATE {{ history }} AS held
SET
  valid_to = judged._valid_from
FROM {{ judged }} AS judged
WHERE
  judged._route = 'quarantined'
  AND held.valid_to IS NULL
  AND held.valid_from <= judged._valid_from
  AND [[ key_values ]]::TEXT = judged._key::TEXT;
[% endif %]DELETE FROM {{ history }} WHERE valid_to <= valid_from
{%- endmacro %}
