"""Retention deletes what was rejected too long ago, and nothing else: by the newest delivery of what is unresolved, by the
resolution of what is not."""

import re
from datetime import datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import harness
from case import rows, single
from harness import ENGINES, TARGETS, Engine, Project, Target

DEDUPE = "dedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}"
# Rebuilt on each run, incremental, and with a history.
ENTITIES = {
    "note": ("60d", timedelta(days=60), DEDUPE),
    "scan": ("720h", timedelta(hours=720), DEDUPE + "\nmaterialization: incremental_by_key"),
    "member": ("12w", timedelta(weeks=12), DEDUPE + "\nscd: type2"),
}


def ago(days: int) -> str:
    return (datetime.now(timezone.utc) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def specs(folder: Path) -> Path:
    documents: dict[str, str] = {}
    for entity, (retention, _, settings) in ENTITIES.items():
        for name, text in single(
            entity,
            types="id: {type: string}\nn: {type: int}",
            mapping='n: {from: "$.n", transform: [to_int]}',
            settings=settings,
        ).items():
            documents[name] = text.replace("retention: 36500d", f"retention: {retention}")
    return harness.write_specs(folder, documents)


def bronze(*deliveries: tuple[str, str, int], load: str) -> dict[str, list[dict[str, Any]]]:
    """The same for every entity: source row, value, age in days."""
    delivered = [
        {"_source_row_id": row, "n": n, "id": row, "_load_id": load, "_ingested_at": ago(days)} for row, n, days in deliveries
    ]
    return {f"{entity}_raw": rows(*delivered) for entity in ENTITIES}


def held(project: Project) -> dict[str, list[str]]:
    """The rejected source rows; a resolved one with a sign."""
    found = {}
    for entity in ENTITIES:
        listed = project.warehouse.relation(f"silver.{entity}__reject").dicts()
        found[entity] = sorted(row["_source_row_id"] + ("!" if row["resolved_at"] else "") for row in listed)
    return found


def untouched(project: Project) -> dict[str, harness.Relation]:
    names = [name for entity in ENTITIES for name in (f"silver.{entity}", f"silver.{entity}__judged", f"bronze.{entity}_raw")]
    return {name: project.warehouse.relation(name) for name in names}


def log(project: Project) -> list[dict[str, Any]]:
    if not project.query("SELECT 1 FROM information_schema.tables WHERE table_schema = 'gold' AND table_name = 'quality_log'"):
        return []
    return [row for row in project.warehouse.relation("gold.quality_log").dicts() if row["action"] == "retention"]


def said(output: str) -> dict[str, int]:
    return {entity: int(count) for entity, count in re.findall(r"assay: (\w+): (\d+) (?:would be )?deleted", output)}


@cache
def built(folder: Path, engine: Engine, target: Target) -> Project:
    """Built three times: `mended` was resolved by the second run, though it was delivered long ago; the third has nothing new."""
    project = harness.generate(specs(folder / "specs"), target, folder / f"{engine}_{target}", engine)
    project.warehouse.load_bronze(
        bronze(("good", "1", 400), ("old", "x", 100), ("middle", "x", 45), ("new", "x", 1), ("mended", "x", 400), load="l1")
    )
    project.run().ok()
    project.warehouse.load_bronze(bronze(("mended", "5", 300), load="l2"))
    project.run().ok()
    project.run().ok()
    return project


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("engine", ENGINES)
def test_retention(folder: Path, engine: Engine, target: Target) -> None:
    project = built(folder, engine, target)
    everything = {entity: ["mended!", "middle", "new", "old"] for entity in ENTITIES}
    assert held(project) == everything
    before = untouched(project)

    # A dry run says it, and writes nothing.
    expected = {"note": 1, "scan": 2, "member": 1}
    assert said(project.retention(dry_run=True).ok().output) == expected
    assert held(project) == everything and log(project) == []

    # What is no entity is told.
    outcome = project.retention("nobody")
    assert outcome.exit != 0 and "nothing of `nobody` can be deleted, only of" in outcome.output, outcome.output

    # One by name, then all.
    assert said(project.retention("note").ok().output) == {"note": 1}
    kept = {"note": ["mended!", "middle", "new"], "scan": ["mended!", "new"], "member": ["mended!", "middle", "new"]}
    assert held(project) == {**everything, "note": kept["note"]}
    assert said(project.retention().ok().output) == {**expected, "note": 0}
    assert held(project) == kept
    after = untouched(project)
    for name in before:
        assert not harness.differences(before[name], after[name]), name

    # A row in the log for each, also where there was nothing to delete.
    logged = log(project)
    assert sorted((row["entity"], row["row_count"]) for row in logged) == [("member", 1), ("note", 0), ("note", 1), ("scan", 2)]
    now = datetime.now(timezone.utc).replace(tzinfo=None)
    for row in logged:
        assert row["until"] == row["run_at"] - ENTITIES[row["entity"]][1], row
        assert timedelta(0) <= now - row["run_at"] < timedelta(minutes=10), row

    # The next run goes through. What reads all of bronze finds again what bronze still has.
    project.run().ok()
    again = {**kept, "note": everything["note"], "member": everything["member"]}
    assert held(project) == again
    returned = next(row for row in project.warehouse.relation("silver.note__reject").dicts() if row["_source_row_id"] == "old")
    assert abs(returned["first_seen"] - (now - timedelta(days=100))) < timedelta(minutes=10), returned
    harness.fates(project.warehouse, "note")

    # What was resolved long ago goes, whenever it was delivered.
    relation = {row["entity"]: row["relation"] for row in logged}
    for entity in ENTITIES:
        project.execute(f"UPDATE {relation[entity]} SET resolved_at = resolved_at - INTERVAL '100 days' WHERE resolved_at IS NOT NULL")

    # Interrupted, nothing of it has happened.
    project.execute("ALTER TABLE gold.quality_log RENAME COLUMN row_count TO elsewhere")
    assert project.retention().exit != 0
    assert held(project) == again
    project.execute("ALTER TABLE gold.quality_log RENAME COLUMN elsewhere TO row_count")

    assert said(project.retention().ok().output) == {"note": 2, "scan": 1, "member": 2}
    assert held(project) == {"note": ["middle", "new"], "scan": ["new"], "member": ["middle", "new"]}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("engine", ENGINES)
def test_each_run_does_it_when_a_variable_says_so(folder: Path, target: Target, engine: Engine) -> None:
    project = harness.generate(specs(folder / "hook_specs"), target, folder / f"hook_{engine}_{target}", engine)
    project.warehouse.load_bronze(bronze(("old", "x", 100), ("middle", "x", 45), ("new", "x", 1), load="l1"))
    if target == "sqlmesh":
        config = project.folder / "config.yaml"
        config.write_text(f"{config.read_text()}variables: {{assay_retention: true}}\n")
        project.run().ok()
    else:
        project.dbt("build").ok()
        assert log(project) == []
        project.dbt("build", "--vars", "{assay_retention: true}").ok()
    assert held(project) == {"note": ["middle", "new"], "scan": ["new"], "member": ["middle", "new"]}
    assert sorted((row["entity"], row["row_count"]) for row in log(project)) == [("member", 1), ("note", 1), ("scan", 2)]
    if target == "dbt":
        project.dbt("build").ok()


@pytest.mark.parametrize("target", TARGETS)
def test_before_anything_was_built_it_says_what_to_do(folder: Path, target: Target) -> None:
    project = harness.generate(specs(folder / "unbuilt_specs"), target, folder / f"unbuilt_{target}")
    outcome = project.retention()
    first = "dbt build" if target == "dbt" else "`sqlmesh plan`"
    assert outcome.exit != 0 and f"un {first} first" in outcome.output and "Traceback" not in outcome.output, outcome.output
