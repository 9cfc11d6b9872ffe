[#- Keys that the entity would have more than once. -#]
SELECT
  COUNT(*)
FROM (
  SELECT
    [[ at.key ]]
  FROM (
    SELECT
      [[ at.key_and_identity ]]
    FROM [[ at.stored ]] AS own
    WHERE
      NOT EXISTS(SELECT 1 FROM assay_contest AS other WHERE [[ at.same ]] AND NOT other._is_replayed AND other._place > 1)
      AND NOT EXISTS(SELECT 1 FROM assay_passing AS other WHERE [[ at.same ]])
    UNION ALL
    SELECT
      [[ at.key_and_identity ]]
    FROM assay_passing
  ) AS stored_then
  WHERE
    [[ at.own_key ]]
  GROUP BY
    [[ at.key ]]
  HAVING
    COUNT(*) > 1
) AS twice
