"""Type 2 entities over several runs: every version by an oracle, alike in both frameworks and on both engines."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest

import harness
import versions
from case import rows as delivered
from case import single
from harness import ENGINES, TARGETS, Engine, Project, Relation, Row, Target
from versions import ENTITIES, Delivery, Histories, Key, at, delivery

# What dbt writes beside a version.
OF_DBT = frozenset({"dbt_scd_id", "dbt_updated_at"})
RUNS = 4

# Keys with a story of their own, told in `by_arrival`: what arrives in each run, then (name, from, to) in days.
STORIES: dict[str, tuple[list[list[Delivery]], list[tuple]]] = {}


def story(name: str, *runs: list[dict], versions: list[tuple]) -> None:
    key = (name, "story")
    waves = [
        [delivery(key, f"{name}{run}.{at_hand}", **cells) for at_hand, cells in enumerate(arriving)]
        for run, arriving in enumerate(runs)
    ]
    STORIES[name] = (waves, versions)


story(
    "p35_null_value_null",
    [{"day": 1, "name": None}],
    [{"day": 2, "name": "x"}],
    [{"day": 3, "name": None}],
    versions=[(None, 1, 2), ("x", 2, 3), (None, 3, None)],
)
story(
    "unchanged",
    [{"day": 1}],
    [{"day": 2, "changed_at": at(1), "revision": "10", "credit": "01"}],
    [{"day": 3, "changed_at": at(1), "revision": "10", "credit": "1.00"}],
    versions=[("n", 1, None)],
)
story("p34_key_twice_in_one_load", [{"day": 1}, {"day": 1, "name": "m", "_source_row_id": "other"}], versions=[("m", 1, None)])
story("late", [{"day": 3}], [{"day": 2, "name": "late"}], versions=[("n", 3, None)])
story("refused", [{"day": 1}], [{"day": 2, "credit": "-1"}], versions=[("n", 1, 2)])
story(
    "refused_and_back",
    [{"day": 1}],
    [{"day": 2, "credit": "-1"}],
    [],
    [{"day": 4}],
    versions=[("n", 1, 2), ("n", 4, None)],
)
story("refused_late", [{"day": 3}], [{"day": 2, "credit": "-1"}], versions=[("n", 3, None)])
story("corrected_at_once", [{"day": 1}], [{"day": 1, "name": "m"}], versions=[("m", 1, None)])
story("refused_at_once", [{"day": 1}], [{"day": 1, "credit": "-1"}], versions=[])
story("never_admitted", [{"day": 1, "credit": "-1"}], [{"day": 2, "credit": "one"}], versions=[])


@dataclass
class Told:
    projects: dict[Target, Project]
    expected: dict[str, list[list[tuple]]] = field(default_factory=dict)
    found: dict[Target, dict[str, list[Relation]]] = field(default_factory=dict)


def arriving(entity: str, seed: int, run: int) -> list[Delivery]:
    told = [row for waves, _ in STORIES.values() for row in (waves[run] if run < len(waves) else [])]
    return versions.wave(seed, run, 12) + (told if entity == "by_arrival" else [])


@cache
def tell(seed: int, folder: Path, engine: Engine) -> Told:
    """Each wave is followed by a run, the last one by two."""
    specs = harness.write_specs(folder / "specs", versions.specs())
    told = Told(harness.generate_both(specs, folder / f"{engine}_{seed}", engine))
    oracles = {entity: Histories(entity) for entity in ENTITIES}
    for run in range(RUNS + 1):
        for entity, oracle in oracles.items():
            rows = arriving(entity, seed, run) if run < RUNS else []
            oracle.bronze += rows
            oracle.run()
            told.expected.setdefault(entity, []).append(oracle.rows())
            for project in told.projects.values():
                project.warehouse.load_bronze({f"{entity}_raw": rows} if rows else {})
        for target, outcome in harness.in_both(Project.run, told.projects).items():
            assert outcome.exit == 0, f"{target} ended with exit {outcome.exit}\n{outcome.output[-4000:]}"
            for entity in ENTITIES:
                relation = told.projects[target].warehouse.relation(f"silver.{entity}").without(OF_DBT)
                told.found.setdefault(target, {}).setdefault(entity, []).append(relation)
    return told


@pytest.fixture(params=ENGINES)
def told(seed: int, folder: Path, request: pytest.FixtureRequest) -> Told:
    return tell(seed, folder, request.param)


def as_told(relation: Relation) -> list[tuple]:
    names = (*versions.FIELDS, "valid_from", "valid_to", "_load_id")
    return sorted((tuple(row[name] for name in names) for row in plain(relation)), key=repr)


def plain(relation: Relation) -> Iterator[Row]:
    """Whole numbers as such, so that the oracle needs no decimals."""
    for row in relation.dicts():
        yield {**row, "credit": None if row["credit"] is None else int(row["credit"])}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("entity", ENTITIES)
def test_every_version_is_the_one_that_was_delivered(told: Told, entity: str, target: Target) -> None:
    for run, (expected, found) in enumerate(zip(told.expected[entity], told.found[target][entity], strict=True)):
        rows = as_told(found)
        assert rows == expected, (
            f"run {run}\nmissing {[row for row in expected if row not in rows]}\n"
            f"unexpected {[row for row in rows if row not in expected]}"
        )


@pytest.mark.parametrize("target", TARGETS)
def test_no_two_versions_are_valid_at_once(told: Told, target: Target) -> None:
    """P33."""
    for relations in told.found[target].values():
        for relation in relations:
            assert not versions.overlaps(relation.dicts())


def test_both_frameworks_hold_the_same_versions(told: Told) -> None:
    """L8."""
    for entity in ENTITIES:
        for one, other in zip(told.found["dbt"][entity], told.found["sqlmesh"][entity], strict=True):
            assert not harness.differences(one, other), entity


@pytest.mark.parametrize("target", TARGETS)
def test_both_engines_hold_the_same_versions(seed: int, folder: Path, target: Target) -> None:
    """L9."""
    one, other = (tell(seed, folder, engine).found[target] for engine in ENGINES)
    for entity in ENTITIES:
        for left, right in zip(one[entity], other[entity], strict=True):
            assert not harness.differences(harness.alike(left), harness.alike(right)), entity


@pytest.mark.parametrize("target", TARGETS)
def test_running_again_changes_no_version(told: Told, target: Target) -> None:
    """L4."""
    for relations in told.found[target].values():
        assert not harness.differences(relations[-2], relations[-1])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", STORIES)
def test_a_story_ends_as_told(told: Told, name: str, target: Target) -> None:
    def day(when: datetime | None) -> float | None:
        return when and (when - versions.START).days

    rows = [row for row in told.found[target]["by_arrival"][-1].dicts() if row["id"] == name]
    rows.sort(key=lambda row: row["valid_from"])
    found = [(row["name"], day(row["valid_from"]), day(row["valid_to"])) for row in rows]
    assert found == STORIES[name][1]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("when", "expected"), [(0.5, 0), (1, 1), (1.5, 1), (2, 0), (3, 0), (4, 1), (9, 1)])
def test_a_row_that_looks_back_finds_no_version_that_was_refused_by_then(
    told: Told, when: float, expected: int, target: Target
) -> None:
    found = told.projects[target].query(
        "select count(*) from silver.by_arrival where id = 'refused_and_back'"
        " and valid_from <= cast(? as timestamp) and (valid_to is null or valid_to > cast(? as timestamp))",
        [at(when).removesuffix("Z")] * 2,
    )
    assert found == [(expected,)]


# ------------------------------------------------------------------------------------------------------ what stops a run

MEMBER = single(
    "member",
    types="id: {type: string}\nname: {type: string}\nn: {type: int}",
    mapping='name: {from: "$.name"}\nn: {from: "$.n", quality: [{rule: range, min: 0, on_fail: fail}]}',
    settings="scd: type2\ndedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}",
)


def one(number: int, *, load: str, **cells: str | None) -> list[dict]:
    return delivered({"id": "m", "name": "a", "n": "1", **cells}, load=load, at=f"2026-01-0{number}T00:00:00Z")


def state(project: Project) -> list[Relation]:
    return [project.warehouse.relation(name) for name in harness.published("member")]


def build(project: Project, allow_empty: bool) -> harness.Outcome:
    """A run; SQLMesh reads a changed variable with a plan."""
    if not allow_empty:
        return project.run()
    if project.target == "dbt":
        return project.dbt("build", "--vars", "{assay_allow_empty: [member]}")
    config = project.folder / "config.yaml"
    before = config.read_text()
    config.write_text(before + "variables: {assay_allow_empty: [member]}\n")
    project.plan().ok()
    outcome = project.run()
    config.write_text(before)
    project.plan().ok()
    return outcome


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("target", TARGETS)
def test_what_stops_a_run_leaves_the_history_as_it_was(engine: Engine, target: Target, tmp_path: Path) -> None:
    """L10 and P32."""
    project = harness.generate(harness.write_specs(tmp_path / "specs", MEMBER), target, tmp_path / "project", engine)
    project.warehouse.load_bronze({"member_raw": one(1, load="l1")})
    project.run().ok()
    before = state(project)

    # A rule that fails.
    project.warehouse.load_bronze({"member_raw": one(2, load="l2", name="b", n="-1")})
    assert project.run().exit != 0
    assert state(project) == before
    if target == "dbt":
        # Neither judged nor its test is asked, so the snapshot asks itself.
        for command in (["snapshot"], ["build", "--select", "member"]):
            assert "fail_rule" in project.dbt(*command).output
        assert state(project) == before

    # A bronze that came empty.
    project.execute("delete from bronze.member_raw")
    outcome = project.run()
    assert outcome.exit != 0 and "no_delivery" in outcome.output, outcome.output
    assert state(project) == before
    build(project, allow_empty=True).ok()
    assert state(project) == before

    project.warehouse.load_bronze({"member_raw": one(3, load="l3")})
    project.run().ok()
    assert state(project) == before


@pytest.mark.parametrize("target", TARGETS)
def test_a_history_that_was_tampered_with_stops_the_run(target: Target, tmp_path: Path) -> None:
    project = harness.generate(harness.write_specs(tmp_path / "specs", MEMBER), target, tmp_path / "project")
    project.warehouse.load_bronze({"member_raw": one(1, load="l1")})
    project.run().ok()
    (table,) = project.query(
        "select table_schema || '.' || table_name from information_schema.tables"
        " where table_type = 'BASE TABLE' and regexp_matches(table_name, '^(silver__member__[0-9]+|member)$')"
    )
    project.execute(
        f"insert into {table[0]} by name"
        f" select * replace (valid_from - interval 1 day as valid_from, valid_from + interval 1 day as valid_to) from {table[0]}"
    )
    outcome = project.run()
    assert outcome.exit != 0 and "versions_overlap" in outcome.output, outcome.output


# -------------------------------------------------------------------------------------------------------- a changed spec


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("target", TARGETS)
def test_a_changed_spec_reads_current_versions_anew_and_leaves_ended_ones(engine: Engine, target: Target, tmp_path: Path) -> None:
    def specs(types: str, mapping: str, minimum: int) -> dict[str, str]:
        return single(
            "member",
            types=f"id: {{type: string}}\nname: {{type: string}}\nn: {{type: int}}\n{types}",
            mapping=f"name: {{from: \"$.name\"{mapping}}}\n"
            f'n: {{from: "$.n", quality: [{{rule: range, min: {minimum}, on_fail: quarantine}}]}}'
            + ('\nextra: {from: "$.extra"}' if types else ""),
            settings="scd: type2\ndedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}",
        )

    folder, out = tmp_path / "specs", tmp_path / "project"
    project = harness.generate(harness.write_specs(folder, specs("", "", 0)), target, out, engine)

    def deliver(number: int, *listed: dict) -> None:
        rows = [{"_source_row_id": row["id"], **row} for row in listed]
        project.warehouse.load_bronze(
            {"member_raw": delivered(*rows, load=f"l{number}", at=f"2026-01-0{number}T00:00:00Z")}
        )

    def found() -> list[tuple]:
        listed = "id, name, n, extract(day from valid_from), extract(day from valid_to)"
        return [tuple(row) for row in project.query(f"select {listed} from silver.member order by id, valid_from")]

    deliver(1, {"id": "a", "name": "x", "n": "1", "extra": "e1"}, {"id": "b", "name": "x", "n": "-1", "extra": "e"})
    project.run().ok()
    deliver(2, {"id": "a", "name": "y", "n": "2", "extra": "e2"}, {"id": "c", "name": "z", "n": "0", "extra": "e"})
    project.run().ok()
    assert found() == [("a", "x", 1, 1, 2), ("a", "y", 2, 2, None), ("c", "z", 0, 2, None)]

    def change(documents: dict[str, str]) -> None:
        harness.write_specs(folder, documents)
        options = ("--target", target, "--dialect", engine, "--out", out)
        harness.assay("generate", "--specs", folder, *options).ok()
        if target == "sqlmesh":
            project.plan().ok()
        project.run().ok()

    # A field more, another transform, and a rule that lets -1 in; then one that refuses 0.
    change(specs("extra: {type: string}", ", transform: [upper]", -1))
    assert found() == [("a", "x", 1, 1, 2), ("a", "Y", 2, 2, None), ("b", "X", -1, 1, None), ("c", "Z", 0, 2, None)]
    assert project.query("select extra from silver.member order by id, valid_from") == [(None,), ("e2",), ("e",), ("e",)]

    change(specs("extra: {type: string}", ", transform: [upper]", 1))
    assert found() == [("a", "x", 1, 1, 2), ("a", "Y", 2, 2, None)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("target", TARGETS)
def test_an_entity_that_kept_no_versions_begins_to(engine: Engine, target: Target, tmp_path: Path) -> None:
    folder, out = tmp_path / "specs", tmp_path / "project"
    before = {name: text.replace("scd: type2", "scd: type1") for name, text in MEMBER.items()}
    project = harness.generate(harness.write_specs(folder, before), target, out, engine)
    project.warehouse.load_bronze({"member_raw": one(1, load="l1")})
    project.run().ok()
    options = ("--target", target, "--dialect", engine, "--out", out)
    harness.write_specs(folder, MEMBER)
    told = harness.assay("diff", "--specs", folder, *options).ok().output
    assert "breaking" in told
    harness.assay("generate", "--specs", folder, *options).ok()
    if target == "dbt":
        assert "assay_begin_history" in told
        assert "assay_begin_history" in project.run().output
        project.dbt("run-operation", "assay_begin_history", "--args", "{entity: member}").ok()
        project.run().ok()
        # Once there is a history, it is left alone.
        project.dbt("run-operation", "assay_begin_history", "--args", "{entity: member}").ok()
    else:
        project.plan().ok()
    project.warehouse.load_bronze({"member_raw": one(2, load="l2", name="b")})
    project.run().ok()
    listed = "name, extract(day from valid_from), extract(day from valid_to)"
    assert project.query(f"select {listed} from silver.member order by valid_from") == [("a", 1, 2), ("b", 2, None)]


# ------------------------------------------------------------------------------------------------- a parent with versions

BOUGHT = {
    "model.yaml": """\
spec_version: 1
entities:
  member:
    grain: one version of a member
    key: [id]
    scd: type2
    fields: {id: {type: string}, n: {type: int}}
    dedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}
    quarantine: {retention: 60d}
  bought:
    grain: one row per purchase
    key: [id]
    fields: {id: {type: string}, member: {type: string}}
    dedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}
    quarantine: {retention: 60d}
    quality: [{rule: referential, via: buyer, on_missing: unknown_member}]
relationships:
  - {name: buyer, from: bought, to: member, via: {member: id}, cardinality: many_to_one}
""",
    "member.yaml": """\
mapping_version: 1
source: member_raw
target: member
key: {id: {from: "$.id"}}
fields: {n: {from: "$.n"}}
unmapped: ["$._load_id", "$._ingested_at", "$._source_row_id"]
""",
    "bought.yaml": """\
mapping_version: 1
source: bought_raw
target: bought
key: {id: {from: "$.id"}}
fields: {member: {from: "$.member"}}
unmapped: ["$._load_id", "$._ingested_at", "$._source_row_id"]
""",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("target", TARGETS)
def test_a_foreign_key_is_looked_up_in_current_versions(engine: Engine, target: Target, tmp_path: Path) -> None:
    project = harness.generate(harness.write_specs(tmp_path / "specs", BOUGHT), target, tmp_path / "project", engine)

    def members() -> list[tuple]:
        return project.query("select member, _quality_flags from silver.bought order by id")

    project.warehouse.load_bronze(
        {
            "member_raw": delivered({"id": "a", "n": "1"}, {"id": "b", "n": "1"}),
            "bought_raw": delivered({"member": "a"}, {"member": "b"}, {"member": "z"}, prefix="p"),
        }
    )
    project.run().ok()
    orphan = ("__unknown__", ["buyer_referential"])
    assert members() == [("a", []), ("b", []), orphan]
    project.warehouse.load_bronze(
        {"member_raw": delivered({"id": "a", "n": "2"}, {"id": "b", "n": "two"}, load="l2", at="2026-01-02T00:00:00Z")}
    )
    project.run().ok()
    assert members() == [("a", []), orphan, orphan]
    # Joined by key and time, each purchase finds one member.
    joined = project.query(
        "select p.id, count(*) from silver.bought p join silver.member m on m.id = p.member"
        " and m.valid_from <= cast('2026-01-05' as timestamp)"
        " and (m.valid_to is null or m.valid_to > cast('2026-01-05' as timestamp)) group by p.id order by p.id"
    )
    assert joined == [("p1", 1), ("p2", 1), ("p3", 1)]
    assert project.query("select count(*) from silver.member where id = '__unknown__'") == [(1,)]


# ------------------------------------------------------------------------------------------------------ replay to bronze


def refusing(minimum: int) -> dict[str, str]:
    return single(
        "member",
        types="id: {type: string}\nn: {type: int}",
        mapping=f'n: {{from: "$.n", quality: [{{rule: range, min: {minimum}, on_fail: quarantine}}]}}',
        settings="scd: type2\ndedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}",
        unmapped='["$._load_id", "$._ingested_at", "$._source_row_id", \'$["Price (\\"EUR\\") 100%"]\', "$.big"]',
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("target", TARGETS)
def test_a_replayed_row_comes_back_through_bronze_once(engine: Engine, target: Target, tmp_path: Path) -> None:
    folder, out = tmp_path / "specs", tmp_path / "project"
    project = harness.generate(harness.write_specs(folder, refusing(0)), target, out, engine)
    odd = 'Price ("EUR") 100%'

    def deliver(number: int, *listed: tuple[str, str]) -> None:
        rows = [{"_source_row_id": f"row {id_}", "id": id_, "n": n, odd: "1.10", "big": "9007199254740993"} for id_, n in listed]
        project.warehouse.load_bronze(
            {"member_raw": delivered(*rows, load=f"l{number}", at=f"2026-01-0{number}T08:00:00Z")},
            {"big": "BIGINT"},
        )

    def found() -> list[tuple]:
        listed = "id, n, extract(day from valid_from), extract(day from valid_to), _load_id"
        return [tuple(row) for row in project.query(f"select {listed} from silver.member order by id, valid_from")]

    def bronze() -> list[tuple]:
        listed = f'_source_row_id, _ingested_at, n, {harness.quoted(odd)}, big'
        return project.query(f"select {listed} from bronze.member_raw where _load_id = '__replay__' order by 1")

    def rejects() -> list[tuple]:
        return project.query("select _source_row_id, resolution from silver.member__reject order by 1")

    deliver(1, ("a", "1"), ("b", "1"), ("c", "1"))
    project.run().ok()
    deliver(2, ("a", "2"), ("b", "-5"), ("c", "x"))
    project.run().ok()
    ended = [("a", 1, 1, 2, "l1"), ("a", 2, 2, None, "l2"), ("b", 1, 1, 2, "l1"), ("c", 1, 1, 2, "l1")]
    assert found() == ended
    # Bronze forgets: what was refused is left in the reject relation alone.
    project.execute("delete from bronze.member_raw where id <> 'a'")
    project.run().ok()
    assert found() == ended

    outcome = project.replay("member", dry_run=True).ok()
    assert "2 would be delivered again" in outcome.output, outcome.output
    assert bronze() == []
    outcome = project.replay("member").ok()
    assert "2 delivered again, 0 there already" in outcome.output, outcome.output
    outcome = project.replay("member").ok()
    assert "0 delivered again, 2 there already" in outcome.output, outcome.output
    back = [("row b", "2026-01-02T08:00:00Z", "-5", "1.10", 9007199254740993)]
    back.append(("row c", "2026-01-02T08:00:00Z", "x", "1.10", 9007199254740993))
    assert bronze() == back
    assert project.replay("nobody").exit != 0

    # Refused again, it is what it was; and stays so, however often it is replayed.
    project.run().ok()
    assert (found(), rejects()) == (ended, [("row b", None), ("row c", None)])
    assert "0 delivered again, 2 there already" in project.replay("member").ok().output

    # Admitted by a rule that lets it pass.
    options = ("--target", target, "--dialect", engine, "--out", out)
    harness.assay("generate", "--specs", harness.write_specs(folder, refusing(-10)), *options).ok()
    if target == "sqlmesh":
        project.plan().ok()
    project.run().ok()
    admitted = [*ended[:3], ("b", -5, 2, None, "__replay__"), ended[3]]
    assert found() == admitted
    assert rejects() == [("row b", "admitted"), ("row c", None)]
    project.run().ok()
    assert found() == admitted

    # A newer delivery of a row that was replayed takes the place of its replay.
    deliver(3, ("c", "y"), ("b", "7"))
    project.run().ok()
    project.execute("delete from bronze.member_raw where _load_id = 'l3' and id = 'c'")
    assert "1 delivered again, 0 there already" in project.replay("member").ok().output
    assert bronze() == [back[0], ("row c", "2026-01-03T08:00:00Z", "y", "1.10", 9007199254740993)]
    project.run().ok()
    assert found() == [*ended[:3], ("b", -5, 2, 3, "__replay__"), ("b", 7, 3, None, "l3"), ended[3]]
