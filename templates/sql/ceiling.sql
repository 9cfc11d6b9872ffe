[#- The fact that a larger share of the rows was diverted than the entity allows; of 0 rows, none was. -#]
SELECT
  'quarantine_ceiling' AS gate,
  [[ told ]] AS _source_row_id,
  NULL AS _load_id
FROM (
  SELECT
    COUNT(CASE WHEN _route = 'quarantined' THEN 1 END) AS quarantined,
    COUNT(*) AS evaluated
  FROM [[ judged ]]
  WHERE
    _route <> 'deduped'[[ pending ]]
) AS run
WHERE
  quarantined * [[ whole ]] > evaluated * [[ parts ]]
  AND NOT [[ allowed ]]
