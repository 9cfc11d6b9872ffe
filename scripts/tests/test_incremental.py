"""L3 on hostile values: an incremental run ends with what one run over all of bronze ends with, however the deliveries were split
and in whichever order they arrived. For each seed one set of 240 deliveries to each of four tables, against the oracle;
`test_many_histories.py` has thousands of histories of tamer values, and the run that changes nothing."""

import random
from functools import cache
from pathlib import Path

import pytest

import harness
import histories
import oracle
from harness import ENGINES, ROOT, TARGETS, Engine, Project, Row, Target

ENTITIES = ("customer", "order", "payment")
ROWS = 120
BATCHES = 2

# The specs of the other laws, incremental; what looks rows up in other entities is told apart.
LOOKUPS = ("      - {rule: referential, via: order_customer", "      - {rule: referential, via: payment_customer")
RUN_DEPENDENT = harness.RUN_DEPENDENT | {"_judged_at"}

Batch = dict[str, list[Row]]


def specs(folder: Path, *, with_parents: bool = False) -> Path:
    documents = {}
    for path in sorted((ROOT / "fixtures" / "laws").glob("*.yaml")):
        lines = path.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if with_parents or not line.startswith(LOOKUPS)]
        text = "\n".join(kept).replace("    quality:\nrelationships", "relationships") + "\n"
        documents[path.name] = text.replace(
            "    dedupe:", "    materialization: incremental_by_key\n    arrival_lag: 12h\n    dedupe:"
        )
    return harness.write_specs(folder, documents)


def batches(history: histories.History, chance: random.Random) -> list[Batch]:
    """All deliveries of the history in any order, cut anywhere, after a cut that is empty."""
    cut: list[Batch] = [{table: [] for table in history.bronze} for _ in range(BATCHES)]
    for table, rows in history.bronze.items():
        for row in chance.sample(rows, len(rows)):
            cut[chance.randrange(BATCHES)][table].append(row)
    return [{table: [] for table in history.bronze}, *cut]


def deliver(projects: dict[Target, Project], batch: Batch) -> None:
    arriving = {table: [histories.columns(row) for row in rows] for table, rows in batch.items() if rows}
    for project in projects.values():
        project.warehouse.load_bronze(arriving)


def run(projects: dict[Target, Project]) -> None:
    for target, outcome in harness.in_both(Project.run, projects).items():
        assert outcome.exit == 0, f"{target}: {outcome.output[-4000:]}"


def begin(
    seed: int, folder: Path, engine: Engine, *, with_parents: bool
) -> tuple[dict[Target, Project], histories.History]:
    """Two projects over empty bronze tables, and what is to arrive."""
    projects = harness.generate_both(specs(folder / "specs", with_parents=with_parents), folder, engine)
    history = histories.start(seed)
    for _ in range(2):
        history.deliver(ROWS)
    columns = {table: list(histories.columns(rows[0])) for table, rows in history.bronze.items()}
    for project in projects.values():
        project.warehouse.make_bronze(columns)
    return projects, history


@cache
def split_anyhow(seed: int, folder: Path, engine: Engine) -> tuple[dict[Target, Project], oracle.Verdict]:
    projects, history = begin(seed, folder / f"split_{engine}_{seed}", engine, with_parents=False)
    for batch in batches(history, random.Random(seed)):
        deliver(projects, batch)
        run(projects)
    return projects, oracle.judge(history.bronze, with_parents=False)


@cache
def parents_last(folder: Path, engine: Engine) -> tuple[dict[Target, Project], oracle.Verdict]:
    """Orders and payments come before every customer; then what was rejected is judged again."""
    projects, history = begin(1, folder / f"late_{engine}", engine, with_parents=True)
    customers = history.bronze["customer_raw"]
    deliver(projects, {table: rows for table, rows in history.bronze.items() if rows is not customers})
    run(projects)
    deliver(projects, {"customer_raw": customers})
    # A run that comes no further than judged: the next one has to take over what it left.
    projects["dbt"].dbt("build", "--select", "customer__judged").ok()
    run(projects)
    for project in projects.values():
        project.replay().ok()
    return projects, oracle.judge(history.bronze)


def check(project: Project, verdict: oracle.Verdict) -> None:
    for entity in ENTITIES:
        found = harness.fates(project.warehouse, entity)
        expected = verdict.fates[entity]
        wrong = {
            delivery: (expected.get(delivery), found.get(delivery))
            for delivery in expected.keys() | found.keys()
            if expected.get(delivery) != found.get(delivery)
        }
        assert not wrong, f"{entity}: (expected, found) {dict(sorted(wrong.items())[:10])}"
        rows = {harness.delivery(row): row for row in project.warehouse.relation(f"silver.{entity}").dicts()}
        for delivery, values in verdict.rows[entity].items():
            assert {name: rows[delivery][name] for name in values} == values, (entity, delivery)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("engine", ENGINES)
def test_the_end_is_that_of_one_run_over_everything(seed: int, folder: Path, engine: Engine, target: Target) -> None:
    projects, verdict = split_anyhow(seed, folder, engine)
    check(projects[target], verdict)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("engine", ENGINES)
def test_children_that_came_before_their_parents_are_replayed(folder: Path, engine: Engine, target: Target) -> None:
    projects, verdict = parents_last(folder, engine)
    check(projects[target], verdict)


@pytest.mark.parametrize("target", TARGETS)
def test_a_delivery_that_stops_the_run_and_is_taken_back(folder: Path, target: Target) -> None:
    """L10: nothing is published meanwhile. Then the next run goes on, with what had arrived beside it."""
    projects, history = begin(1, folder / f"stopped_{target}", "duckdb", with_parents=False)
    project = projects[target]
    customers = history.bronze["customer_raw"]
    deliver({target: project}, history.bronze | {"customer_raw": customers[:-20]})
    project.run().ok()
    names = [name for entity in ENTITIES for name in harness.published(entity)]
    before = {name: project.warehouse.relation(name) for name in names}
    wrong = customers[-20] | {"_source_row_id": "wrong", "_ingested_at": "some day"}
    deliver({target: project}, {"customer_raw": [*customers[-20:], wrong]})
    assert project.run().exit != 0
    for name in harness.published("customer"):
        assert not harness.differences(before[name], project.warehouse.relation(name)), name
    project.execute("delete from bronze.customer_raw where _source_row_id = 'wrong'")
    project.run().ok()
    check(project, oracle.judge(history.bronze, with_parents=False))


def test_an_entity_that_becomes_incremental_says_what_to_run(folder: Path) -> None:
    own = folder / "becomes"
    texts = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "fixtures" / "laws").glob("*.yaml")}
    project = harness.generate(harness.write_specs(own / "full", texts), "dbt", own / "dbt")
    history = histories.start(1)
    deliver({"dbt": project}, history.deliver(20))
    project.run().ok()
    specs_now = specs(own / "incremental", with_parents=True)
    harness.assay("generate", "--specs", specs_now, "--target", "dbt", "--out", project.folder).ok()
    refused = project.dbt("build")
    assert refused.exit != 0 and "dbt build --full-refresh --select customer__judged+" in refused.output, refused.output
    project.dbt("build", "--full-refresh").ok()
    deliver({"dbt": project}, history.deliver(20))
    project.run().ok()


EDITS = {
    "rule": [('max: "99.95"', 'max: "50"')],
    "field": [
        ("      tier: {type: string}\n", "      letter: {type: string}\n      tier: {type: string}\n"),
        ('  tier:\n    from: "$.tier"\n', '  letter: {from: "$.tier"}\n  tier:\n    from: "$.tier"\n'),
    ],
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("target", TARGETS)
def test_a_changed_spec_judges_everything_anew(folder: Path, target: Target, edit: str) -> None:
    """SQLMesh sees that for itself. dbt does not, so the run refuses and says what to do; `assay diff` says it before."""
    own = folder / f"changed_{target}_{edit}"
    projects, history = begin(1, own, "duckdb", with_parents=False)
    project = projects[target]
    deliver({target: project}, history.bronze)
    project.run().ok()
    texts = {path.name: path.read_text(encoding="utf-8") for path in (own / "specs").glob("*.yaml")}
    for old, new in EDITS[edit]:
        assert any(old in text for text in texts.values()), old
        texts = {name: text.replace(old, new) for name, text in texts.items()}
    changed = harness.write_specs(own / "changed", texts)
    arguments = ("--specs", changed, "--target", target, "--dialect", "duckdb", "--out", project.folder)
    command = "dbt build --full-refresh --select customer__judged customer customer__reject"
    said = harness.assay("diff", *arguments).ok().output
    harness.assay("generate", *arguments).ok()
    if target == "dbt":
        assert command in said, said
        before = project.warehouse.relation("silver.customer")
        refused = project.dbt("build")
        assert refused.exit != 0 and "--full-refresh --select customer__judged+" in refused.output, refused.output
        assert not harness.differences(before, project.warehouse.relation("silver.customer"))
        project.dbt(*command.split()[1:]).ok()
    else:
        project.runs += 1
        project.plan().ok()
    scratch = harness.generate(changed, target, own / "scratch")
    deliver({target: scratch}, history.bronze)
    scratch.run().ok()
    for name in ("silver.customer", "silver.customer__judged"):
        one, other = (each.warehouse.relation(name).without(RUN_DEPENDENT) for each in (project, scratch))
        assert not harness.differences(one, other), name
