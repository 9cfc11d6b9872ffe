[#- The groups whose totals do not agree. Both sides are stacked and grouped again, so that NULL is a group like others. -#]
WITH left_side AS (
  SELECT
    [[ left.source.columns ]]
  FROM [[ left.source.relation ]][% if let Some(filter) = left.source.filter %]
  WHERE
    [[ filter ]][% endif %][% if let Some(groups) = left.groups %]
  GROUP BY
    [[ groups ]][% endif %]
), right_side AS (
  SELECT
    [[ right.source.columns ]]
  FROM [[ right.source.relation ]][% if let Some(filter) = right.source.filter %]
  WHERE
    [[ filter ]][% endif %][% if let Some(groups) = right.groups %]
  GROUP BY
    [[ groups ]][% endif %]
), both_sides AS (
  SELECT
    [[ left.stacked ]]
  FROM left_side
  UNION ALL
  SELECT
    [[ right.stacked ]]
  FROM right_side
), compared AS (
  SELECT
    [[ compared ]]
  FROM both_sides[% if let Some(groups) = groups %]
  GROUP BY
    [[ groups ]][% endif %]
)
SELECT
  [[ listed ]]
FROM compared
WHERE
  [[ found ]]
