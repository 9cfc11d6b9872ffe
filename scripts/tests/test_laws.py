"""The laws on random dirty histories, against an oracle that reads no SQL: L1, L4, L6, L7, L8, L10. For each seed one set of 400
deliveries to each of four tables."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import harness
import histories
import oracle
from harness import ENGINES, RELEASES, ROOT, TARGETS, Engine, Outcome, Project, Relation, Target

SPECS = ROOT / "fixtures" / "laws"
ENTITIES = ("customer", "order", "payment")
RELATIONS = [name for entity in ENTITIES for name in (*harness.published(entity), f"silver.{entity}__judged")]
ROWS = 300

RUNS = [(release, target) for release in RELEASES for target in harness.targets_of(release)]

State = dict[str, Relation]


@dataclass
class Told:
    """One history, told in two waves with runs in between, and what was seen after each run."""

    projects: dict[Target, Project]
    outcomes: list[dict[Target, Outcome]]
    verdicts: list[oracle.Verdict]
    fates: list[dict[Target, dict[str, dict[str, str]]]]
    states: list[dict[Target, State]]
    apart: dict[str, list[str]]


def state(project: Project) -> State:
    return {name: project.warehouse.relation(name) for entity in ENTITIES for name in harness.published(entity)}


def tell(seed: int, folder: Path, engine: Engine) -> Told:
    """First wave, run, run again, second wave, run, a wave that must be refused, run."""
    projects = harness.generate_both(SPECS, folder, engine)
    history = histories.start(seed)
    told = Told(projects, [], [], [], [], {})

    def run(arriving: dict[str, list[dict[str, Any]]], *, looking: bool = True) -> None:
        for project in projects.values():
            project.warehouse.load_bronze(
                {table: [histories.columns(row) for row in rows] for table, rows in arriving.items()}
            )
        told.outcomes.append(harness.in_both(Project.run, projects))
        if looking:
            look()
        told.states.append({target: state(project) for target, project in projects.items()})

    def look() -> None:
        for target, outcome in told.outcomes[-1].items():
            assert outcome.exit == 0, f"{target} ended with exit {outcome.exit}\n{outcome.output[-4000:]}"
        told.verdicts.append(oracle.judge(history.bronze))
        told.fates.append(
            {
                target: {entity: harness.fates(project.warehouse, entity) for entity in ENTITIES}
                for target, project in projects.items()
            }
        )
        if len(projects) > 1:
            told.apart |= harness.apart(projects["dbt"].warehouse, projects["sqlmesh"].warehouse, RELATIONS)

    run(history.deliver(ROWS))
    run({}, looking=False)
    run(history.deliver(ROWS // 3))
    refused = {table: rows[:1] for table, rows in history.deliver(3).items()}
    for rows in refused.values():
        rows[0]["_ingested_at"] = "some day"
    run(refused, looking=False)
    return told


@cache
def remembered(seed: int, folder: Path, engine: Engine) -> Told | Exception:
    try:
        return tell(seed, folder / f"{engine}_{seed}", engine)
    except Exception as problem:
        return problem


def known(seed: int, folder: Path, engine: Engine) -> Told:
    found = remembered(seed, folder, engine)
    if isinstance(found, Exception):
        raise found
    return found


@pytest.fixture(params=ENGINES)
def told(seed: int, folder: Path, request: pytest.FixtureRequest) -> Told:
    return known(seed, folder, request.param)


@pytest.mark.parametrize("target", TARGETS)
def test_every_delivery_meets_the_fate_the_semantics_give_it(told: Told, target: Target) -> None:
    """L1, L6 and L7: each delivery once, with the strongest disposition and every failed rule."""
    for verdict, fates in zip(told.verdicts, told.fates, strict=True):
        for entity in ENTITIES:
            expected, found = verdict.fates[entity], fates[target][entity]
            wrong = {
                delivery: (expected.get(delivery), found.get(delivery))
                for delivery in expected.keys() | found.keys()
                if expected.get(delivery) != found.get(delivery)
            }
            assert not wrong, f"{entity}: (expected, found) {dict(sorted(wrong.items())[:10])}"


@pytest.mark.parametrize("target", TARGETS)
def test_every_admitted_row_holds_the_values_that_were_delivered(told: Told, target: Target) -> None:
    for run, verdict in ((0, told.verdicts[0]), (2, told.verdicts[1])):
        for entity in ENTITIES:
            rows = told.states[run][target][f"silver.{entity}"].dicts()
            found = {harness.delivery(row): row for row in rows}
            for delivery, expected in verdict.rows[entity].items():
                assert {name: found[delivery][name] for name in expected} == expected, (entity, delivery)


def test_both_frameworks_hold_the_same_rows(told: Told) -> None:
    """L8."""
    assert not told.apart


@pytest.mark.parametrize("target", TARGETS)
def test_both_engines_hold_the_same_rows(seed: int, folder: Path, target: Target) -> None:
    """L9."""
    one, other = (known(seed, folder, engine).projects[target].warehouse for engine in ENGINES)
    assert not harness.apart_by_engine(one, other, RELATIONS)


@pytest.mark.parametrize(("release", "target"), RUNS)
def test_other_releases_hold_the_same_rows(
    pytestconfig: pytest.Config, folder: Path, release: Engine, target: Target
) -> None:
    """L9 again, for one history, after each of its runs."""
    seed = pytestconfig.getoption("seed")
    one, other = known(seed, folder, RELEASES[release]), known(seed, folder, release)
    for before, after in zip(one.states, other.states, strict=True):
        for name in before[target]:
            left, right = (state[target][name].without(harness.RUN_DEPENDENT) for state in (before, after))
            assert not harness.differences(left, right), name
    assert not harness.apart_by_engine(one.projects[target].warehouse, other.projects[target].warehouse, RELATIONS)


@pytest.mark.parametrize("target", TARGETS)
def test_running_again_changes_nothing(told: Told, target: Target) -> None:
    """L4: no row and no timestamp."""
    for outcome in told.outcomes[1].values():
        outcome.ok()
    for name, before in told.states[0][target].items():
        assert not harness.differences(before, told.states[1][target][name]), name


@pytest.mark.parametrize("target", TARGETS)
def test_first_seen_never_moves_and_last_seen_never_moves_back(told: Told, target: Target) -> None:
    for entity in ENTITIES:
        name = f"silver.{entity}__reject"
        before = {row["reject_id"]: row for row in told.states[1][target][name].dicts()}
        after = {row["reject_id"]: row for row in told.states[2][target][name].dicts()}
        assert before.keys() <= after.keys()
        for reject_id, row in before.items():
            assert after[reject_id]["first_seen"] == row["first_seen"]
            newest = max(row["last_seen"], after[reject_id]["_ingested_at"])
            assert after[reject_id]["last_seen"] == newest


@pytest.mark.parametrize("target", TARGETS)
def test_a_refused_run_leaves_everything_as_it_was(told: Told, target: Target) -> None:
    """L10."""
    assert told.outcomes[3][target].exit != 0, told.outcomes[3][target].output
    for name, before in told.states[2][target].items():
        assert not harness.differences(before, told.states[3][target][name]), name


@pytest.mark.parametrize("target", TARGETS)
def test_the_counts_agree_with_the_rows(told: Told, target: Target) -> None:
    """Accounting: delivered = admitted + quarantined + deduped, per entity, in the newest good run and in the first."""
    project = told.projects[target]
    for entity in ENTITIES:
        counted = project.query(
            "select sum(rows_evaluated), sum(rows_quarantined), sum(rows_deduped) from gold.mart_data_quality"
            " where entity = ? group by run_id",
            [entity],
        )
        for verdict in told.verdicts:
            fates = list(verdict.fates[entity].values())
            deduped = fates.count("dedupe")
            quarantined = sum(fate.startswith("quarantine") for fate in fates)
            assert (len(fates) - deduped, quarantined, deduped) in counted, (entity, counted)


@pytest.mark.parametrize("target", TARGETS)
def test_the_failed_rows_of_a_rule_are_counted(told: Told, target: Target) -> None:
    project = told.projects[target]
    for entity in ENTITIES:
        for verdict in told.verdicts:
            expected: dict[str, int] = {}
            for fate in verdict.fates[entity].values():
                for rule in fate.partition(": ")[2].split(", ") if ": " in fate else []:
                    expected[rule] = expected.get(rule, 0) + 1
            runs = project.query(
                "select run_id, rule, sum(rows_failed) from gold.mart_data_quality"
                " where entity = ? and rows_failed > 0 group by 1, 2",
                [entity],
            )
            by_run: dict[str, dict[str, int]] = {}
            for run_id, rule, failed in runs:
                by_run.setdefault(run_id, {})[rule] = failed
            assert expected in by_run.values(), (entity, expected, by_run)
