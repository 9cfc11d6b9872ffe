AUDIT (
  name assay_gates,
  dialect duckdb,
  blocking TRUE
);

/* [[ marker ]] */
[[ gates ]];

AUDIT (
  name assay_published,
  dialect duckdb,
  blocking TRUE
);

SELECT
  'key_not_unique' AS gate
FROM @this_model
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
  dialect duckdb,
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
  dialect duckdb,
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
  judged._route = 'quarantined' AND held.reject_id IS NULL
