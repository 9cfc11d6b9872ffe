AUDIT (
  name assay_gates,
  dialect [[ dialect ]],
  blocking TRUE
);

/* [[ marker ]] */
SELECT
  *
FROM @assay_broken(@this_model)[% if has_freshness %];

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
