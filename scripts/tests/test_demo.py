"""The demo that a newcomer runs first."""

import os
import subprocess

import pytest

from harness import BINARY, ENGINES, ROOT, Engine


@pytest.mark.parametrize("engine", ENGINES)
def test_the_demo_ends_with_two_projects_that_agree(engine: Engine) -> None:
    done = subprocess.run(
        [ROOT / "scripts" / "demo", "--engine", engine],
        env={**os.environ, "ASSAY_BINARY": str(BINARY)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=600,
    )
    assert done.returncode == 0, done.stdout
    assert "dbt and SQLMesh agree on all" in done.stdout
    for entity in ("customer", "order", "order_line", "stock_level"):
        sums = [line for line in done.stdout.splitlines() if line.startswith(f"{entity} ") and " = " in line]
        assert len(sums) == 3 and all(" ok " in line for line in sums), done.stdout
    assert "order_line: replayed " in done.stdout
