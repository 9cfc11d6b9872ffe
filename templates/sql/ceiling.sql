[#- What the ceiling says of a run: a larger share of its rows may not be diverted. -#]
SELECT
  'quarantine_ceiling' AS gate,
  outcome,
  quarantined AS measured,
  evaluated AS out_of,
  '[[ share ]]' AS threshold,
  CASE outcome
    WHEN 'skipped'
    THEN 'no row was judged'
    WHEN 'warn'
    THEN 'let through by the variable assay_allow_quarantine'
    WHEN 'fail'
    THEN quarantined::TEXT || ' of ' || evaluated::TEXT || ' rows of [[ entity ]] were quarantined, more than its ceiling of [[ share ]]; the variable assay_allow_quarantine lets a run through'
  END AS reason
FROM (
  SELECT
    quarantined,
    evaluated,
    CASE
      WHEN evaluated = 0
      THEN 'skipped'
      WHEN quarantined * [[ whole ]] <= evaluated * [[ parts ]]
      THEN 'pass'
      WHEN [[ allowed ]]
      THEN 'warn'
      ELSE 'fail'
    END AS outcome
  FROM (
    SELECT
      COUNT(CASE WHEN _route = 'quarantined' THEN 1 END) AS quarantined,
      COUNT(*) AS evaluated
    FROM [[ judged ]]
    WHERE
      _route <> 'deduped'[[ pending ]]
  ) AS run
) AS judged_run
