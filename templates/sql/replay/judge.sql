[#- What would become of each row that is held: `at` says how the framework names the parts. -#]
DROP TABLE IF EXISTS assay_replayed;
DROP TABLE IF EXISTS assay_passing;
DROP TABLE IF EXISTS assay_contest;

-- judged by the specs of today
CREATE TEMP TABLE assay_replayed AS
[[ at.rows ]];

-- an orphan that is stored already stays as it is unless it passes
DELETE FROM assay_replayed AS own
USING [[ at.stored ]] AS other
WHERE
  [[ at.same ]] AND own._route <> 'admitted';

CREATE TEMP TABLE assay_passing AS
SELECT
  *
FROM (
[[ at.admitted ]]
) AS admitted
WHERE
  _source_row_id <> '__unknown__';

-- and one whose verdict is what it was is no news
DELETE FROM assay_passing AS own
USING [[ at.stored ]] AS other
WHERE
  [[ at.same ]] AND own._quality_flags = other._quality_flags;

CREATE TEMP TABLE assay_contest AS
[[ at.contest ]];

-- a better row has its key
UPDATE assay_replayed AS own SET
  _route = 'deduped'
FROM assay_contest AS other
WHERE
  [[ at.same ]] AND other._is_replayed AND other._place > 1;

DELETE FROM assay_passing AS own
USING assay_contest AS other
WHERE
  [[ at.same ]] AND other._is_replayed AND other._place > 1
