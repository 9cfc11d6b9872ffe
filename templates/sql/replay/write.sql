[#- Entity, reject and judged change together. -#]
-- rows that are refused still, with the rules that they violate now
UPDATE [[ at.reject ]] AS own SET
  failed_rules = other.failed_rules,
  stage = other.stage,
  key_values = other.key_values,
  mapping_version = other.mapping_version,
  last_evaluated_at = [[ at.now ]]
FROM (
[[ at.news ]]
) AS other
WHERE
  own.reject_id = other.reject_id
  AND own.resolved_at IS NULL
  AND other.resolved_at IS NULL
  AND own.failed_rules <> other.failed_rules;

DELETE FROM [[ at.stored ]] AS own
USING assay_contest AS other
WHERE
  [[ at.same ]] AND NOT other._is_replayed AND other._place > 1;

DELETE FROM [[ at.stored ]] AS own
USING assay_passing AS other
WHERE
  [[ at.same ]];

INSERT INTO [[ at.stored ]] ([[ at.columns ]])
SELECT
  [[ at.columns ]]
FROM assay_passing;

UPDATE [[ at.reject ]] AS own SET
  resolved_at = [[ at.now ]],
  last_evaluated_at = [[ at.now ]],
  resolution = CASE WHEN other._route = 'admitted' THEN 'replayed' ELSE 'superseded' END
FROM assay_replayed AS other
WHERE
  own.resolved_at IS NULL
  AND own.source_relation = other._source
  AND own._source_row_id = other._source_row_id
  AND own._load_id = other._load_id
  AND other._route <> 'quarantined';

UPDATE [[ at.judged ]] AS own SET
  _route = 'deduped'[[ at.judged_now ]]
FROM assay_contest AS other
WHERE
  [[ at.same ]] AND NOT other._is_replayed AND other._place > 1;

DELETE FROM [[ at.judged ]] AS own
USING assay_replayed AS other
WHERE
  own._source = other._source
  AND own._source_row_id = other._source_row_id
  AND own._load_id = other._load_id;

INSERT INTO [[ at.judged ]] ([[ at.judged_columns ]])
SELECT
  [[ at.judged_columns ]]
FROM assay_replayed
