[#- The parents that too few rows refer to. -#]
WITH _parents AS (
  SELECT
    [[ parents.columns ]]
  FROM [[ parents.relation ]][% if let Some(filter) = parents.filter %]
  WHERE
    [[ filter ]][% endif %]
), _referring AS (
  SELECT
    [[ children.columns ]],
    COUNT(*) AS _rows
  FROM [[ children.relation ]][% if let Some(filter) = children.filter %]
  WHERE
    [[ filter ]][% endif %]
  GROUP BY
    [[ children.columns ]]
)
SELECT
  [[ listed ]]
FROM _parents
LEFT JOIN _referring
  ON [[ refers ]]
WHERE
  [[ found ]]
