[#- The deliveries that are held unresolved, as bronze had them, and those whose parent was not there. -#]
SELECT
  [[ columns ]]
FROM [[ reject ]] AS held
WHERE
  held.resolved_at IS NULL AND held.source_relation = [[ source ]][% if let Some(orphans) = orphans %]
UNION ALL
SELECT
  [[ orphans.columns ]]
FROM [[ orphans.bronze ]] AS delivered
JOIN [[ stored ]] AS stored
  ON stored._source_row_id = delivered._source_row_id::TEXT
  AND stored._load_id = delivered._load_id::TEXT
WHERE
  [[ orphans.are_flagged ]][% endif %]
