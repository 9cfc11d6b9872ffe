[#- The admitted rows, typed, in authored order. -#]
[% if let Some(coerced) = coerced %]WITH coerced AS (
  [[ coerced ]]
)
[% endif %]SELECT
  [[ columns ]]
FROM [% if coerced.is_some() %]coerced
JOIN [[ judged ]] AS judged
  ON [[ identity ]][% else %][[ judged ]] AS judged[% endif %]
WHERE
  judged._route = 'admitted'[% if let Some(since) = since %][[ since ]][% endif %][% if let Some(member) = unknown_member %]
UNION ALL
SELECT
  [[ member ]][% endif %]
