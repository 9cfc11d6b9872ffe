[#- Rows that a replay would admit, against the stored rows of their keys: first places stay. -#]
WITH contenders AS (
  SELECT
    [[ columns ]],
    TRUE AS _is_replayed
  FROM [[ passing ]]
  UNION ALL
  SELECT
    [[ columns ]],
    FALSE AS _is_replayed
  FROM [[ entity ]] AS entity
  WHERE
    EXISTS(
      SELECT
        1
      FROM [[ passing ]] AS passing
      WHERE
        [[ same_key ]]
    )
    AND NOT EXISTS(
      SELECT
        1
      FROM [[ passing ]] AS passing
      WHERE
        [[ same_delivery ]]
    )
)
SELECT
  [[ identity ]],
  _is_replayed,
  [[ place ]] AS _place
FROM contenders
