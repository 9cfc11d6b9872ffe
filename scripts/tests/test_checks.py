"""`reconcile` and `coverage`: what they find in finished entities, by hand, and what a blocking one holds up. The entities of
the fixture are a history, an incremental one of two sources, and one that is built whole."""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest

import harness
from harness import ENGINES, TARGETS, Engine, Outcome, Project, Row, Target, delivered

SPECS = harness.ROOT / "fixtures" / "projects" / "depot_totals"

# Somebody's own model, which names the check that it waits for.
BELOW = {
    "dbt": """
-- depends_on: {{ ref('parcels_match__differences') }}
{{ config(materialized='table', schema='gold') }}
SELECT COUNT(*) AS parcels FROM {{ ref('parcel') }}
""",
    "sqlmesh": """
MODEL (name gold.below, kind FULL, depends_on (gold.parcels_match__differences, silver.parcel));
SELECT COUNT(*) AS parcels FROM silver.parcel
""",
}


def depot(no: str, kilos: str | None, updated: str = "2026-01-01") -> Row:
    return {"no": no, "kilos": kilos, "updated": updated}


def parcel(no: str, depot: str, group: str | None, kilos: str | None, pieces: str) -> Row:
    return {"no": no, "depot": depot, "group": group, "kilos": kilos, "pieces": pieces}


def tally(depot: str, group: str | None, parcels: str, average: str) -> Row:
    return {"depot": depot, "group": group, "parcels": parcels, "average": average}


FIRST = {
    "hub__depots": delivered(
        [
            depot("a", "4"),  # half a kilo more than its parcels, which is tolerated
            depot("b", "2.5"),  # a gram more than half a kilo less
            depot("c", "1"),
            depot("d", None),
            depot("e", "0"),
            depot("f", "9"),
            depot("g", None),
        ]
    ),
    "north__parcels": delivered(
        [
            parcel("a1", "a", "x", "1.25", "1"),
            parcel("a2", "a", "x", "2.25", "2"),
            parcel("b1", "b", "y", "3.001", "1"),
            parcel("b2", "b", "y", "0", "2"),
            parcel("b3", "b", "y", "0", "2"),
            parcel("c1", "c", "x", "heavy", "1"),  # quarantined
        ]
    )
    + delivered([parcel("a1", "a", "x", "100", "1")], load="l0", at="2025-12-31T00:00:00Z"),
    "south__parcels": delivered(
        [
            parcel("d1", "d", "x", "1", "4"),
            parcel("e1", "e", None, None, "2"),
            parcel("e2", "e", None, None, "3"),
            parcel("f1", "f", "z", "5", "5"),
            parcel("f2", "f", "z", "0", "5"),
            parcel("o1", "nowhere", "z", "7", "1"),  # goes to the unknown member
        ]
    ),
    "hub__tallies": [
        tally("a", "x", "2", "1.51"),  # 1.5 in truth, and 0.01 is tolerated
        tally("b", "y", "3", "1.68"),
        tally("c", "x", "0", "1"),
        tally("d", "x", "1", "4"),
        tally("e", None, "2", "2.5"),
        tally("f", "z", "2", "5"),
        tally("__unknown__", "z", "1", "1"),
    ],
}
# The scales of a depot were mended, and a parcel came that nobody has tallied.
SECOND = {
    "hub__depots": delivered([depot("f", "5", "2026-01-02")], load="l2", at="2026-01-02T00:00:00Z", prefix="s"),
    "north__parcels": delivered([parcel("a3", "a", "w", "0", "1")], load="l2", at="2026-01-02T00:00:00Z", prefix="s"),
}

KILOS = [
    ("__unknown__", "7", None, None, "left only"),
    ("b", "3.001", "2.5", "0.501", "differs"),
    ("c", None, "1", None, "right only"),
    ("d", "1", None, None, "undecided"),
    ("e", None, "0", None, "undecided"),
    ("g", None, None, None, "right only"),
]
AVERAGES = [
    ("b", "y", "1.666666", "1.68", "-0.013334", "differs"),
    ("c", "x", None, "1", None, "right only"),
]
COVERED = {
    "depots_have_parcels__uncovered": [("c", 0, "uncovered"), ("d", 1, "uncovered"), ("g", 0, "uncovered")],
    "depots_are_tallied__uncovered": [("g", 0, "uncovered")],
    "tallies_have_parcels__uncovered": [(None, "e", 0, "undecided")],
}
FOUND_FIRST = {
    "kilos_match__differences": [*KILOS[:5], ("f", "5", "9", "-4", "differs"), KILOS[5]],
    "averages_match__differences": AVERAGES,
    "parcels_match__differences": [],
    "parcels_total__differences": [],
    **COVERED,
}
FOUND_SECOND = {
    "kilos_match__differences": KILOS,
    "averages_match__differences": [("a", "w", "1", None, None, "left only"), *AVERAGES],
    "parcels_match__differences": [("w", "1", None, None, "left only")],
    "parcels_total__differences": [("12", "11", "1", "differs")],
    **COVERED,
}
# Failed and undecided, under the entity that each is counted for.
COUNTS = [
    ("depot", "(coverage)", "depots_are_tallied", "flag", 1, 0),
    ("depot", "(coverage)", "depots_have_parcels", "flag", 3, 0),
    ("parcel", "(reconcile)", "averages_match", "flag", 2, 0),
    ("parcel", "(reconcile)", "kilos_match", "flag", 5, 2),
    ("parcel", "(reconcile)", "parcels_match", "fail", 0, 0),
    ("parcel", "(reconcile)", "parcels_total", "flag", 0, 0),
    ("tally", "(coverage)", "tallies_have_parcels", "fail", 0, 1),
]


def run(project: Project) -> Outcome:
    """A check that flags is a warning of dbt's."""
    return project.dbt("build", warnings_fail=False) if project.target == "dbt" else project.run()


def found(project: Project) -> dict[str, list[tuple]]:
    return {name: sorted(project.query(f"select * from gold.{name}"), key=repr) for name in FOUND_FIRST}


def exact(expected: dict[str, list[tuple]]) -> dict[str, list[tuple]]:
    """Totals as decimals; keys and outcomes are texts that are no numbers."""

    def cell(value: object) -> object:
        is_number = isinstance(value, str) and value.lstrip("-").replace(".", "").isdigit()
        return Decimal(value) if is_number else value

    return {name: sorted((tuple(map(cell, row)) for row in rows), key=repr) for name, rows in expected.items()}


def normal(rows: dict[str, list[tuple]]) -> dict[str, list[tuple]]:
    def cell(value: object) -> object:
        return Decimal(format(value.normalize(), "f")) if isinstance(value, Decimal) else value

    return {name: sorted((tuple(map(cell, row)) for row in listed), key=repr) for name, listed in rows.items()}


@dataclass
class Days:
    project: Project
    first: Outcome
    found_first: dict[str, list[tuple]]
    counts_first: list[tuple]
    second: Outcome


@pytest.fixture(params=ENGINES, scope="module")
def days(folder: Path, request: pytest.FixtureRequest) -> dict[Target, Days]:
    engine: Engine = request.param
    projects = harness.generate_both(SPECS, folder / engine, engine)

    def both(project: Project) -> Days:
        below = project.folder / "models" / "below.sql"
        below.write_text(BELOW[project.target].lstrip(), encoding="utf-8")
        project.warehouse.load_bronze(FIRST)
        first = run(project)
        first.ok()
        found_first, counts_first = found(project), counts(project)
        project.warehouse.load_bronze(SECOND)
        return Days(project, first, found_first, counts_first, run(project))

    return harness.in_both(both, projects)


def counts(project: Project) -> list[tuple]:
    return project.query(
        "select entity, mapping, rule, disposition, rows_failed, rows_undecided from gold.mart_data_quality "
        "where mapping in ('(reconcile)', '(coverage)') order by entity, rule"
    )


@pytest.mark.parametrize("target", TARGETS)
def test_what_does_not_hold_is_listed(days: dict[Target, Days], target: Target) -> None:
    assert normal(days[target].found_first) == exact(FOUND_FIRST)
    assert normal(found(days[target].project)) == exact(FOUND_SECOND)


@pytest.mark.parametrize("target", TARGETS)
def test_it_is_counted_once(days: dict[Target, Days], target: Target) -> None:
    assert days[target].counts_first == COUNTS
    newest = days[target].project.query(
        "select rows_failed, rows_undecided, rows_evaluated, rows_quarantined, rows_deduped from gold.mart_data_quality "
        "where rule = 'parcels_match' order by rows_failed"
    )
    assert newest == [(0, 0, 0, 0, 0), (1, 0, 0, 0, 0)]


@pytest.mark.parametrize("target", TARGETS)
def test_it_is_in_the_record_of_gates(days: dict[Target, Days], target: Target) -> None:
    newest = days[target].project.query(
        "select gate, outcome, measured, reason from gold.quality_runs where gate in ('kilos_match', 'parcels_match')"
        " order by gate, asked_at"
    )
    assert newest == [
        ("kilos_match", "warn", 5, "2 undecided"),
        ("kilos_match", "warn", 4, "2 undecided"),
        ("parcels_match", "pass", 0, None),
        ("parcels_match", "fail", 1, None),
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_flagging_tells_and_failing_stops_what_waits(days: dict[Target, Days], target: Target) -> None:
    day = days[target]
    assert "kilos_match" in day.first.output, day.first.output
    assert day.second.exit != 0, day.second.output
    assert "parcels_match" in day.second.output, day.second.output
    assert day.project.query("select parcels from gold.below") == [(11,)]
    assert day.project.query("select count(*) from silver.parcel") == [(12,)]


def test_dbt_run_without_tests_is_stopped_too(days: dict[Target, Days]) -> None:
    project = days["dbt"].project
    outcome = project.dbt("run", "--select", "parcels_match__differences+")
    assert outcome.exit != 0 and "parcels_match does not hold" in outcome.output, outcome.output
    assert project.query("select parcels from gold.below") == [(11,)]
