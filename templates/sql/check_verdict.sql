[#- What a check of finished relations says as a gate. -#]
SELECT
  [[ check ]] AS gate,
  CASE WHEN broken = 0 THEN 'pass' ELSE [[ outcome ]] END AS outcome,
  broken AS measured,
  NULL::BIGINT AS out_of,
  '0' AS threshold,
  CASE WHEN undecided > 0 THEN undecided::TEXT || ' undecided' END AS reason
FROM (
  SELECT
    COUNT(CASE WHEN _outcome <> 'undecided' THEN 1 END) AS broken,
    COUNT(CASE WHEN _outcome = 'undecided' THEN 1 END) AS undecided
  FROM [[ relation ]]
) AS listed
