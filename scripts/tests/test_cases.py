"""The field reports, section by section, in both frameworks: fates, values, and the same rows in both."""

from pathlib import Path

import pytest

import harness
from case import Batch, Case, Refusal
from cases import a_reading, b_names, c_literals, d_casts, e_keys, f_rules
from harness import TARGETS, Target

SECTIONS = (a_reading, b_names, c_literals, d_casts, e_keys, f_rules)
CASES: list[Case] = [case for section in SECTIONS for case in section.CASES]
REFUSALS: list[Refusal] = [refusal for section in SECTIONS for refusal in getattr(section, "REFUSALS", [])]


@pytest.fixture(scope="module")
def batch(folder: Path) -> Batch:
    return Batch(CASES, folder)


@pytest.mark.parametrize("refusal", REFUSALS, ids=str)
def test_it_is_refused(refusal: Refusal, tmp_path: Path) -> None:
    refusal.verify(tmp_path)


def test_sqlmesh_cannot_have_a_column_named_like_a_template(tmp_path: Path) -> None:
    (case,) = [case for case in CASES if case.targets == ("dbt",)]
    specs = harness.write_specs(tmp_path / "specs", case.specs)
    outcome = harness.assay("generate", "--specs", specs, "--target", "sqlmesh", "--out", tmp_path)
    assert outcome.exit == 1
    assert "E0604" in outcome.output


@pytest.mark.parametrize("target", TARGETS)
def test_the_run_is_green(batch: Batch, target: Target) -> None:
    batch.verify_ran(target)


@pytest.mark.parametrize(("case", "target"), [(case, target) for case in CASES for target in case.targets], ids=str)
def test_every_row_meets_its_fate(batch: Batch, case: Case, target: Target) -> None:
    batch.verify(case, target)


@pytest.mark.parametrize("case", [case for case in CASES if case.targets == TARGETS], ids=str)
def test_both_frameworks_hold_the_same_rows(batch: Batch, case: Case) -> None:
    batch.compare(case)
