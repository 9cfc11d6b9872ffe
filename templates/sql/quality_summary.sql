[#- One row per run and entity: was the run good, and what became of its rows. -#]
WITH gates AS (
  SELECT
    run_id,
    entity,
    MAX(run_at) AS run_at,
    MAX(asked_at) AS asked_at,
    MAX(CASE WHEN gate = 'conservation' THEN rule_set END) AS rule_set,
    COUNT(CASE WHEN outcome = 'pass' THEN 1 END) AS gates_passed,
    COUNT(CASE WHEN outcome = 'warn' THEN 1 END) AS gates_warned,
    COUNT(CASE WHEN outcome = 'fail' THEN 1 END) AS gates_failed,
    COUNT(CASE WHEN outcome = 'skipped' THEN 1 END) AS gates_skipped,
    MIN(CASE WHEN outcome = 'fail' THEN gate END) AS stopped_by
  FROM [[ runs ]]
  GROUP BY
    run_id,
    entity
), counts AS (
  SELECT
    run_id,
    entity,
    SUM(rows_evaluated)::BIGINT AS rows_evaluated,
    SUM(rows_quarantined)::BIGINT AS rows_quarantined,
    SUM(rows_deduped)::BIGINT AS rows_deduped
  FROM [[ mart ]]
  WHERE
    rule = '(entity)'
  GROUP BY
    run_id,
    entity
)
SELECT
  gates.run_id,
  gates.run_at,
  gates.entity,
  CASE
    WHEN gates.gates_failed > 0
    THEN 'fail'
    WHEN gates.gates_warned > 0
    THEN 'warn'
    ELSE 'pass'
  END AS outcome,
  gates.stopped_by,
  gates.gates_passed,
  gates.gates_warned,
  gates.gates_failed,
  gates.gates_skipped,
  counts.rows_evaluated,
  counts.rows_quarantined,
  counts.rows_deduped,
  gates.rule_set,
  gates.asked_at = MAX(gates.asked_at) OVER (PARTITION BY gates.entity) AS is_latest
FROM gates
LEFT JOIN counts
  ON counts.run_id = gates.run_id AND counts.entity = gates.entity
