"""L11, the honest diff: what `assay diff` says to run makes the warehouse what a rebuild makes it, and nothing more changes.

A random edit of a spec tree per family, the commands of the report as they are printed, and a second warehouse that is
built from the new specs over the same bronze.
"""

import json
import random
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import harness
import spec_edits
from harness import BINARY, UNKNOWN_MEMBER, Engine, Outcome, Project, Relation, Target
from spec_edits import Deliveries, Family
from warehouse import RUN_DEPENDENT

FAMILIES = ("p", "q")
ROWS = 24
# When a row was first refused, and when it was looked at, is of the history and not of the specs.
HISTORY = frozenset({"first_seen", "last_seen", "last_evaluated_at", "resolved_at", "resolution"})
# A test that alerts is no fault of a command.
ALERTS = ("--warn-error-options", '{"error": "all", "warn": ["LogTestResult", "RunResultWarningMessage", "RunResultWarning"]}')

Report = dict[str, Any]
State = dict[str, Relation]


class Tree:
    """A folder with `assay.yml` and specs, and the project in it."""

    def __init__(self, folder: Path, target: Target, engine: Engine) -> None:
        self.folder = folder
        self.target = target
        self.engine: Engine = engine
        folder.mkdir(parents=True)
        config = f"assay_version: 1\ntarget: {target}\ndialect: {engine}\nout: project\n"
        (folder / "assay.yml").write_text(config, encoding="utf-8")

    def write(self, families: list[Family]) -> None:
        specs = self.folder / "specs"
        for old in specs.rglob("*.yaml"):
            old.unlink()
        harness.write_specs(specs, spec_edits.documents(families))

    def generate(self) -> None:
        harness.assay("generate", folder=self.folder).ok()

    def start(self, bronze: harness.Bronze) -> Project:
        self.generate()
        project = self.folder / "project"
        made = Project(self.target, project, harness.new_warehouse(project, self.engine))
        made.warehouse.load_bronze(bronze)
        made.runs += 1
        (dbt(made, "build") if self.target == "dbt" else made.plan()).ok()
        return made

    def diff(self) -> Report:
        return json.loads(harness.assay("diff", "--format", "json", folder=self.folder).ok().output)

    def follow(self, commands: list[str], project: Project) -> None:
        """The commands as they are printed; SQLMesh's questions are answered by flags."""
        folder = self.folder
        for command in commands:
            match shlex.split(command):
                case ["assay", *arguments]:
                    harness.assay(*arguments, folder=folder).ok()
                case ["cd", to]:
                    folder = folder / to
                case ["dbt", *arguments]:
                    assert folder == project.folder
                    dbt(project, *arguments).ok()
                case ["sqlmesh", "plan", *arguments]:
                    assert folder == project.folder
                    project.sqlmesh("plan", *arguments, "--auto-apply", "--no-prompts", days=project.runs).ok()
                case ["sqlmesh", "run"]:
                    # The next one that is due.
                    assert folder == project.folder
                    project.runs += 1
                    project.sqlmesh("run", days=project.runs).ok()
                case other:
                    raise AssertionError(f"a command that nobody knows: {other}")


def dbt(project: Project, *arguments: str) -> Outcome:
    return project.dbt(*ALERTS, *arguments, warnings_fail=False)


def is_right(folder: Path, engine: Engine):
    """Whether the checker takes a family by itself."""
    count = 0

    def check(family: Family) -> bool:
        nonlocal count
        count += 1
        specs = harness.write_specs(folder / f"draft_{count}", spec_edits.documents([family]))
        return harness.check(specs, engine).exit == 0

    return check


@dataclass
class Shown:
    """What is compared of an entity."""

    sources: list[str]
    fields: set[str]
    is_history: bool

    def shows(self, column: str) -> bool:
        """A field that went stays in a history where the framework lets it; flags are those of when a version began."""
        of_ours = {"valid_from", "valid_to", "_ingested_at", "_load_id", "_source_row_id"}
        of_fields = self.fields | {f"{name}__direct" for name in self.fields}
        return not self.is_history or column in of_fields | of_ours


def entities(families: list[Family]) -> dict[str, Shown]:
    return {
        name: Shown(
            sources=[source for source, mapping in family.mappings.items() if mapping["target"] == name],
            fields=set(entity["fields"]),
            is_history="scd" in entity,
        )
        for family in families
        for name, entity in family.entities.items()
    }


def state(project: Project, shown: dict[str, Shown]) -> State:
    """What is published: rows of entities, and what their reject relations hold unresolved.

    Rows of a source that is mapped no longer are nobody's: they stay as they were. So does the unknown member of a history.
    """
    found = {}
    for name, entity in shown.items():
        rows = project.warehouse.relation(f"silver.{name}").without(RUN_DEPENDENT)
        if entity.is_history:
            rows = rows.only(lambda row: row["_source_row_id"] != UNKNOWN_MEMBER)
            rows = rows.without({column for column, _ in rows.columns if not entity.shows(column)})
        found[name] = by_name(rows)
        reject = f"{name}__reject"
        if is_there(project, reject):
            held = project.warehouse.relation(f"silver.{reject}").only(
                lambda row: row["resolved_at"] is None and row["source_relation"] in entity.sources
            )
            found[reject] = by_name(held.without(HISTORY))
    return found


def golden(project: Project, families: list[Family]) -> State:
    """What checks have found, and the date dimension."""
    names = [name for family in families for name in family.relations()]
    return {name: by_name(project.warehouse.relation(f"gold.{name}")) for name in names}


def is_there(project: Project, table: str) -> bool:
    found = project.query(
        "select count(*) from information_schema.tables where table_schema = 'silver' and table_name = ?", [table]
    )
    return found[0][0] > 0


def by_name(relation: Relation) -> Relation:
    """Columns are found by name; their order is nobody's."""
    order = sorted(range(len(relation.columns)), key=lambda at: relation.columns[at])
    rows = (tuple(row[at] for at in order) for row in relation.rows)
    return Relation(tuple(relation.columns[at] for at in order), tuple(sorted(rows, key=repr)))


def apart(one: State, other: State) -> dict[str, list[str]]:
    found = {name: harness.differences(one[name], other[name]) for name in one.keys() & other.keys()}
    return {name: lines for name, lines in sorted(found.items()) if lines}


def shared(one: Relation, other: Relation) -> tuple[Relation, Relation]:
    """Both with the columns that both have; a reject's raw row is what was delivered, less what is left out of it."""
    columns = {name for name, _ in one.columns} & {name for name, _ in other.columns}
    one, other = (
        each.without({name for name, _ in each.columns} - columns | {"raw", "mapping_version"}) for each in (one, other)
    )
    return one, other


def unsaid(before: State, after: State, report: Report, names: list[str]) -> dict[str, list[str]]:
    """Published rows that changed although the report says that none do."""
    scopes = report["scopes"]
    found = {}
    for name in names:
        if name in scopes["backfill"]:
            continue
        for relation in (name, f"{name}__reject"):
            if relation not in before or relation not in after:
                continue
            old, new = shared(before[relation], after[relation])
            renames = [change for change in report["changes"] if change["entity"] == name and change["class"] != "cosmetic"]
            if name in scopes["replay"]:
                # Refused rows come back; what was published stays as it is.
                lost = set(map(repr, old.rows)) - set(map(repr, new.rows)) if relation == name else set()
                lines = [f"gone or changed: {row}" for row in sorted(lost)[:3]]
            else:
                lines = harness.differences(old, new)
            if lines:
                found[relation] = [*lines, f"the report says {renames}"]
    return found


def verify(seed: int, target: Target, engine: Engine, folder: Path) -> None:
    chance = random.Random(seed)
    check = is_right(folder / "drafts", engine)
    before, after, edits = [], [], []
    for name in FAMILIES:
        family = spec_edits.family(name)
        for _ in range(chance.randint(0, 3)):
            family, _ = spec_edits.edited(chance, family, check)
        before.append(family)
        changed, what = spec_edits.edited(chance, family, check)
        edits.append(f"{name}: {what}")
        if chance.random() < 0.3:
            changed, what = spec_edits.edited(chance, changed, check)
            edits.append(f"{name}: {what}")
        after.append(changed)
    deliveries = Deliveries(chance, ROWS)
    bronze = {table: rows for name in FAMILIES for table, rows in deliveries.bronze(name).items()}
    compare(Tree(folder / "followed", target, engine), Tree(folder / "rebuilt", target, engine), before, after, bronze, edits)


def compare(
    followed: Tree, rebuilt: Tree, before: list[Family], after: list[Family], bronze: harness.Bronze, edits: list[str]
) -> None:
    followed.write(before)
    project = followed.start(bronze)
    now = entities(after)
    kept = {
        name: Shown([source for source in shown.sources if source in now[name].sources], now[name].fields, shown.is_history)
        for name, shown in entities(before).items()
        if name in now
    }
    old = state(project, kept)

    followed.write(after)
    report = followed.diff()
    followed.follow(report["commands"], project)
    again = followed.diff()

    rebuilt.write(after)
    fresh = rebuilt.start(bronze)
    new = state(fresh, now)

    told = json.dumps({key: report[key] for key in ("changes", "scopes", "commands")}, indent=1)
    said = "\n".join([*edits, told])
    assert not again["changes"], f"{again['changes']}\n{said}"
    found = apart({**state(project, now), **golden(project, after)}, {**new, **golden(fresh, after)})
    assert not found, f"after the commands: (followed, rebuilt) {json.dumps(found, indent=1)}\n{said}"
    silent = unsaid(old, new, report, list(kept))
    assert not silent, f"changed without a word: {json.dumps(silent, indent=1)}\n{said}"


@pytest.mark.parametrize("target", harness.TARGETS)
def test_the_commands_of_a_report_are_a_rebuild(seed: int, target: Target, tmp_path: Path) -> None:
    assert BINARY.exists()
    verify(seed, target, "duckdb", tmp_path)


@pytest.mark.parametrize("target", harness.TARGETS)
def test_the_commands_of_a_report_are_a_rebuild_on_postgres(target: Target, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    verify(request.config.getoption("seed"), target, "postgres", tmp_path)
