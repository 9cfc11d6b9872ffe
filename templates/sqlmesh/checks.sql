[#- What nobody can decide is listed and does not fail. -#]
AUDIT (
  name assay_holds,
  dialect [[ dialect ]],
  blocking TRUE
);

/* [[ marker ]] */
SELECT
  *
FROM @this_model
WHERE
  _outcome <> 'undecided'
