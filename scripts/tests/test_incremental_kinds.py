"""L3 where rows are ordered by a field, have no order at all, or lose their key: incremental projects beside full ones, over the
same random deliveries."""

import random
from functools import cache
from pathlib import Path

import pytest

import harness
from harness import ENGINES, TARGETS, Engine, Project, Row, Target

BATCHES = 4
ROWS = 60

# Ordered by a field that may be missing or go back; by nothing, so that keys must be unique; and from two sources.
MODEL = """
spec_version: 1
entities:
  reading:
    grain: one row per meter
    key: [meter, day]
    fields: {{meter: {{type: string}}, day: {{type: date}}, version: {{type: int}}, kwh: {{type: "decimal(9,2)"}}}}
    dedupe: {{keep: latest_by, field: version, tie_break: [kwh]}}
    quarantine: {{retention: 36500d}}
    quality:
      - {{rule: expression, name: kwh_is_plausible, expr: "kwh < 900", on_fail: quarantine}}{materialization}
  event:
    grain: one row per event
    key: [event_no]
    fields: {{event_no: {{type: string}}, label: {{type: string}}}}
    quarantine: {{retention: 36500d}}{materialization}
  booking:
    grain: one row per booking
    key: [booking_no]
    fields: {{booking_no: {{type: string}}, seat: {{type: string}}}}
    dedupe: {{keep: latest_by, field: _ingested_at, tie_break: [_load_id]}}
    quarantine: {{retention: 36500d}}{materialization}
"""
METADATA = 'unmapped: ["$._load_id", "$._ingested_at", "$._source_row_id"]\n'
MAPPINGS = {
    "readings": """
target: reading
key: {meter: {from: "$.meter"}, day: {from: "$.day", transform: [{parse_date: ISO8601}]}}
fields:
  version: {from: "$.version", transform: [to_int]}
  kwh: {from: "$.kwh", transform: [{to_decimal: [9, 2]}]}
""",
    "events": """
target: event
key: {event_no: {from: "$.no"}}
fields: {label: {from: "$.label", quality: [{rule: unique, on_fail: quarantine}, {rule: length, max: 3, on_fail: flag}]}}
""",
    "desk": """
target: booking
key: {booking_no: {from: "$.no"}}
fields: {seat: {from: "$.seat", quality: [{rule: pattern, regex: '^[A-C][0-9]$', on_fail: quarantine}]}}
""",
    "phone": """
target: booking
key: {booking_no: {from: "$.no"}}
fields: {seat: {from: "$.seat", quality: [{rule: unique, on_fail: flag}]}}
""",
}
ENTITIES = ("reading", "event", "booking")


def specs(folder: Path, materialization: str) -> Path:
    line = f"\n    materialization: {materialization}" if materialization else ""
    documents = {"model.yaml": MODEL.format(materialization=line)}
    for source, text in MAPPINGS.items():
        documents[f"{source}.yaml"] = f"mapping_version: 1\nsource: {source}\n{text.lstrip()}{METADATA}"
    return harness.write_specs(folder, documents)


def deliveries(seed: int) -> list[tuple[str, Row]]:
    """A source row has one key, or now and then none that can be read; its deliveries come at any time."""
    chance = random.Random(seed)
    found: list[tuple[str, Row]] = []
    taken: set[tuple[str, str, str]] = set()

    def add(source: str, row_id: str, cells: Row) -> None:
        load = f"l{chance.randrange(9)}"
        if (source, row_id, load) not in taken:
            taken.add((source, row_id, load))
            at = f"2026-01-0{chance.randint(1, 9)}T0{chance.randrange(10)}:00:00Z"
            found.append((source, {"_load_id": load, "_ingested_at": at, "_source_row_id": row_id, **cells}))

    for number in range(ROWS):
        row = chance.randrange(25)
        day = f"2026-01-{row % 3 + 1:02}" if chance.random() > 0.15 else chance.choice(("2026-02-30", None))
        add("readings", f"r{row}", {
            "meter": f"m{row % 5}" if chance.random() > 0.1 else None, "day": day,
            "version": chance.choice(("1", "2", "3", "4", None)), "kwh": chance.choice(("1.5", "2.25", "950", None)),
        })
        # Without an order, one delivery of a key is all there may be.
        found.append(("events", {
            "_load_id": f"l{chance.randrange(9)}", "_ingested_at": f"2026-01-0{chance.randint(1, 9)}", "_source_row_id": f"e{number}",
            "no": f"e{number}" if chance.random() > 0.1 else None, "label": chance.choice(("a", "b", "cc", "dddd", "eee", f"x{number}", None)),
        }))
        for source, prefix in (("desk", "d"), ("phone", "p")):
            add(source, f"{prefix}{row}", {
                "no": f"{prefix}{row % 9}" if chance.random() > 0.1 else None, "seat": chance.choice(("A1", "B2", "C3", "Z9", None)),
            })
    return found


COLUMNS = {
    "readings": ("meter", "day", "version", "kwh"), "events": ("no", "label"), "desk": ("no", "seat"), "phone": ("no", "seat"),
}


def load(project: Project, rows: list[tuple[str, Row]]) -> None:
    project.warehouse.load_bronze({source: [row for of, row in rows if of == source] for source in COLUMNS if any(of == source for of, _ in rows)})


def settled(project: Project, entity: str) -> tuple[list, dict[str, str]]:
    """The rows that readers see, and what became of each delivery."""
    rows = project.warehouse.relation(f"silver.{entity}").dicts()
    return sorted(repr(sorted(row.items(), key=lambda cell: cell[0])) for row in rows), harness.fates(project.warehouse, entity)


@cache
def told(seed: int, folder: Path, engine: Engine) -> dict[Target, tuple[Project, Project]]:
    own = folder / f"{engine}_{seed}"
    incremental = harness.generate_both(specs(own / "incremental", "incremental_by_key"), own / "one", engine)
    full = harness.generate_both(specs(own / "full", ""), own / "other", engine)
    rows = deliveries(seed)
    chance = random.Random(-seed)
    chance.shuffle(rows)
    columns = {source: ("_load_id", "_ingested_at", "_source_row_id", *names) for source, names in COLUMNS.items()}
    for project in (*incremental.values(), *full.values()):
        project.warehouse.make_bronze(columns)
    cuts = sorted(chance.randrange(len(rows)) for _ in range(BATCHES - 1))
    for start, end in zip((0, *cuts), (*cuts, len(rows)), strict=True):
        for project in incremental.values():
            load(project, rows[start:end])
        for target, outcome in harness.in_both(Project.run, incremental).items():
            assert outcome.exit == 0, f"{target}: {outcome.output[-3000:]}"
    for project in full.values():
        load(project, rows)
    for outcome in harness.in_both(Project.run, full).values():
        outcome.ok()
    return {target: (incremental[target], full[target]) for target in TARGETS}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("engine", ENGINES)
def test_incremental_is_full_for_every_kind_of_order(seed: int, folder: Path, engine: Engine, target: Target) -> None:
    one, other = told(seed, folder, engine)[target]
    for entity in ENTITIES:
        rows, fates = settled(one, entity)
        expected_rows, expected = settled(other, entity)
        wrong = {name: (expected.get(name), fates.get(name)) for name in expected.keys() | fates.keys() if expected.get(name) != fates.get(name)}
        assert not wrong, f"{entity}: (full, incremental) {dict(sorted(wrong.items())[:10])}"
        assert rows == expected_rows, entity
