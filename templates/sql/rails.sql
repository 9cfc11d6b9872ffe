[#- What the rails say of a run: it may not take so much from what is published. A row for each rail. -#]
WITH published AS (
  SELECT
    [[ columns ]]
  FROM [[ published ]]
), candidate AS (
  SELECT
    [[ columns ]]
  FROM [[ judged ]]
  WHERE
    _route = 'admitted'
)[% if let Some(keys) = keys %], keys AS (
  SELECT
    [[ keys.texts ]]
  FROM published
  WHERE
    [[ keys.are_own ]]
), missing AS (
  SELECT
    [[ keys.names ]]
  FROM keys
  EXCEPT
  SELECT
    [[ keys.texts ]]
  FROM candidate
)[% endif %], counted_before AS (
  SELECT
    [[ counts ]]
  FROM published
), counted_after AS (
  SELECT
    [[ counts ]]
  FROM candidate
), losses AS (
[% for loss in losses %][% if !loop.first %]  UNION ALL
[% endif %]  SELECT
    [[ loss.gate ]] AS gate,
    [[ loss.what ]] AS what,
    '[[ loss.share ]]' AS share,
    [[ loss.was ]] AS was,
    [[ loss.lost ]] AS lost,
    [[ loss.share.parts ]] AS parts,
    [[ loss.share.whole() ]] AS whole
  [[ loss.from ]]
[% endfor %]), verdicts AS (
  SELECT
    gate,
    what,
    share,
    was,
    lost,
    CASE
      WHEN was = 0
      THEN 'skipped'
      WHEN lost * whole < was * parts
      THEN 'pass'
      WHEN [[ allowed ]]
      THEN 'warn'
      ELSE 'fail'
    END AS outcome
  FROM losses
)
SELECT
  gate,
  outcome,
  GREATEST(lost, 0) AS measured,
  was AS out_of,
  share AS threshold,
  CASE outcome
    WHEN 'skipped'
    THEN 'no ' || what || ' published before'
    WHEN 'warn'
    THEN 'let through by the variable assay_allow_loss'
    WHEN 'fail'
    THEN lost::TEXT || ' of ' || was::TEXT || ' ' || what || ' of [[ entity ]] would be gone, and the rail is at ' || share || '; the variable assay_allow_loss lets a run through'
  END AS reason
FROM verdicts
