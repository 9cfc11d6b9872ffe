[#- One row per delivery: where it goes and which rules it violates. -#]
WITH coerced AS [[ inline ]](
  [[ coerced ]]
)[% if let Some(ledger) = ledger %][[ ledger.open ]], ledger AS NOT MATERIALIZED (
  [[ ledger.rows ]]
), touched AS (
  SELECT
    ledger._source,
    ledger._source_row_id,
    ledger._load_id
  FROM ledger
  JOIN coerced
    ON [[ ledger.same_key ]]
  UNION
  SELECT
    ledger._source,
    ledger._source_row_id,
    ledger._load_id
  FROM ledger
  JOIN coerced
    ON ledger._source = coerced._source
    AND ledger._source_row_id = coerced._source_row_id
  EXCEPT
  SELECT
    _source,
    _source_row_id,
    _load_id
  FROM coerced
)[% if !uniques.is_empty() %], alike AS (
  SELECT
    _source,
    _source_row_id,
    _load_id
  FROM touched[% for unique in uniques %]
  UNION
  SELECT
    ledger._source,
    ledger._source_row_id,
    ledger._load_id
  FROM ledger
  JOIN (
    SELECT
      [[ unique.field ]]
    FROM coerced
    UNION
    SELECT
      ledger.[[ unique.field ]]
    FROM ledger
    JOIN touched
      ON touched._source = ledger._source
      AND touched._source_row_id = ledger._source_row_id
      AND touched._load_id = ledger._load_id
  ) AS shared
    ON shared.[[ unique.field ]] = ledger.[[ unique.field ]]
  WHERE
    ledger._route <> 'deduped'[% endfor %]
  EXCEPT
  SELECT
    _source,
    _source_row_id,
    _load_id
  FROM coerced
)[% endif %], held AS (
  SELECT
    ledger.*
  FROM ledger
  JOIN [[ ledger.reached ]]
    ON [[ ledger.reached ]]._source = ledger._source
    AND [[ ledger.reached ]]._source_row_id = ledger._source_row_id
    AND [[ ledger.reached ]]._load_id = ledger._load_id
), contenders AS (
  SELECT
    [[ ledger.contender ]]
  FROM coerced
  UNION ALL
  SELECT
    [[ ledger.contender ]]
  FROM held
)[[ ledger.close ]][% endif %], repeated AS (
  SELECT
    [[ key_as_repeated ]]
  FROM [[ contenders ]]
  WHERE
    [[ has_key ]]
  GROUP BY
    [[ key ]]
  HAVING
    COUNT(*) > 1
), redelivered AS (
  SELECT
    [[ row_as_repeated ]]
  FROM [[ contenders ]]
  GROUP BY
    [[ row ]]
  HAVING
    COUNT(*) > 1
)[% if dedupes %], contested AS (
  SELECT
    [[ contested ]],
    [[ key_was_repeated ]] AS _key_repeats
  FROM [[ contenders ]]
  LEFT JOIN repeated
    ON [[ key_is_repeated ]]
  LEFT JOIN redelivered
    ON [[ row_is_repeated ]]
  WHERE
    [[ key_was_repeated ]] OR [[ row_was_repeated ]]
), ranked AS (
  SELECT
    [[ delivery ]],
    [[ rank ]] AS _place
  FROM contested
  WHERE
    _key_repeats
), superseded AS (
  SELECT DISTINCT
    [[ delivery_as_lost ]]
  FROM ranked
  WHERE
    _place > 1
), rivals AS (
  SELECT
    [[ rivals ]],
    [[ was_lost ]] AS _is_superseded,
    [[ key_of_winner ]] AS _key_text
  FROM contested
  LEFT JOIN superseded
    ON [[ is_lost ]]
)[% else %], rivals AS (
  SELECT
    [[ rivals ]],
    [[ key_text ]] AS _key_text
  FROM [[ contenders ]]
  JOIN redelivered
    ON [[ row_is_repeated ]]
)[% endif %], deliveries AS (
  SELECT
    [[ delivery_as_own ]],
    [% if dedupes %]_is_superseded
    OR [% endif %][[ delivery_rank ]] > 1 AS _is_replaced,
    COUNT(*) OVER (PARTITION BY [[ delivery_on_a_line ]]) > 1 AS _is_repeated,
    MIN(_key_text) OVER (PARTITION BY [[ row_on_a_line ]]) <> MAX(_key_text) OVER (PARTITION BY [[ row_on_a_line ]]) AS _has_two_keys
  FROM rivals
)[% for unique in uniques %], [[ unique.name ]] AS (
  SELECT
    [[ unique.column ]]
  FROM (
    SELECT
      [[ unique.field ]]
    FROM coerced
    LEFT JOIN deliveries
      ON [[ is_delivery_deeper ]]
    WHERE
      [[ unique.filter ]][% if let Some(ledger) = ledger %][[ ledger.open ]]
    UNION ALL
    SELECT
      [[ unique.field ]]
    FROM held
    LEFT JOIN deliveries
      ON [[ is_delivery_deeper ]]
    WHERE
      [[ unique.filter_of_held ]][[ ledger.close ]][% endif %][[ unique.stored ]]
  ) AS survivors
  GROUP BY
    [[ unique.field ]]
  HAVING
    COUNT(*) > 1
)[% endfor %], rules AS (
  SELECT
    _source,
    _source_row_id,
    _load_id,
    [[ carried ]],
    [[ gates ]] AS _gates,[% if key_can_repeat %]
    [[ key_was_repeated ]] AS _key_repeats,[% endif %]
    _is_replaced[% for rule in rules %],
    [[ rule ]][% endfor %]
  FROM coerced[% if key_can_repeat %]
  LEFT JOIN repeated
    ON [[ key_is_repeated ]][% endif %]
  LEFT JOIN deliveries
    ON [[ is_delivery ]][% for unique in uniques %]
  LEFT JOIN [[ unique.name ]]
    ON [[ unique.on ]][% endfor %][% for probe in probes %]
  LEFT JOIN (
    SELECT DISTINCT
      [[ probe.columns ]]
    FROM [[ probe.from ]][% if let Some(filter) = probe.filter %]
    WHERE
      [[ filter ]][% endif %]
  ) AS [[ probe.alias ]]
    ON [[ probe.on ]][% endfor %][% if let Some(fence) = fence %]
  [[ fence ]][% endif %]
), masks AS (
  SELECT
    _source,
    _source_row_id,
    _load_id,
    [[ carried ]],
    _gates,[% if key_can_repeat %]
    _key_repeats,[% endif %]
    _is_replaced,
    [[ masks ]]
  FROM rules[% if let Some(fence) = fence %]
  [[ fence ]][% endif %]
)
SELECT
  _source,
  _source_row_id,
  _load_id,[% if let Some(values) = values %]
  [[ values ]],[% endif %]
  [[ route ]] AS _route,
  [[ kept_key ]] AS _key,[% if let Some(since) = since %]
  [[ since ]] AS _valid_from,[% endif %]
  [% if key_can_repeat %]_key_repeats[% else %]FALSE AS _key_repeats[% endif %],
  _gates,
  [[ mask_names ]],
  [[ delivered ]] AS _delivered[% if let Some(ledger) = ledger %],
  [[ ledger.run_at ]] AS _judged_at,
  [[ ledger.generation ]] AS _generation
FROM masks[[ ledger.open ]]
UNION ALL
SELECT
  _source,
  _source_row_id,
  _load_id,[% if let Some(values) = values %]
  [[ values ]],[% endif %]
  [[ ledger.route ]] AS _route,
  [[ ledger.key ]] AS _key,
  [% if key_can_repeat %][[ key_was_repeated ]][% else %]FALSE[% endif %] AS _key_repeats,
  _gates,
  [[ ledger.masks ]],
  NULL::BIGINT AS _delivered,
  [[ ledger.run_at ]] AS _judged_at,
  _generation
FROM [[ ledger.from ]][% if key_can_repeat %]
LEFT JOIN repeated
  ON [[ ledger.key_is_repeated ]][% endif %]
LEFT JOIN deliveries
  ON [[ ledger.is_delivery ]][[ ledger.close ]][% else %]
FROM masks[% endif %]
