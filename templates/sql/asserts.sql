[#- Alerts on the finished relation: a row for each assert that does not hold. -#]
[% for assert in asserts %][% if !loop.first %]
UNION ALL
[% endif %]SELECT
  [[ assert.name ]] AS assert,
  COUNT(*) AS row_count
FROM [[ entity ]]
WHERE
  [[ assert.violation ]]
HAVING
  COUNT(*) > 0[% endfor %]
