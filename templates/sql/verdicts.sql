[#- What gates say that count facts, one row a gate. -#]
SELECT
  gates.gate,
  CASE WHEN COUNT(facts.gate) = 0 THEN 'pass' ELSE 'fail' END AS outcome,
  COUNT(facts.gate) AS measured,
  NULL::BIGINT AS out_of,
  '0' AS threshold,
  'for example ' || MIN(facts._source_row_id) AS reason
FROM (VALUES [[ gates ]]) AS gates(gate)
LEFT JOIN (
  [[ facts ]]
) AS facts
  ON facts.gate = gates.gate
GROUP BY
  gates.gate
