AUDIT (
  name assay_gates,
  dialect [[ dialect ]],[% if has_ledger %]
  defaults (
    is_ledger = FALSE
  ),[% endif %]
  blocking TRUE
);

/* [[ marker ]] */
[[ gates ]];

[% if let Some(ceiling) = ceiling %]AUDIT (
  name assay_ceiling,
  dialect [[ dialect ]],[% if has_ledger %]
  defaults (
    ledger = ''
  ),[% endif %]
  blocking TRUE
);

[[ ceiling ]];

[% endif %]AUDIT (
  name assay_published,
  dialect [[ dialect ]],
  blocking TRUE
);

SELECT
  'key_not_unique' AS gate
FROM @this_model
WHERE
  @known
GROUP BY
  @key
HAVING
  COUNT(*) > 1
UNION ALL
SELECT
  'conservation' AS gate
FROM @this_model
HAVING
  COUNT(*) <> @members + (
    SELECT
      COUNT(*)
    FROM @judged
    WHERE
      _route = 'admitted'
  );

AUDIT (
  name assay_key_unique,
  dialect [[ dialect ]],
  blocking TRUE
);

SELECT
  'key_not_unique' AS gate
FROM @this_model
GROUP BY
  @key
HAVING
  COUNT(*) > 1;

AUDIT (
  name assay_kept,
  dialect [[ dialect ]],[% if has_ledger %]
  defaults (
    ledger = ''
  ),[% endif %]
  blocking TRUE
);

SELECT
  'conservation' AS gate,
  judged._source_row_id,
  judged._load_id
FROM @judged AS judged
LEFT JOIN @this_model AS held
  ON held.source_relation = judged._source
  AND held._source_row_id = judged._source_row_id
  AND held._load_id = judged._load_id
  AND held.resolved_at IS NULL
WHERE
  judged._route = 'quarantined'[% if has_ledger %]
  AND held.reject_id IS NULL
  AND NOT @assay_was_deleted(@ledger, judged._ingested_at)[% else %] AND held.reject_id IS NULL[% endif %][% if let Some(gates) = history_gates %];

AUDIT (
  name assay_history,
  dialect [[ dialect ]],
  blocking TRUE
);

[[ gates ]]
UNION ALL
SELECT
  'no_delivery' AS gate,
  COUNT(*)::TEXT AS _source_row_id,
  NULL AS _load_id
FROM @this_model
WHERE
  valid_to IS NULL AND _source_row_id <> '__unknown__'
HAVING
  COUNT(*) > 0
  AND NOT @assay_allows_empty(@entity)
  AND (
    SELECT
      COUNT(*)
    FROM @judged
  ) = 0[% endif %][% if has_freshness %];

AUDIT (
  name assay_freshness_warn,
  dialect [[ dialect ]],
  blocking FALSE
);

SELECT
  newest
FROM (
  SELECT
    MAX(arrived_at) AS newest
  FROM (
    SELECT
      [[ arrival ]] AS arrived_at
    FROM @this_model
  ) AS deliveries
  WHERE
    arrived_at <= CURRENT_TIMESTAMP AT TIME ZONE 'UTC'
) AS arrivals
WHERE
  newest IS NULL
  OR newest < CURRENT_TIMESTAMP AT TIME ZONE 'UTC' - [[ hour ]] * @hours;

AUDIT (
  name assay_freshness_error,
  dialect [[ dialect ]],
  blocking TRUE
);

SELECT
  newest
FROM (
  SELECT
    MAX(arrived_at) AS newest
  FROM (
    SELECT
      [[ arrival ]] AS arrived_at
    FROM @this_model
  ) AS deliveries
  WHERE
    arrived_at <= CURRENT_TIMESTAMP AT TIME ZONE 'UTC'
) AS arrivals
WHERE
  newest IS NULL
  OR newest < CURRENT_TIMESTAMP AT TIME ZONE 'UTC' - [[ hour ]] * @hours[% endif %]
