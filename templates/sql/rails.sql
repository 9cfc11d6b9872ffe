[#- What a run would take from what is published, and no run may: one row for each rail. -#]
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
    '[[ loss.gate ]]' AS gate,
    [[ loss.what ]] AS what,
    '[[ loss.share ]]' AS share,
    [[ loss.was ]] AS was,
    [[ loss.lost ]] AS lost,
    [[ loss.share.parts ]] AS parts,
    [[ loss.share.whole() ]] AS whole
  [[ loss.from ]]
[% endfor %])
SELECT
  gate,
  lost::TEXT || ' of ' || was::TEXT || ' ' || what || ' of [[ entity ]] would be gone, and the rail is at ' || share || '; the variable assay_allow_loss lets a run through' AS _source_row_id,
  NULL AS _load_id
FROM losses
WHERE
  [[ breaks ]]
