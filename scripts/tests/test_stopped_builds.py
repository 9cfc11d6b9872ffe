"""Builds that end at the statements they write with, and are run again: the end is that of a build that nothing has stopped.

A project has the same entity many times over the same rows. Each one's second build is stopped elsewhere, all in one run, and
one more run has to mend them all; the first one of a kind is never stopped.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import harness
from harness import ENGINES, TARGETS, Engine, Outcome, Project, Relation, Target
from keyed_histories import Teller

HISTORIES = 60

KINDS = {"incremental": "materialization: incremental_by_key\n    arrival_lag: 12h", "history": "scd: type2"}
ENTITY = """
  {name}:
    grain: one row per meter and day
    key: [meter, day]
    fields: {{meter: {{type: string}}, day: {{type: string}}, version: {{type: int}}}}
    dedupe: {{keep: latest_by, field: _ingested_at, tie_break: [_load_id]}}
    quarantine: {{retention: 36500d}}
    quality:
      - {{rule: expression, name: version_is_known, expr: "version < 4", on_fail: quarantine}}
    {kind}
""".strip("\n")
MAPPING = """
mapping_version: 1
source: {name}_raw
target: {name}
key: {{meter: {{from: "$.meter"}}, day: {{from: "$.day", transform: [{{nullif: "2026-02-30"}}]}}}}
fields: {{version: {{from: "$.version", transform: [to_int]}}}}
unmapped: ["$._load_id", "$._ingested_at", "$._source_row_id", "$.kwh"]
""".lstrip("\n")

# Where builds are stopped, as what is found in the statement that fails, by the node of dbt or the table of SQLMesh it belongs
# to. A group is that statement, where dbt sends several at once. A transaction is stopped before its last statement.
NOTED_BY_DBT = 'INSERT INTO "[^"]*"."gold"."quality_(?:runs|log)"'
STOPS_OF_DBT = {
    "incremental": [
        'model.assay.{name}__judged".*(INSERT INTO "[^"]*"."gold"."mart_data_quality")',
        f'model.assay.{{name}}".*{NOTED_BY_DBT}',
        f'model.assay.{{name}}__reject".*{NOTED_BY_DBT}',
    ],
    "history": [
        'model.assay.{name}__judged".*drop table if exists "[^"]*"."silver"."{name}__judged__dbt_backup"',
        'snapshot.assay.{name}".*(DELETE FROM "[^"]*"."silver"."{name}" )',
        'model.assay.{name}__reject".*(insert into "[^"]*"."silver"."{name}__reject" )',
    ],
}
COUNTED_BY_SQLMESH = 'INSERT INTO [^ ]*"quality_counts" .*{judged}'
NOTED_BY_SQLMESH = """INSERT INTO [^ ]*"quality_(?:runs|log)" .* '[^']*{name}'"""
STOPS: dict[tuple[Target, Engine], dict[str, list[str]]] = {
    ("dbt", "duckdb"): STOPS_OF_DBT,
    ("dbt", "postgres"): STOPS_OF_DBT,
    ("sqlmesh", "postgres"): {
        "incremental": [
            COUNTED_BY_SQLMESH,
            NOTED_BY_SQLMESH.format(name="{entity_unquoted}"),
            NOTED_BY_SQLMESH.format(name="{reject_unquoted}"),
        ],
        "history": [
            COUNTED_BY_SQLMESH,
            'DELETE FROM [^ ]*{entity} WHERE "valid_to" <= ',
        ],
    },
    # SQLMesh knows no transactions on DuckDB: what was written before stays.
    ("sqlmesh", "duckdb"): {
        "incremental": [
            "INSERT INTO [^ ]*{judged} ",
            'DELETE FROM [^ ]*{judged} WHERE .*"_gates"',
            COUNTED_BY_SQLMESH,
            "INSERT INTO [^ ]*{entity} ",
            'DELETE FROM [^ ]*{entity} AS "own"',
            NOTED_BY_SQLMESH.format(name="{entity_unquoted}"),
            "INSERT INTO [^ ]*{reject} ",
            NOTED_BY_SQLMESH.format(name="{reject_unquoted}"),
        ],
        "history": [
            "INSERT INTO [^ ]*{entity} ",
            """UPDATE [^ ]*{entity} AS "held" SET "valid_to" = "newest"."valid_from" """,
            """UPDATE [^ ]*{entity} AS "held" SET "valid_to" = "judged"."_valid_from" """,
            'DELETE FROM [^ ]*{entity} WHERE "valid_to" <= ',
            "INSERT INTO [^ ]*{reject} ",
        ],
    },
}


def named(kind: str, number: int) -> str:
    return f"{kind}_{number:02}"


def physical(project: Project, relation: str) -> str:
    """The name of a table; in SQLMesh what a reader names is a view of it."""
    query = "select view_definition from information_schema.views where table_schema = 'silver' and table_name = ?"
    found = re.search(r'FROM [^;]*?"?(\w+)"?[^."\w]*$', project.query(query, [relation])[0][0])
    assert found
    return found[1]


def pattern(project: Project, name: str, stop: str) -> str:
    tables = {}
    if project.target == "sqlmesh":
        for part, relation in (("judged", f"{name}__judged"), ("entity", name), ("reject", f"{name}__reject")):
            tables |= {part: f'"{physical(project, relation)}"', f"{part}_unquoted": physical(project, relation)}
    return stop.format(name=name, **tables)


def state(project: Project, name: str) -> dict[str, Relation]:
    """What is there under the name of the entity, as if it had none."""
    found = {}
    for relation in (*harness.published(name), f"silver.{name}__judged"):
        own = project.warehouse.relation(relation)
        left_out = harness.RUN_DEPENDENT | {"_judged_at", "_delivered", "_source", "reject_id", "entity", "source_relation", "mapping"}
        left_out |= {"_generation", "dbt_scd_id", "dbt_updated_at"}
        found[relation.replace(name, "X")] = own.without(left_out)
    return found


HALF_WRITTEN = named("history", len(STOPS["sqlmesh", "duckdb"]["history"]))


@dataclass(frozen=True)
class Told:
    stopped: Outcome
    # Of an entity whose reject relation is half written, in SQLMesh on DuckDB.
    retention: Outcome | None
    patterns: dict[str, str]
    # Of each entity, after the run that mends.
    states: dict[str, dict[str, Relation]]


def tell(target: Target, engine: Engine, folder: Path) -> Told:
    stops = STOPS[target, engine]
    names = {named(kind, number): KINDS[kind] for kind in stops for number in range(len(stops[kind]) + 1)}
    documents = {"model.yaml": "spec_version: 1\nentities:\n" + "\n".join(ENTITY.format(name=name, kind=kind) for name, kind in names.items())}
    documents |= {f"{name}.yaml": MAPPING.format(name=name) for name in names}
    project = harness.generate(harness.write_specs(folder / "specs", documents), target, folder / target, engine)
    found = [delivery for delivery in Teller(1, HISTORIES, batches=2).found if delivery.source == "readings"]

    def arrive(batch: int) -> None:
        rows = [delivery.row for delivery in found if delivery.batch == batch]
        project.warehouse.load_bronze({f"{name}_raw": rows for name in names})

    arrive(0)
    project.run().ok()
    patterns = {
        named(kind, number): pattern(project, named(kind, number), stop)
        for kind in stops
        for number, stop in enumerate(stops[kind], start=1)
    }
    arrive(1)
    stopped = project.run(refused=list(patterns.values()))
    retention = project.retention(HALF_WRITTEN) if (target, engine) == ("sqlmesh", "duckdb") else None
    project.run().ok()
    return Told(stopped, retention, patterns, {name: state(project, name) for name in names})


@cache
def remembered(target: Target, engine: Engine, folder: Path) -> Told | Exception:
    try:
        return tell(target, engine, folder / f"{target}_{engine}")
    except Exception as problem:
        return problem


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("engine", ENGINES)
def test_the_next_run_ends_where_it_would_have_ended(folder: Path, engine: Engine, target: Target, kind: str) -> None:
    told = remembered(target, engine, folder)
    if isinstance(told, Exception):
        raise told
    assert told.stopped.exit != 0
    expected = told.states[named(kind, 0)]
    apart = {}
    for number, stop in enumerate(STOPS[target, engine][kind], start=1):
        name = named(kind, number)
        assert told.patterns[name] in told.stopped.output, f"no statement of {name} has {told.patterns[name]}"
        found = {relation: harness.differences(expected[relation], there) for relation, there in told.states[name].items()}
        apart |= {f"stopped at {stop}: {relation}": lines for relation, lines in found.items() if lines}
    assert not apart, "\n".join(f"{what}\n  " + "\n  ".join(lines) for what, lines in apart.items())


def test_nothing_is_deleted_from_a_reject_relation_that_is_half_written(folder: Path) -> None:
    """The next run would put it back."""
    told = remembered("sqlmesh", "duckdb", folder)
    assert isinstance(told, Told) and told.retention is not None
    assert told.retention.exit != 0 and "a run ended while it wrote" in told.retention.output, told.retention.output
