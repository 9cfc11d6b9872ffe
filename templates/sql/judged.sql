[#- One row per delivery: where it goes and which rules it violates. -#]
WITH coerced AS [[ inline ]](
  [[ coerced ]]
), repeated AS (
  SELECT
    [[ key_as_repeated ]]
  FROM coerced
  WHERE
    [[ has_key ]]
  GROUP BY
    [[ key ]]
  HAVING
    COUNT(*) > 1
)[% if dedupes %], ranked AS (
  SELECT
    _source,
    _source_row_id,
    _load_id,
    [[ rank ]] AS _place
  FROM coerced
  JOIN repeated
    ON [[ key_is_repeated ]]
), superseded AS (
  SELECT DISTINCT
    _source AS _lost_source,
    _source_row_id AS _lost_row_id,
    _load_id AS _lost_load_id
  FROM ranked
  WHERE
    _place > 1
)[% endif %], redelivered AS (
  SELECT
    _source AS _repeated_source,
    _source_row_id AS _repeated_row_id
  FROM coerced
  GROUP BY
    _source,
    _source_row_id
  HAVING
    COUNT(*) > 1
), survivors AS (
  SELECT
    _source,
    _source_row_id,
    _load_id,
    [[ delivery_order ]],
    [[ key_text ]] AS _key_text
  FROM coerced
  JOIN redelivered
    ON _repeated_source = _source AND _repeated_row_id = _source_row_id[% if dedupes %]
  LEFT JOIN superseded
    ON [[ is_lost ]]
  WHERE
    _lost_row_id IS NULL[% endif %]
), deliveries AS (
  SELECT
    _source AS _delivery_source,
    _source_row_id AS _delivery_row_id,
    _load_id AS _delivery_load_id,
    [[ delivery_rank ]] > 1 AS _is_older,
    MIN(_key_text) OVER (PARTITION BY _source, _source_row_id) <> MAX(_key_text) OVER (PARTITION BY _source, _source_row_id) AS _has_two_keys
  FROM survivors
), rules AS (
  SELECT
    _source,
    _source_row_id,
    _load_id,
    [[ key ]],
    [[ gates ]] AS _gates,[% if dedupes %]
    [[ was_lost ]] AS _is_superseded,[% endif %][% if key_can_repeat %]
    [[ key_was_repeated ]] AS _key_repeats,[% endif %]
    [[ was_redelivered ]] AS _is_redelivered,
    _is_older[% for rule in rules %],
    [[ rule ]][% endfor %]
  FROM coerced[% if key_can_repeat %]
  LEFT JOIN repeated
    ON [[ key_is_repeated ]][% endif %][% if dedupes %]
  LEFT JOIN superseded
    ON [[ is_lost ]][% endif %]
  LEFT JOIN deliveries
    ON [[ is_delivery ]][% for probe in probes %]
  LEFT JOIN (
    SELECT[% if probe.distinct %] DISTINCT[% endif %]
      [[ probe.columns ]]
    FROM [[ probe.from ]][% if let Some(filter) = probe.filter %]
    WHERE
      [[ filter ]][% endif %][% if let Some(group) = probe.group %]
    GROUP BY
      [[ group ]]
    HAVING
      COUNT(*) > 1[% endif %]
  ) AS [[ probe.alias ]]
    ON [[ probe.on ]][% endfor %]
), masks AS (
  SELECT
    _source,
    _source_row_id,
    _load_id,
    [[ key ]],
    _gates,[% if dedupes %]
    _is_superseded,[% endif %][% if key_can_repeat %]
    _key_repeats,[% endif %]
    _is_redelivered,
    _is_older,
    [[ masks ]]
  FROM rules
)
SELECT
  _source,
  _source_row_id,
  _load_id,
  [[ route ]] AS _route,
  [[ kept_key ]] AS _key,
  _is_redelivered,
  [% if key_can_repeat %]_key_repeats[% else %]FALSE AS _key_repeats[% endif %],
  _gates,
  [[ mask_names ]],
  [[ delivered ]] AS _delivered
FROM masks
