{#- [[ marker ]] -#}

{#- What the conversions call; runs before the models that convert. -#}
{% macro assay_install() -%}
[[ statement ]]
{%- endmacro %}
