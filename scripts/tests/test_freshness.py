"""Freshness, asked of both frameworks: cases P30 and P31 of the corpus, and times that say nothing."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import Literal

import pytest

import harness
from case import rows, single
from harness import ENGINES, TARGETS, Engine, Outcome, Project, Target

Verdict = Literal["pass", "warn", "error"]
BOTH = "{warn_after: 2h, error_after: 1w}"


def at(*, offset: timedelta | None = timedelta(0), **ago: int) -> str:
    """A time so long ago, as a clock with this offset shows it; None: without saying so."""
    instant = datetime.now(timezone.utc) - timedelta(**ago)
    return instant.replace(tzinfo=None).isoformat() if offset is None else instant.astimezone(timezone(offset)).isoformat()


@dataclass(frozen=True)
class Case:
    arrivals: Sequence[str | None]
    verdict: Verdict
    freshness: str = BOTH


def cases() -> dict[str, Case]:
    winter, summer = timedelta(hours=1), timedelta(hours=2)
    return {
        # P30
        "empty": Case([], "error"),
        "all_null": Case([None, None], "error"),
        "old_and_null": Case([at(days=8), None], "error"),
        "late_and_null": Case([at(hours=3), None], "warn"),
        "empty_warns": Case([], "warn", "{warn_after: 2h}"),
        "all_null_warns": Case([None, None], "warn", "{warn_after: 2h}"),
        # P31: an offset is read; a time without one is UTC, whatever the zone of the session.
        "winter_90": Case([at(minutes=90, offset=winter)], "pass"),
        "winter_150": Case([at(minutes=150, offset=winter)], "warn"),
        "summer_90": Case([at(minutes=90, offset=summer)], "pass"),
        "summer_150": Case([at(minutes=150, offset=summer)], "warn"),
        "naive_90": Case([at(minutes=90, offset=None)], "pass"),
        "naive_150": Case([at(minutes=150, offset=None)], "warn"),
        # A time that is still to come, or is none, does not hide that nothing arrives.
        "future": Case([at(days=-30)], "error"),
        "future_and_old": Case([at(days=8), at(days=-30), "9999-12-31"], "error"),
        "future_and_late": Case([at(hours=3), at(hours=-1)], "warn"),
        "future_and_new": Case([at(minutes=5), at(days=-30)], "pass"),
        "unreadable": Case(["yesterday", "now", "infinity"], "error"),
        "unreadable_and_late": Case([at(hours=3), "2999", "tomorrow"], "warn"),
        # Weeks.
        "six_days": Case([at(days=6)], "pass", "{error_after: 1w}"),
        "eight_days": Case([at(days=8)], "error", "{error_after: 1w}"),
        "two_weeks_warn": Case([at(days=15)], "warn", "{warn_after: 2w, error_after: 3w}"),
    }


@cache
def told(folder: Path, engine: Engine, target: Target) -> tuple[Project, dict[str, Case]]:
    """A source for each case. What was built from held good times; then it became the case's."""
    specs = folder / "specs"
    for name, case in cases().items():
        documents = single(name, types="id: {type: string}\nn: {type: int}", mapping='n: {from: "$.n", transform: [to_int]}')
        mapping = documents[f"{name}_mapping.yaml"].replace("key:\n", f"freshness: {case.freshness}\nkey:\n", 1)
        harness.write_specs(specs / name, {**documents, f"{name}_mapping.yaml": mapping})
    project = harness.generate(specs, target, folder / f"{engine}_{target}", engine)
    project.warehouse.load_bronze({f"{name}_raw": rows({"n": "1"}, at=at(seconds=30)) for name in cases()})
    if target == "sqlmesh":
        project.run().ok()
    fixed = cases()
    for name, case in fixed.items():
        project.execute(f"DELETE FROM bronze.{name}_raw")
        delivered = rows(*({"n": "1", "_ingested_at": arrival} for arrival in case.arrivals))
        if delivered:
            project.warehouse.load_bronze({f"{name}_raw": delivered})
    return project, fixed


def ask(project: Project, *names: str) -> Outcome:
    if project.target == "dbt":
        selected = [f"source:bronze.{name}_raw" for name in names]
        return project.dbt("source", "freshness", *(["--select", *selected] if selected else []), warnings_fail=False)
    models = [argument for name in names for argument in ("--model", f'bronze."{name}_raw"')]
    return project.sqlmesh("audit", *models)


def verdicts(project: Project, outcome: Outcome) -> dict[str, str]:
    if project.target == "dbt":
        found = json.loads((project.folder / "target" / "sources.json").read_text(encoding="utf-8"))
        return {result["unique_id"].split(".")[-1].removesuffix("_raw"): result["status"] for result in found["results"]}
    audited = re.findall(r'assay_freshness_(\w+) on model bronze\."(\w+)_raw" \S+ (PASS|FAIL)', outcome.output)
    failed = {(name, threshold) for threshold, name, verdict in audited if verdict == "FAIL"}
    return {
        name: next((threshold for threshold in ("error", "warn") if (name, threshold) in failed), "pass") for _, name, _ in audited
    }


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("engine", ENGINES)
def test_each_case_has_its_verdict(folder: Path, engine: Engine, target: Target) -> None:
    project, expected = told(folder, engine, target)
    outcome = ask(project)
    assert verdicts(project, outcome) == {name: case.verdict for name, case in expected.items()}
    assert outcome.exit == 1
    for name in ("empty", "all_null", "old_and_null"):
        assert ask(project, name).exit == 1, name
    assert ask(project, *(name for name, case in expected.items() if case.verdict == "pass")).exit == 0
    # An audit that was asked for by hand fails, whether or not it would stop a run.
    warned = ask(project, *(name for name, case in expected.items() if case.verdict == "warn"))
    assert warned.exit == (0 if target == "dbt" else 1), warned.output


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_of_sqlmesh_stops_behind_what_is_too_old(folder: Path, engine: Engine) -> None:
    project, expected = told(folder, engine, "sqlmesh")
    # The plan was on the first day, so that nothing is due before the second.
    outcome = project.sqlmesh("run", "--ignore-cron", days=2)
    assert outcome.exit == 1
    skipped, failed = (
        set(re.findall(r'`"\w+"\."\w+"\."(\w+)"`', part)) for part in outcome.output.split("**Skipped models**")[1].split("**Failed models**")
    )
    too_old = {name for name, case in expected.items() if case.verdict == "error"}
    # What is no time at all is for the gates to find, where it did not come in time to be too old.
    without_time = {"late_and_null", "all_null_warns", "unreadable_and_late"}
    assert failed == {f"{name}_raw" for name in too_old} | {f"{name}__judged" for name in without_time}
    assert {f"{name}__judged" for name in too_old} <= skipped
    assert not any(name in skipped for name, case in expected.items() if case.verdict != "error" and name not in without_time)
    # A warning is printed and stops nothing.
    outcome = project.sqlmesh("run", "--ignore-cron", "--select-model", 'silver."summer_150"', days=3)
    assert outcome.exit == 0 and "assay_freshness_warn" in outcome.output, outcome.output
