[#- What a run would take from what is published, and no run may; a row for each rail that it breaks.
    `was` and `now` count the same columns. -#]
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
)[% if deleted.is_some() %], keys AS (
  SELECT
    [[ key ]]
  FROM published
  WHERE
    [[ has_own_key ]]
), missing AS (
  SELECT
    [[ key_names ]]
  FROM keys
  EXCEPT
  SELECT
    [[ key ]]
  FROM candidate
)[% endif %], was AS (
  SELECT
    [[ counts ]]
  FROM published
), now AS (
  SELECT
    [[ counts ]]
  FROM candidate
), losses AS (
[% for loss in losses %][% if !loop.first %]  UNION ALL
[% endif %]  SELECT
    '[[ loss.gate ]]' AS gate,
    [[ loss.what ]] AS what,
    [[ loss.share ]] AS share,
    [[ loss.was ]] AS was,
    [[ loss.lost ]] AS lost,
    [[ loss.parts ]] AS parts,
    [[ loss.whole ]] AS whole
  [[ loss.from ]]
[% endfor %])
SELECT
  gate,
  lost::TEXT || ' of ' || was::TEXT || ' ' || what || ' of [[ entity ]] would be gone, and its rail is ' || share || '; the variable assay_allow_loss lets a run through' AS _source_row_id,
  NULL AS _load_id
FROM losses
WHERE
  was > 0
  AND lost * whole >= was * parts
  AND NOT [[ allowed ]]
