[#- Facts that no history may show, one row each. -#]
SELECT
  'version_without_time' AS gate,
  COUNT(*)::TEXT AS _source_row_id,
  NULL AS _load_id
FROM [[ history ]]
WHERE
  valid_from IS NULL OR valid_to <= valid_from
HAVING
  COUNT(*) > 0
UNION ALL
SELECT
  'versions_overlap' AS gate,
  COUNT(*)::TEXT AS _source_row_id,
  NULL AS _load_id
FROM (
  SELECT
    valid_to,
    LEAD(valid_from) OVER (PARTITION BY [[ key ]] ORDER BY valid_from) AS next_from
  FROM [[ history ]]
) AS versions
WHERE
  next_from < COALESCE(valid_to, '9999-12-31'::TIMESTAMP)
HAVING
  COUNT(*) > 0
