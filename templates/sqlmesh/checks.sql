[#- What nobody can decide is listed and does not fail. -#]
[% if has_gates %]AUDIT (
  name assay_holds,
  dialect [[ dialect ]],
  blocking TRUE
);

/* [[ marker ]] */
SELECT
  *
FROM @this_model
WHERE
  _outcome <> 'undecided'[% endif %][% if has_gates && has_warnings %];

[% endif %][% if has_warnings %]AUDIT (
  name assay_should_hold,
  dialect [[ dialect ]],
  blocking FALSE
);

/* [[ marker ]] */
SELECT
  *
FROM @this_model
WHERE
  _outcome <> 'undecided'[% endif %]
