"""L3: an incremental run ends with what one run over all of bronze ends with, however the deliveries were split and in
whichever order they arrived."""

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import harness
import histories
import oracle
from harness import ENGINES, ROOT, TARGETS, Engine, Project, Row, Target

ENTITIES = ("customer", "order", "payment")
ROWS = 120
BATCHES = 4

# The specs of the other laws, incremental; what looks rows up in other entities is tested apart.
LEFT_OUT = ("      - {rule: referential, via: order_customer", "      - {rule: referential, via: payment_customer")


def specs(folder: Path) -> Path:
    documents = {}
    for path in sorted((ROOT / "fixtures" / "laws").glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        lines = [line for line in text.splitlines() if not line.startswith(LEFT_OUT)]
        text = "\n".join(lines).replace("    quality:\nrelationships", "relationships") + "\n"
        documents[path.name] = text.replace(
            "    dedupe:", "    materialization: incremental_by_key\n    arrival_lag: 12h\n    dedupe:"
        )
    return harness.write_specs(folder, documents)


def judge(bronze: dict[str, list[dict[str, Any]]]) -> oracle.Verdict:
    return oracle.judge(bronze, with_parents=False)


def batches(history: histories.History, chance: random.Random) -> list[dict[str, list[Row]]]:
    """All deliveries of the history in any order, cut anywhere; the first cut may be empty."""
    cut: list[dict[str, list[Row]]] = [{table: [] for table in history.bronze} for _ in range(BATCHES)]
    for table, rows in history.bronze.items():
        for row in chance.sample(rows, len(rows)):
            cut[chance.randrange(BATCHES)][table].append(row)
    if chance.random() < 0.5:
        cut.insert(0, {table: [] for table in history.bronze})
    return cut


@cache
def told(seed: int, folder: Path, engine: Engine) -> tuple[dict[Target, Project], oracle.Verdict]:
    folder = folder / f"incremental_{engine}_{seed}"
    projects = harness.generate_both(specs(folder / "specs"), folder, engine)
    history = histories.start(seed)
    for _ in range(2):
        history.deliver(ROWS)
    chance = random.Random(seed)
    for project in projects.values():
        project.warehouse.make_bronze({table: list(histories.columns(rows[0])) for table, rows in history.bronze.items()}, {})
    for batch in batches(history, chance):
        arriving = {table: [histories.columns(row) for row in rows] for table, rows in batch.items() if rows}
        for project in projects.values():
            project.warehouse.load_bronze(arriving)
        for target, outcome in harness.in_both(Project.run, projects).items():
            assert outcome.exit == 0, f"{target}: {outcome.output[-4000:]}"
    return projects, judge(history.bronze)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("engine", ENGINES)
def test_the_end_is_that_of_one_run_over_everything(seed: int, folder: Path, engine: Engine, target: Target) -> None:
    projects, verdict = told(seed, folder, engine)
    for entity in ENTITIES:
        found = harness.fates(projects[target].warehouse, entity)
        expected = verdict.fates[entity]
        wrong = {
            delivery: (expected.get(delivery), found.get(delivery))
            for delivery in expected.keys() | found.keys()
            if expected.get(delivery) != found.get(delivery)
        }
        assert not wrong, f"{entity}: (expected, found) {dict(sorted(wrong.items())[:10])}"
        rows = {harness.delivery(row): row for row in projects[target].warehouse.relation(f"silver.{entity}").dicts()}
        for delivery, values in verdict.rows[entity].items():
            assert {name: rows[delivery][name] for name in values} == values, (entity, delivery)
