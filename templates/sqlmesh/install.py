"""[[ marker ]]

What the conversions call. `metadata_only`: a change here changes no model's data.
"""

from sqlmesh import macro

INPUT_IS_VALID = """\
[[ statement ]]
"""


@macro(metadata_only=True)
def assay_install(evaluator):
    """Runs before the models that convert. It is sent from here, because SQLMesh cannot parse it."""
    if evaluator.runtime_stage in ("before_all", "creating", "evaluating"):
        evaluator.engine_adapter.execute(INPUT_IS_VALID)
    return []
