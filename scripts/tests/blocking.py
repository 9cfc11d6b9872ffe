"""Deliveries that must stop a run: what was published before stays as it was, byte for byte."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import harness
from harness import Bronze, Engine, Outcome, Project, Relation, Target


@dataclass(frozen=True)
class Blocked:
    """A project that ran over `before` and then gets `arriving`, which must stop the entity's run."""

    name: str
    entity: str
    specs: Mapping[str, str]
    before: Bronze
    arriving: Bronze
    # What is delivered to mend it, where taking the delivery out of bronze does not: a ledger remembers it.
    mending: Bronze = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


def state(project: Project, entity: str) -> dict[str, Relation]:
    return {name: project.warehouse.relation(name) for name in harness.published(entity)}


class BlockedBatch:
    """Several such deliveries, each for its own entity, in one project per framework."""

    def __init__(self, cases: Sequence[Blocked], folder: Path, engine: Engine = "duckdb") -> None:
        self.refused: dict[str, str] = {}
        self.running: list[Blocked] = []
        specs = folder / "specs"
        for case in cases:
            alone = harness.check(harness.write_specs(folder / "alone" / case.name, case.specs), engine)
            if alone.exit == 0:
                harness.write_specs(specs / case.name, case.specs)
                self.running.append(case)
            else:
                self.refused[case.name] = alone.output
        self.projects = harness.generate_both(specs, folder, engine)
        for project in self.projects.values():
            for case in self.running:
                project.warehouse.load_bronze(case.before)
        self.first = harness.in_both(Project.run, self.projects)
        for outcome in self.first.values():
            outcome.ok()
        self.before = self.states()
        for project in self.projects.values():
            for case in self.running:
                project.warehouse.load_bronze(case.arriving)
        self.blocked: dict[Target, Outcome] = harness.in_both(Project.run, self.projects)
        self.after = self.states()

    def states(self) -> dict[Target, dict[str, dict[str, Relation]]]:
        return {
            target: {case.name: state(project, case.entity) for case in self.running}
            for target, project in self.projects.items()
        }

    def verify(self, case: Blocked, target: Target) -> None:
        assert case.name not in self.refused, self.refused[case.name]
        output = self.blocked[target].output
        assert self.blocked[target].exit != 0, output
        assert case.entity in output, f"nothing is said of {case.entity} in\n{output}"
        assert self.after[target][case.name] == self.before[target][case.name], output[-3000:]
