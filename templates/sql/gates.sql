[#- Facts that must stop a run, one row each; read from judged alone. -#]
SELECT
  CASE
    WHEN _gates & [[ repeated ]] <> 0
    THEN 'delivered_twice_in_one_load'
    ELSE 'ingestion_metadata'
  END AS gate,
  _source_row_id,
  _load_id
FROM [[ judged ]]
WHERE
  _gates <> 0
UNION ALL
SELECT
  'fail_rule' AS gate,
  _source_row_id,
  _load_id
FROM [[ judged ]]
WHERE
  _fail <> 0 AND _route <> 'deduped'
UNION ALL
SELECT
  'key_in_two_sources' AS gate,
  MIN(_source_row_id) AS _source_row_id,
  MIN(_load_id) AS _load_id
FROM [[ judged ]]
WHERE
  _route <> 'deduped' AND _key_repeats
GROUP BY
  _key::TEXT
HAVING
  MIN(_source) <> MAX(_source)
UNION ALL
SELECT
  'key_not_unique' AS gate,
  MIN(_source_row_id) AS _source_row_id,
  MIN(_load_id) AS _load_id
FROM [[ judged ]]
WHERE
  _route = 'admitted' AND _key_repeats
GROUP BY
  _key::TEXT
HAVING
  COUNT(*) > 1
UNION ALL
SELECT
  'conservation' AS gate,
  NULL AS _source_row_id,
  NULL AS _load_id
FROM [[ judged ]]
HAVING
  [[ lost ]]
