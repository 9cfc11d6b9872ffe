[#- Facts that must stop a run, one row each; read from judged alone. -#]
SELECT
  CASE
    WHEN _gates & [[ repeated ]] <> 0
    THEN 'delivered_twice_in_one_load'
    WHEN _gates <> 0
    THEN 'ingestion_metadata'
    ELSE 'fail_rule'
  END AS gate,
  _source_row_id,
  _load_id
FROM [[ judged ]]
WHERE
  _gates <> 0 OR (
    _fail <> 0 AND _route <> 'deduped'
  )
UNION ALL
SELECT
  CASE
    WHEN MIN(_source) <> MAX(_source)
    THEN 'key_in_two_sources'
    ELSE 'key_not_unique'
  END AS gate,
  MIN(_source_row_id) AS _source_row_id,
  MIN(_load_id) AS _load_id
FROM [[ judged ]]
WHERE
  _route <> 'deduped' AND _key_repeats
GROUP BY
  _key::TEXT
HAVING
  MIN(_source) <> MAX(_source)
  OR COUNT(CASE WHEN _route = 'admitted' THEN 1 END) > 1
UNION ALL
SELECT
  'conservation' AS gate,
  NULL AS _source_row_id,
  NULL AS _load_id
FROM [[ judged ]]
HAVING
  [[ lost ]]
