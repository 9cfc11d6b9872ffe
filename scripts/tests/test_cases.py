"""The field reports, section by section, in both frameworks: fates, values, and the same rows in both."""

from pathlib import Path

import pytest

import harness
from case import Batches, Case, Refusal
from cases import a_reading, b_names, c_literals, d_casts, e_keys, f_rules, g_catalog
from harness import ENGINES, TARGETS, Engine, Target

SECTIONS = (a_reading, b_names, c_literals, d_casts, e_keys, f_rules, g_catalog)
CASES: list[Case] = [case for section in SECTIONS for case in section.CASES]
REFUSALS: list[Refusal] = [refusal for section in SECTIONS for refusal in getattr(section, "REFUSALS", [])]


@pytest.fixture(scope="module")
def batches(folder: Path) -> Batches:
    return Batches(CASES, folder)


@pytest.mark.parametrize("refusal", REFUSALS, ids=str)
def test_it_is_refused(refusal: Refusal, tmp_path: Path) -> None:
    refusal.verify(tmp_path)


def test_sqlmesh_cannot_have_a_column_named_like_a_template(tmp_path: Path) -> None:
    (case,) = [case for case in CASES if case.targets == ("dbt",)]
    specs = harness.write_specs(tmp_path / "specs", case.specs)
    outcome = harness.assay("generate", "--specs", specs, "--target", "sqlmesh", "--out", tmp_path)
    assert outcome.exit == 1
    assert "E0604" in outcome.output


def test_postgresql_has_no_room_for_long_names(tmp_path: Path) -> None:
    for case in CASES:
        if "postgres" not in case.engines:
            outcome = harness.check(harness.write_specs(tmp_path / case.name, case.specs), "postgres")
            assert outcome.exit == 1
            assert "E0216" in outcome.output


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("engine", ENGINES)
def test_the_run_is_green(batches: Batches, engine: Engine, target: Target) -> None:
    batches[engine].verify_ran(target)


def runs_of(case: Case) -> list[tuple[Engine, Case, Target]]:
    return [(engine, case, target) for engine in case.engines for target in case.targets]


@pytest.mark.parametrize(("engine", "case", "target"), [run for case in CASES for run in runs_of(case)], ids=str)
def test_every_row_meets_its_fate(batches: Batches, engine: Engine, case: Case, target: Target) -> None:
    batches[engine].verify(case, target)


@pytest.mark.parametrize(
    ("engine", "case"),
    [(engine, case) for case in CASES if case.targets == TARGETS for engine in case.engines],
    ids=str,
)
def test_both_frameworks_hold_the_same_rows(batches: Batches, engine: Engine, case: Case) -> None:
    batches[engine].compare(case)


@pytest.mark.parametrize(
    ("case", "target"),
    [(case, target) for case in CASES if case.engines == ENGINES for target in case.targets],
    ids=str,
)
def test_both_engines_hold_the_same_rows(batches: Batches, case: Case, target: Target) -> None:
    batches.compare(case, target)
