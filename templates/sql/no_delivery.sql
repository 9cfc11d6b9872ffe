[#- A bronze that came empty is a load that failed. -#]
SELECT
  'no_delivery' AS gate,
  CASE
    WHEN versions = 0
    THEN 'skipped'
    WHEN deliveries > 0
    THEN 'pass'
    WHEN [[ allowed ]]
    THEN 'warn'
    ELSE 'fail'
  END AS outcome,
  deliveries AS measured,
  NULL::BIGINT AS out_of,
  '1' AS threshold,
  CASE
    WHEN versions = 0
    THEN 'nothing published before'
    WHEN deliveries = 0
    THEN versions::TEXT || ' versions stand open and nothing was delivered; the variable assay_allow_empty lets a run through'
  END AS reason
FROM (
  SELECT
    (
      SELECT
        COUNT(*)
      FROM [[ history ]]
      WHERE
        valid_to IS NULL AND _source_row_id <> '__unknown__'
    ) AS versions,
    (
      SELECT
        COUNT(*)
      FROM [[ judged ]]
    ) AS deliveries
) AS counted
