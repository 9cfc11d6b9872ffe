AUDIT (
  name [[ name ]],
  dialect [[ dialect ]],
  blocking [[ blocking ]]
);

/* [[ marker ]] */
[[ body ]]
