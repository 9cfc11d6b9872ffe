{#- [[ marker ]] -#}

{#- The bronze relations by name; a replay puts what was rejected in their place. -#}
{% macro [[ entity ]]__bronze() -%}
  {{ return({
[% for source in sources %]    [[ source ]],
[% endfor %]  }) }}
{%- endmacro %}

{#- The typed values of every delivery. -#}
{% macro [[ entity ]]__coerced(bronze) -%}
[[ coerced ]]
{%- endmacro %}

{#- One row per delivery: where it goes and which rules it violates. -#}
{% macro [[ entity ]]__judged(bronze[% if is_incremental %], ledger=none[% endif %][% if compares %], stored=none[% endif %]) -%}
[[ judged ]]
{%- endmacro %}

{#- The admitted rows, typed, in authored order. -#}
{% macro [[ entity ]]__admitted(judged, bronze[% if is_incremental %], since=none[% endif %]) -%}
[[ admitted ]]
{%- endmacro %}
[% if let Some(diverted) = diverted %]
{#- The diverted rows, and the end of those that are diverted no longer; `held` is what is there. -#}
{% macro [[ entity ]]__diverted(judged, bronze, held=none[% if is_incremental %], since=none[% endif %]) -%}
[[ diverted ]]
{%- endmacro %}
[% endif %][% if let Some(replay) = replay %]
{#- For a replay: what is held, in place of what bronze delivers. -#}
{% macro [[ entity ]]__held(reject, stored, alias) -%}
[% for (source, rows) in replay.held %]{%- set source_[[ loop.index ]] %}
[[ rows ]]
{%- endset -%}
[% endfor %]  {{ return({
[% for (source, rows) in replay.held %]    [[ source ]]: '(' ~ source_[[ loop.index ]] ~ ')' ~ alias,
[% endfor %]  }) }}
{%- endmacro %}

{#- For a replay: the rows that would be admitted, against the stored rows of their keys. -#}
{% macro [[ entity ]]__contest(passing, stored) -%}
[[ replay.contest ]]
{%- endmacro %}
[% endif %]
{#- Every rule in the order of its bits: name, disposition, mappings whose rows it judges. -#}
{% macro [[ entity ]]__rules() -%}
  {{ return([
[% for rule in rules %]    [[ rule ]],
[% endfor %]  ]) }}
{%- endmacro %}
