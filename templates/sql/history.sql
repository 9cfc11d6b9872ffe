[#- The versions that begin with this run: of a key that has none, or whose newest one is another. -#]
WITH admitted AS (
  [[ admitted ]]
), versions AS (
  [[ versions ]]
), ended AS (
  SELECT
    [[ key ]],
    MAX(valid_to) AS _ended_at
  FROM versions
  GROUP BY
    [[ key ]]
)
SELECT
  [[ published ]]
FROM admitted
LEFT JOIN versions AS latest
  ON [[ is_latest ]]
LEFT JOIN ended
  ON [[ has_ended ]]
WHERE
  [[ begins ]]
