"""L3, L4 and L5 on 3,000 random histories for each seed, framework and engine: a key is a history of its own, and one project
tells all of them at once.

An incremental project gets the deliveries in four batches, runs, and runs again; then rules are relaxed, and it is replayed
twice. Beside it two projects are built from all of bronze, one by the strict rules and one by the relaxed ones. What differs
is told as the whole history of the smallest key it differs in.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import harness
from harness import ENGINES, TARGETS, Engine, Project, Relation, Row, Target
from keyed_histories import ENTITY_OF, PER_METER, Delivery, Seen, Teller, see

BATCHES = 4
HISTORIES = 1000  # of each entity

# Ordered by a field that may be missing or go back; by nothing, so that keys must be unique; and from two sources.
# Readings arrive within the lag, so that runs read a part of bronze. The others come at any time.
MODEL = """
spec_version: 1
entities:
  meter:
    grain: one row per meter
    key: [meter]
    fields: {{meter: {{type: string}}}}
  reading:
    grain: one row per meter and day
    key: [meter, day]
    fields: {{meter: {{type: string}}, day: {{type: date}}, version: {{type: int}}, kwh: {{type: "decimal(9,2)"}}}}
    dedupe: {{keep: latest_by, field: version, tie_break: [kwh]}}
    quarantine: {{retention: 36500d}}
    quality:
      - {{rule: expression, name: kwh_is_plausible, expr: "kwh < {most}", on_fail: quarantine}}
      - {{rule: referential, via: reading_meter, on_missing: quarantine}}{lag}{materialization}
  event:
    grain: one row per event
    key: [event_no]
    fields: {{event_no: {{type: string}}, label: {{type: string}}}}
    quarantine: {{retention: 36500d}}{materialization}
  booking:
    grain: one row per booking
    key: [booking_no]
    fields: {{booking_no: {{type: string}}, seat: {{type: string}}, people: {{type: int}}}}
    dedupe: {{keep: latest_by, field: _ingested_at, tie_break: [_load_id]}}
    quarantine: {{retention: 36500d}}{materialization}
relationships:
  - {{name: reading_meter, from: reading, to: meter, via: {{meter: meter}}, cardinality: many_to_one}}
"""
METADATA = 'unmapped: ["$._load_id", "$._ingested_at", "$._source_row_id"]\n'
MAPPINGS = {
    "meters": """
target: meter
key: {{meter: {{from: "$.meter"}}}}
""",
    "readings": """
target: reading
key: {{meter: {{from: "$.meter"}}, day: {{from: "$.day", transform: [{{parse_date: ISO8601}}]}}}}
fields:
  version: {{from: "$.version", transform: [to_int]}}
  kwh: {{from: "$.kwh", transform: [{{to_decimal: [9, 2]}}]}}
""",
    "events": """
target: event
key: {{event_no: {{from: "$.no"}}}}
fields: {{label: {{from: "$.label", quality: [{{rule: unique, on_fail: quarantine}}, {{rule: length, max: 3, on_fail: {long}}}]}}}}
""",
    "desk": """
target: booking
key: {{booking_no: {{from: "$.no"}}}}
fields:
  seat: {{from: "$.seat", quality: [{{rule: pattern, regex: '^[A-C][0-9]$', on_fail: quarantine}}]}}
  people: {{from: "$.people", transform: [to_int], quality: [{{rule: range, max: {people}, on_fail: quarantine}}]}}
""",
    "phone": """
target: booking
key: {{booking_no: {{from: "$.no"}}}}
fields:
  seat: {{from: "$.seat", quality: [{{rule: length, max: 2, on_fail: flag}}]}}
  people: {{from: "$.people", transform: [to_int]}}
""",
}
ENTITIES = ("reading", "event", "booking")
STRICT = {"most": 900, "long": "quarantine", "people": 4}
RELAXED = {"most": 960, "long": "flag", "people": 8}
ORPHAN = "reading_meter_referential"


def specs(folder: Path, rules: dict[str, Any], *, is_incremental: bool) -> Path:
    lines = {
        "lag": "\n    arrival_lag: 12h" if is_incremental else "",
        "materialization": "\n    materialization: incremental_by_key" if is_incremental else "",
    }
    documents = {"model.yaml": MODEL.format(**lines, **rules)}
    for source, text in MAPPINGS.items():
        documents[f"{source}.yaml"] = f"mapping_version: 1\nsource: {source}\n{text.format(**rules).lstrip()}{METADATA}"
    return harness.write_specs(folder, documents)


def see_all(project: Project) -> dict[str, Seen]:
    return {entity: see(project, entity) for entity in ENTITIES}


def relations(project: Project) -> dict[str, Relation]:
    return {name: project.warehouse.relation(name) for entity in ENTITIES for name in harness.published(entity)}


@dataclass(frozen=True)
class Told:
    batched: dict[str, Seen]
    replayed: dict[str, Seen]
    # Relations before and after a run that finds nothing new, and after the first and the second replay.
    before: dict[str, Relation]
    again: dict[str, Relation]
    once: dict[str, Relation]
    twice: dict[str, Relation]
    # Deliveries that each run has read, by entity.
    read: dict[str, list[int]]


def load(project: Project, found: Iterable[Delivery]) -> None:
    tables: dict[str, list[Row]] = {}
    for delivery in found:
        tables.setdefault(delivery.source, []).append(delivery.row)
    project.warehouse.load_bronze(tables)


@cache
def histories(seed: int) -> list[Delivery]:
    return Teller(seed, HISTORIES, BATCHES).found


def tell(project: Project, folder: Path, seed: int) -> Told:
    for batch in range(BATCHES):
        load(project, [delivery for delivery in histories(seed) if delivery.batch == batch])
        project.run().ok()
    batched, before = see_all(project), relations(project)
    project.run().ok()
    again = relations(project)
    read = {
        entity: [int(count) for (count,) in project.query(
            "select sum(rows_evaluated + rows_deduped) from gold.mart_data_quality where entity = ? group by run_id, run_at order by run_at",
            [entity],
        )]
        for entity in ENTITIES
    }
    relaxed = specs(folder / f"relaxed_{project.target}", RELAXED, is_incremental=True)
    harness.assay("generate", "--specs", relaxed, "--target", project.target, *harness.FLAGS[project.engine], "--out", project.folder).ok()
    project.replay().ok()
    replayed, once = see_all(project), relations(project)
    project.replay().ok()
    return Told(batched, replayed, before, again, once, relations(project), read)


@cache
def remembered(seed: int, folder: Path, engine: Engine) -> dict[Target, Told] | Exception:
    try:
        return tell_all(seed, folder, engine)
    except Exception as problem:
        return problem


def told(seed: int, folder: Path, engine: Engine) -> dict[Target, Told]:
    found = remembered(seed, folder, engine)
    if isinstance(found, Exception):
        raise found
    return found


def tell_all(seed: int, folder: Path, engine: Engine) -> dict[Target, Told]:
    folder = folder / f"{engine}_{seed}"
    projects = harness.generate_both(specs(folder / "specs", STRICT, is_incremental=True), folder, engine)
    with ThreadPoolExecutor(len(projects)) as pool:
        waiting = {target: pool.submit(tell, project, folder, seed) for target, project in projects.items()}
        return {target: future.result() for target, future in waiting.items()}


@cache
def rebuilt(seed: int, folder: Path) -> tuple[dict[str, Seen], dict[str, Seen]]:
    """All of bronze at once on DuckDB: by the strict rules in dbt, by the relaxed ones in SQLMesh."""
    rules: dict[Target, dict[str, Any]] = {"dbt": STRICT, "sqlmesh": RELAXED}
    projects = {}
    for target in TARGETS:
        own = folder / f"rebuilt_{target}_{seed}"
        projects[target] = harness.generate(specs(own / "specs", rules[target], is_incremental=False), target, own / "project")
        load(projects[target], histories(seed))
    for outcome in harness.in_both(Project.run, projects).values():
        outcome.ok()
    return see_all(projects["dbt"]), see_all(projects["sqlmesh"])


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    return request.param


def check(seed: int, found: dict[str, Seen], expected: dict[str, Seen], apart_from: frozenset[int] = frozenset()) -> None:
    for entity in ENTITIES:
        wrong = found[entity].histories_apart(expected[entity]) - (apart_from if entity == "reading" else frozenset())
        if wrong:
            told_of = {
                history: [each for each in histories(seed) if each.history == history and ENTITY_OF[each.source] in (entity, "meter")]
                for history in wrong
            }
            smallest = min(wrong, key=lambda history: (len(told_of[history]), history))
            lines = [
                f"{entity}: {len(wrong)} of {HISTORIES} histories end otherwise; seed {seed}, history {smallest}:",
                *(f"  {delivery}" for delivery in sorted(told_of[smallest], key=lambda each: each.batch)),
                "rebuilt:", *(f"  {line}" for line in expected[entity].of(smallest)),
                "found:", *(f"  {line}" for line in found[entity].of(smallest)),
            ]
            pytest.fail("\n".join(lines), pytrace=False)


def waiting_for_a_parent(seed: int) -> frozenset[int]:
    """Readings that came before their meter, which only a replay settles."""
    came = {delivery.history: delivery.batch for delivery in histories(seed) if delivery.source == "meters"}
    return frozenset(
        delivery.history for delivery in histories(seed)
        if delivery.source == "readings" and delivery.batch < came.get(delivery.history // PER_METER * PER_METER, -1)
    )


@pytest.mark.parametrize("target", TARGETS)
def test_batches_end_where_all_of_bronze_at_once_ends(seed: int, folder: Path, engine: Engine, target: Target) -> None:
    """L3."""
    waiting = waiting_for_a_parent(seed)
    assert 0 < len(waiting) < HISTORIES / 2
    check(seed, told(seed, folder, engine)[target].batched, rebuilt(seed, folder)[0], waiting)


@pytest.mark.parametrize("target", TARGETS)
def test_a_run_reads_what_can_have_arrived(seed: int, folder: Path, engine: Engine, target: Target) -> None:
    """Or most of these histories would have been told by runs over all of bronze."""
    read = told(seed, folder, engine)[target].read["reading"]
    there = sum(delivery.source == "readings" for delivery in histories(seed))
    assert len(read) == BATCHES + 1
    assert max(read) < there / 2, (read, there)


@pytest.mark.parametrize("target", TARGETS)
def test_another_run_changes_nothing(seed: int, folder: Path, engine: Engine, target: Target) -> None:
    """L4."""
    run = told(seed, folder, engine)[target]
    for name, before in run.before.items():
        assert not harness.differences(before, run.again[name]), name


@pytest.mark.parametrize("target", TARGETS)
def test_a_replay_after_relaxed_rules_is_a_rebuild(seed: int, folder: Path, engine: Engine, target: Target) -> None:
    """L5, and L3 for the children that came before their parents."""
    check(seed, told(seed, folder, engine)[target].replayed, rebuilt(seed, folder)[1])


@pytest.mark.parametrize("target", TARGETS)
def test_a_second_replay_changes_nothing(seed: int, folder: Path, engine: Engine, target: Target) -> None:
    """L5."""
    run = told(seed, folder, engine)[target]
    for name, once in run.once.items():
        assert not harness.differences(once, run.twice[name]), name
