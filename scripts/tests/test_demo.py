"""The demo that a newcomer runs first."""

import os
import subprocess

from harness import BINARY, ROOT


def test_the_demo_ends_with_two_projects_that_agree() -> None:
    done = subprocess.run(
        [ROOT / "scripts" / "demo"],
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
        assert any(line.startswith(entity) and " ok " in line for line in done.stdout.splitlines()), done.stdout
