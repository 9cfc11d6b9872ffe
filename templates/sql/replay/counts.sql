[#- Of what is held: admitted, superseded, still refused; and stored orphans with another verdict. -#]
SELECT
  COALESCE(SUM(CASE WHEN own._route = 'admitted' THEN 1 ELSE 0 END), 0),
  COALESCE(SUM(CASE WHEN own._route = 'deduped' THEN 1 ELSE 0 END), 0),
  COALESCE(SUM(CASE WHEN own._route = 'quarantined' THEN 1 ELSE 0 END), 0),
  (SELECT COUNT(*) FROM assay_passing AS own JOIN [[ at.stored ]] AS other ON [[ at.same ]])
FROM assay_replayed AS own
JOIN [[ at.reject ]] AS held
  ON held.source_relation = own._source
  AND held._source_row_id = own._source_row_id
  AND held._load_id = own._load_id
  AND held.resolved_at IS NULL
