[#- The typed values of every delivery. -#]
[% for cte in ctes %][% if loop.first %]WITH [% else %], [% endif %][[ cte.name ]] AS (
  SELECT
    [[ cte.columns ]]
  FROM [[ cte.from ]][% if let Some(filter) = cte.filter %]
  WHERE
    [[ filter ]][% endif %][% if let Some(fence) = fence %]
  [[ fence ]][% endif %]
)[% if loop.last %]
[% endif %][% endfor %][% for select in selects %][% if !loop.first %]
UNION ALL
[% endif %]SELECT
  [[ select.columns ]]
FROM [[ select.from ]][% endfor %]
