[#- The admitted rows, typed, in authored order. -#]
WITH coerced AS (
  [[ coerced ]]
)
SELECT
  [[ columns ]]
FROM coerced
JOIN [[ judged ]] AS judged
  ON [[ identity ]]
WHERE
  judged._route = 'admitted'[% if let Some(member) = unknown_member %]
UNION ALL
SELECT
  [[ member ]][% endif %]
