"""A case: a small spec, the rows that arrive, and what must become of each. Cases of a file run in one project."""

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import harness
from harness import Bronze, Engine, Outcome, Project, Row, Target, delivered

Check = Callable[[Project], None]


@dataclass(frozen=True)
class Case:
    """`fates` holds, per entity, what becomes of each delivery (see `harness.fates`); `r1` is short for `r1@l1`.

    `values` holds, per entity and source row id, cells of the published row as text.
    """

    name: str
    specs: Mapping[str, str]
    bronze: Bronze
    fates: Mapping[str, Mapping[str, str]]
    values: Mapping[str, Mapping[str, Mapping[str, str | None]]] = field(default_factory=dict)
    also: Check | None = None
    empty: Mapping[str, Sequence[str]] = field(default_factory=dict)  # bronze tables without rows, and their columns
    targets: Sequence[Target] = harness.TARGETS
    engines: Sequence[Engine] = harness.ENGINES
    types: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # per dialect, of bronze columns that are no text
    known_apart: frozenset[str] = frozenset()  # source row ids that engines read differently, for a reason given there

    def __str__(self) -> str:
        return self.name

    def stops(self, outcome: Outcome) -> bool:
        """A model of this case is named where SQLMesh says what failed."""
        _, failed, names = outcome.output.partition("Failed")
        entities = "|".join(map(re.escape, self.fates))
        return bool(failed) and re.search(rf"\b({entities})(__[a-z]+)?\b", names) is not None

    def verify_fates(self, project: Project) -> None:
        for entity, expected in self.fates.items():
            wanted = {id_ if "@" in id_ else f"{id_}@l1": fate for id_, fate in expected.items()}
            assert harness.fates(project.warehouse, entity) == wanted

    def verify_values(self, project: Project) -> None:
        for entity, rows in self.values.items():
            for row_id, expected in rows.items():
                columns = ", ".join(f"cast({harness.quoted(name)} as varchar)" for name in expected)
                found = project.query(
                    f"select {columns} from silver.{harness.quoted(entity)} where _source_row_id = ?", [row_id]
                )
                assert found == [tuple(expected.values())]


@dataclass(frozen=True)
class Refusal:
    """A spec that must not compile: every line of `says` stands in what is printed."""

    name: str
    specs: Mapping[str, str]
    says: Sequence[str]

    def __str__(self) -> str:
        return self.name

    def verify(self, folder: Path) -> None:
        outcome = harness.check(harness.write_specs(folder, self.specs))
        assert outcome.exit == 1, outcome.output
        for words in self.says:
            assert words in outcome.output, f"nothing says {words!r} in\n{outcome.output}"


def yaml(text: str) -> str:
    """A spec document written with the indentation of the code around it."""
    return dedent(text).lstrip("\n")


METADATA_UNMAPPED = '["$._load_id", "$._ingested_at", "$._source_row_id"]'


def single(
    entity: str,
    *,
    types: str,
    mapping: str,
    settings: str = "",
    relationships: str = "",
    key: str = "id",
    keys: str = 'id: {from: "$.id"}',
    source: str | None = None,
    unmapped: str = METADATA_UNMAPPED,
    anchors: str = "",
) -> dict[str, str]:
    """The specs of one entity with one mapping: what differs between cases is the fields and the entity's settings."""

    def block(text: str, spaces: int) -> str:
        return indent(dedent(text).strip("\n"), " " * spaces)

    model = f"""\
spec_version: 1
entities:
  {entity}:
    grain: one row per {key}
    key: [{key}]
    fields:
{block(types, 6)}
    quarantine: {{retention: 36500d}}
{block(settings, 4)}
{dedent(relationships).strip()}
"""
    bronze_mapping = f"""\
mapping_version: 1
{anchors}
source: {source or entity + "_raw"}
target: {entity}
key:
{block(keys, 2)}
fields:
{block(mapping, 2)}
unmapped: {unmapped}
"""
    documents = {f"{entity}.yaml": model, f"{entity}_mapping.yaml": bronze_mapping}
    return {name: re.sub(r"\n(?: *\n)+", "\n", text) for name, text in documents.items()}


def rows(*listed: Row, **metadata: str) -> list[dict[str, Any]]:
    """Rows that carry their source row id as `id` too, unless they say otherwise."""
    return [{"id": row["_source_row_id"], **row} for row in delivered(listed, **metadata)]


def column(name: str, *cells: str | None) -> list[dict[str, Any]]:
    """One row per cell of one column."""
    return rows(*({name: cell} for cell in cells))


class Batch:
    """Many cases in one project per framework.

    A case that does not compile alone is left out and fails alone. SQLMesh plans all models or none, so a case whose
    model stops the plan is taken out too, and the others are planned again.
    """

    def __init__(self, cases: Sequence[Case], folder: Path, engine: Engine = "duckdb") -> None:
        self.engine = engine
        self.refused: dict[str, str] = {}
        self.stopped: dict[str, str] = {}
        self.cases: list[Case] = []
        for case in cases:
            if harness.RELEASES.get(engine, engine) not in case.engines:
                continue
            alone = harness.check(harness.write_specs(folder / "alone" / case.name, case.specs), engine)
            if alone.exit == 0:
                self.cases.append(case)
            else:
                self.refused[case.name] = alone.output
        self.projects: dict[Target, Project] = {}
        self.outcomes: dict[Target, Outcome] = {}
        with ThreadPoolExecutor(2) as pool:
            waiting = [
                pool.submit(self.run, target, [case for case in self.cases if target in case.targets], folder / target)
                for target in harness.targets_of(engine)
            ]
            for each in waiting:
                each.result()

    def run(self, target: Target, cases: Sequence[Case], folder: Path) -> None:
        specs = folder / "specs"
        for case in cases:
            harness.write_specs(specs / case.name, case.specs)
        project = harness.generate(specs, target, folder / "project", self.engine)
        for case in cases:
            project.warehouse.load_bronze(case.bronze, case.types.get(harness.RELEASES.get(self.engine, self.engine), {}))
            project.warehouse.make_bronze(case.empty)
        outcome = project.run()
        culprits = [case for case in cases if target == "sqlmesh" and case.stops(outcome)]
        if culprits:
            self.stopped |= {case.name: outcome.output for case in culprits}
            self.run(target, [case for case in cases if case not in culprits], folder.with_name(folder.name + "_again"))
        else:
            self.projects[target], self.outcomes[target] = project, outcome

    def project(self, case: Case, target: Target) -> Project:
        assert case.name not in self.refused, self.refused[case.name]
        assert target == "dbt" or case.name not in self.stopped, self.stopped[case.name][-3000:]
        return self.projects[target]

    def verify(self, case: Case, target: Target) -> None:
        project = self.project(case, target)
        try:
            case.verify_fates(project)
            case.verify_values(project)
            if case.also is not None:
                case.also(project)
        except Exception as problem:
            outcome = self.outcomes[target]
            if outcome.exit != 0:
                problem.add_note(f"the run ended with exit {outcome.exit}:\n{outcome.output[-3000:]}")
            raise

    def verify_ran(self, target: Target) -> None:
        assert target == "dbt" or not self.stopped, list(self.stopped)
        self.outcomes[target].ok()

    def compare(self, case: Case) -> None:
        one, other = self.project(case, "dbt"), self.project(case, "sqlmesh")
        harness.compare(one.warehouse, other.warehouse, relations(case))


def relations(case: Case) -> list[str]:
    return [name for entity in case.fates for name in (*harness.published(entity), f"silver.{entity}__judged")]


class Batches:
    """The same cases on every engine, each run when it is first asked for."""

    def __init__(self, cases: Sequence[Case], folder: Path) -> None:
        self.cases = cases
        self.folder = folder
        self.made: dict[Engine, Batch | Exception] = {}

    def __getitem__(self, engine: Engine) -> Batch:
        if engine not in self.made:
            try:
                self.made[engine] = Batch(self.cases, self.folder / engine, engine)
            except Exception as problem:
                self.made[engine] = problem
        found = self.made[engine]
        if isinstance(found, Exception):
            raise found
        return found

    def compare(self, case: Case, target: Target, engine: Engine = "postgres") -> None:
        """L9: another engine holds what DuckDB holds."""
        one, other = (self[each].project(case, target).warehouse for each in ("duckdb", engine))
        apart = harness.apart_by_engine(one, other, relations(case), case.known_apart)
        assert not apart, "\n".join(f"{name}: {line}" for name, lines in apart.items() for line in lines)
