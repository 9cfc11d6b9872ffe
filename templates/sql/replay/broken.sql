[#- Rows at `fail` that would be admitted, and one of them. -#]
SELECT
  COUNT(*),
  MIN(_source_row_id)
FROM assay_replayed
WHERE
  _route = 'admitted' AND _fail <> 0
