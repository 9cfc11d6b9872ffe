[#- The diverted rows, and the end of those that are diverted no longer. -#]
WITH diverted AS ([% for input in inputs %][% if !loop.first %]
  UNION ALL[% endif %]
  SELECT
    [[ input.columns ]]
  FROM [[ judged ]] AS judged
  JOIN [[ input.bronze ]] AS delivered
    ON delivered._source_row_id::TEXT = judged._source_row_id
    AND delivered._load_id::TEXT = judged._load_id
  WHERE
    [[ input.filter ]][% endfor %]
), held AS (
  [[ held ]]
), settled AS (
  SELECT
    held.reject_id,
    CASE
      WHEN MAX(CASE WHEN judged._route = 'admitted' THEN 1 ELSE 0 END) = 1
      THEN 'admitted'
      ELSE 'superseded'
    END AS resolution
  FROM held
  JOIN [[ judged ]] AS judged
    ON judged._source = held.source_relation
    AND judged._source_row_id = held._source_row_id
  WHERE
    held.resolved_at IS NULL[% if let Some(since) = settled_since %][[ since ]][% endif %]
  GROUP BY
    held.reject_id
  HAVING
    MAX(CASE WHEN judged._route = 'quarantined' THEN 1 ELSE 0 END) = 0[% if settled_since.is_some() %]
    AND MAX(
      CASE
        WHEN judged._load_id = held._load_id AND judged._route <> 'quarantined'
        THEN 1
        ELSE 0
      END
    ) = 1[% endif %]
)
SELECT
  [[ diverted_columns ]],
  COALESCE(held.first_seen, diverted._ingested_at) AS first_seen,
  GREATEST(held.last_seen, diverted._ingested_at) AS last_seen,
  [[ run_at ]] AS last_evaluated_at,
  NULL::TIMESTAMP AS resolved_at,
  NULL::TEXT AS resolution
FROM diverted
LEFT JOIN held
  ON held.reject_id = diverted.reject_id
WHERE
  [[ is_news ]]
UNION ALL
SELECT
  [[ held_columns ]],
  held.first_seen,
  held.last_seen,
  [[ run_at ]] AS last_evaluated_at,
  [[ run_at ]] AS resolved_at,
  settled.resolution
FROM held
JOIN settled
  ON settled.reject_id = held.reject_id
