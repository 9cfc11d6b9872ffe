AUDIT (
  name [[ name ]],
  dialect [[ dialect ]],
  blocking FALSE
);

/* [[ marker ]] */
[[ body ]]
