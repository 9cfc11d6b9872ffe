"""L10: after a blocking gate fires, everything published is what it was; and nothing else is held up."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import harness
from blocking import Blocked, BlockedBatch, state
from case import METADATA_UNMAPPED, rows, single, yaml
from harness import ENGINES, TARGETS, Project, Row, Target

LATEST = "dedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}"


def numbers(
    entity: str, arriving: Sequence[Row], *, quality: str = "", settings: str = LATEST, before: Sequence[Row] = ()
) -> Blocked:
    """An entity `id, n` that published a few rows and then gets others."""
    return Blocked(
        entity,
        entity,
        single(
            entity,
            types="id: {type: string}\nn: {type: int}",
            mapping=f'n: {{from: "$.n", transform: [to_int]{quality}}}',
            settings=settings,
        ),
        {f"{entity}_raw": before or rows({"n": "1"}, {"n": "2"}, {"n": "two"})},
        {f"{entity}_raw": arriving},
    )


def second(*listed: Row) -> list[dict]:
    return rows(*listed, load="l2", at="2026-01-02T00:00:00Z", prefix="s")


def with_ceiling(share: str, case: Blocked) -> Blocked:
    retention = "{retention: 36500d"
    return replace(
        case, specs={name: text.replace(retention, f'{retention}, ceiling: "{share}"') for name, text in case.specs.items()}
    )


def sixty_and(rule: str) -> str:
    """A word of a mask holds 60 rules, in the order of their names."""
    ranges = [f"{{rule: range, name: above_{least:02}, min: {least - 100}, on_fail: fail}}" for least in range(60)]
    return f", quality: [{', '.join([*ranges, rule])}]"


NOT_NEGATIVE = ", quality: [{rule: range, min: 0, on_fail: fail}]"

MERGED = {
    "model.yaml": yaml("""
        spec_version: 1
        entities:
          g_merged:
            grain: one row per id
            key: [id]
            fields: {id: {type: string}, n: {type: int}}
            dedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}
            quarantine: {retention: 36500d}
    """),
    **{
        f"{source}.yaml": yaml(f"""
            mapping_version: 1
            source: g_merged_{source}
            target: g_merged
            key: {{id: {{from: "$.id"}}}}
            fields: {{n: {{from: "$.n", transform: [to_int]}}}}
            unmapped: {METADATA_UNMAPPED}
        """)
        for source in ("one", "two")
    },
}

# One of four is not more than a quarter.
ONE_OF_FOUR = rows({"n": "1"}, {"n": "2"}, {"n": "3"}, {"n": "four"})
LEDGER = f"{LATEST}\nmaterialization: incremental_by_key"

CEILINGS = [
    with_ceiling("25%", numbers("g_ceiling", second({"n": "5"}, {"n": "x"}, {"n": "y"}), before=ONE_OF_FOUR)),
    # The next run reads from the day before the newest delivery, where nothing is wrong.
    replace(
        with_ceiling(
            "25%",
            numbers(
                "g_ceiling_of_a_ledger",
                [*second({"n": "x"}, {"n": "y"}), *rows({"n": "5"}, {"n": "6"}, load="l2", at="2026-03-01T00:00:00Z", prefix="t")],
                settings=LEDGER,
                before=ONE_OF_FOUR,
            ),
        ),
        mending={
            "g_ceiling_of_a_ledger_raw": rows({"n": "7"}, {"n": "8"}, load="l3", at="2026-03-02T00:00:00Z", prefix="s")
        },
    ),
    with_ceiling(
        "25%",
        numbers(
            "g_ceiling_of_a_history",
            second({"id": "r1", "n": "x"}, {"id": "r2", "n": "y"}),
            settings=f"scd: type2\n{LATEST}",
            before=ONE_OF_FOUR,
        ),
    ),
    with_ceiling("0%", numbers("g_ceiling_of_nothing", second({"n": "x"}), before=rows({"n": "1"}))),
    # Rounded, one of 2001 is nothing.
    with_ceiling("0.0499%", numbers("g_ceiling_of_many", second({"n": "x"}), before=rows(*[{"n": "1"}] * 2000))),
]

FOUR = rows({"n": "1"}, {"n": "2"}, {"n": "3"}, {"n": "4"})


def again(count: int, n: str | None, **metadata: str) -> list[dict]:
    """The first rows once more, each with another value."""
    return rows(*[{"n": n}] * count, **{"load": "l2", "at": "2026-01-02T00:00:00Z", **metadata})


def with_rails(rails: str, entity: str, arriving: Sequence[Row], settings: str = LATEST, mending: Sequence[Row] = ()) -> Blocked:
    case = numbers(entity, arriving, settings=f"rails: {{{rails}}}\n{settings}", before=FOUR)
    return replace(case, mending={f"{entity}_raw": mending} if mending else {})


RAILS = [
    with_rails('lost: "75%"', "g_rows_lost", again(3, "x")),
    with_rails('null_share: "99.5%"', "g_column_lost", again(4, None)),
    with_rails('deleted: "75%"', "g_keys_lost", [*again(3, "x"), *second({"n": "5"}, {"n": "6"}, {"n": "7"})]),
    with_rails(
        'lost: "75%"',
        "g_rows_lost_of_a_ledger",
        again(3, "x"),
        LEDGER,
        again(3, "1", load="l3", at="2026-01-03T00:00:00Z"),
    ),
    with_rails('lost: "75%", deleted: "75%"', "g_rows_lost_of_a_history", again(3, "x"), f"scd: type2\n{LATEST}"),
]

BLOCKED = [
    *CEILINGS,
    *RAILS,
    numbers("g_fail_rule", second({"n": "5"}, {"n": "-1"}), quality=NOT_NEGATIVE),
    numbers(
        "g_fail_and_quarantine",
        second({"n": "-1"}),
        quality=", quality: [{rule: range, min: 0, on_fail: fail}, {rule: range, min: -100, max: -2, on_fail: quarantine}]",
        before=rows({"n": None}),
    ),
    numbers("g_the_sixty_first_fail_rule", second({"n": "-1"}), quality=sixty_and("{rule: range, name: z, min: 0, on_fail: fail}"), before=rows({"n": "1"})),
    numbers(
        "g_the_sixty_first_fail_rule_of_a_ledger",
        second({"n": "1"}),
        quality=sixty_and("{rule: unique, name: z, on_fail: fail}"),
        settings=LEDGER,
        before=rows({"n": "1"}, {"n": "2"}),
    ),
    numbers("g_null_load", [{**row, "_load_id": None} for row in second({"n": "5"})]),
    numbers("g_null_time", [{**row, "_ingested_at": None} for row in second({"n": "5"})]),
    numbers("g_null_row_id", [{**row, "_source_row_id": None} for row in second({"n": "5"})]),
    numbers("g_bad_time", [{**row, "_ingested_at": "2026-13-01"} for row in second({"n": "5"})]),
    numbers("g_repeated_in_a_load", [{**row, "_source_row_id": "s1"} for row in second({"n": "5"}, {"n": "6"})]),
    numbers("g_one_row_under_two_keys", [{**row, "_source_row_id": "r1"} for row in second({"id": "other", "n": "5"})]),
    numbers("g_key_twice_without_dedupe", second({"id": "r1", "n": "5"}), settings=""),
    numbers("g_metadata_of_a_rejected_row", [{**row, "_ingested_at": None} for row in second({"n": "five"})]),
    Blocked(
        "g_uncastable_recency",
        "g_recency",
        single(
            "g_recency",
            types="id: {type: string}\nts: {type: timestamp}",
            mapping='ts: {from: "$.ts", transform: [{parse_ts: ISO8601}]}',
            settings="dedupe: {keep: latest_by, field: ts, tie_break: [_load_id]}",
        ),
        {"g_recency_raw": rows({"ts": "2026-01-01"})},
        {"g_recency_raw": second({"ts": "yesterday"})},
    ),
    Blocked(
        "g_one_key_from_two_sources",
        "g_merged",
        MERGED,
        {"g_merged_one": rows({"n": "1"}), "g_merged_two": rows({"n": "2"}, prefix="t")},
        {"g_merged_two": second({"id": "r1", "n": "3"})},
    ),
]

BLOCKED.append(
    Blocked(
        "g_recipe_and_direct_differ",
        "g_computed",
        {
            "catalog.yaml": yaml("""
                catalog_version: 1
                canonical_fields:
                  total: {entity: g_computed, type: int, recipes: [{id: a_total, requires: [one, other], expr: "CAST(one + other AS int)"}]}
            """),
            **single(
                "g_computed",
                types="id: {type: string}\ntotal: {type: int}",
                mapping='total: {recipe: a_total, from: {one: "$.one", other: "$.other"}, direct: "$.total"}',
                settings=LATEST,
            ),
        },
        {"g_computed_raw": rows({"one": "1", "other": "2", "total": "3"}, {"one": "1", "other": "2", "total": None})},
        {"g_computed_raw": second({"one": "1", "other": "2", "total": "3"}, {"one": "1", "other": "2", "total": "4"})},
    )
)

# Entities that nothing is wrong with, in the same project.
HEALTHY = [
    numbers("g_healthy", second({"n": "5"})),
    with_rails('lost: "75.000001%", null_share: "75.1%", deleted: "76%"', "g_within_rails", again(3, "x")),
]


@pytest.fixture(params=ENGINES, scope="module")
def batch(folder: Path, request: pytest.FixtureRequest) -> BlockedBatch:
    return BlockedBatch([*BLOCKED, *HEALTHY], folder / request.param, request.param)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", BLOCKED, ids=str)
def test_a_stopped_run_publishes_nothing(batch: BlockedBatch, case: Blocked, target: Target) -> None:
    batch.verify(case, target)


@pytest.mark.parametrize("target", TARGETS)
def test_an_entity_without_a_fault_is_published(batch: BlockedBatch, target: Target) -> None:
    assert harness.fates(batch.projects[target].warehouse, "g_healthy") == {
        "r1@l1": "pass",
        "r2@l1": "pass",
        "r3@l1": "quarantine: n_coercible",
        "s1@l2": "pass",
    }
    within = harness.fates(batch.projects[target].warehouse, "g_within_rails")
    assert within["r3@l2"] == "quarantine: n_coercible" and within["r4@l1"] == "pass", within


@pytest.mark.parametrize("target", TARGETS)
def test_the_counts_of_a_stopped_run_are_kept(batch: BlockedBatch, target: Target) -> None:
    found = batch.projects[target].query(
        "select rows_failed from gold.mart_data_quality where entity = 'g_fail_rule' and rule = 'n_range_min' order by rows_failed"
    )
    assert found == [(0,), (1,)]


def test_dbt_run_without_tests_is_stopped_too(batch: BlockedBatch) -> None:
    project = batch.projects["dbt"]
    outcome = project.dbt("run")
    assert outcome.exit != 0
    for case in batch.running:
        if case in BLOCKED:
            assert state(project, case.entity) == batch.before["dbt"][case.name], (case.name, outcome.output)


@pytest.mark.parametrize("target", TARGETS)
def test_a_run_beyond_its_limits_is_counted_and_told(batch: BlockedBatch, target: Target) -> None:
    project = batch.projects[target]
    counted = project.query(
        "select entity, rows_quarantined, rows_evaluated from gold.mart_data_quality"
        " where rule = '(entity)' and entity like 'g_ceiling%'"
        " and run_id = (select max(run_id) from gold.mart_data_quality where run_at = (select max(run_at) from gold.mart_data_quality))"
    )
    assert ("g_ceiling", 3, 7) in counted and ("g_ceiling_of_many", 1, 2001) in counted, counted
    output = batch.blocked[target].output
    for told in ("3 of 7 rows of g_ceiling were quarantined, more than its ceiling of 25%", "assay_allow_quarantine"):
        assert told in " ".join(output.split()), output
    assert "assay_allow_loss" in output
    if target == "dbt":
        assert "rail_lost: 3 of 4 rows of g_rows_lost would be gone, and the rail is at 75%" in output


def said(project: Project, entity: str) -> list[tuple[str, str, int, int | None, str]]:
    """What the gates of an entity said in its newest run, but for those that are plainly passed."""
    return project.query(
        "select gate, outcome, measured, out_of, threshold from gold.quality_runs where entity = ? and outcome <> 'pass'"
        " and run_id = (select run_id from gold.quality_summary where entity = ? and is_latest) order by gate",
        [entity, entity],
    )


@pytest.mark.parametrize("target", TARGETS)
def test_a_stopped_run_leaves_what_its_gates_said(batch: BlockedBatch, target: Target) -> None:
    project = batch.projects[target]
    assert said(project, "g_fail_rule") == [("fail_rule", "fail", 1, None, "0")]
    assert said(project, "g_ceiling") == [("quarantine_ceiling", "fail", 3, 7, "25%")]
    assert said(project, "g_rows_lost") == [("rail_lost", "fail", 3, 4, "75%")]
    assert said(project, "g_healthy") == []
    first = project.query("select distinct outcome, out_of, reason from gold.quality_runs where gate = 'rail_lost' and entity = 'g_rows_lost' order by outcome")
    assert first[-1] == ("skipped", 0, "no rows published before"), first
    newest = {entity: rest for entity, *rest in project.query(
        "select entity, outcome, stopped_by, rows_evaluated, rows_quarantined from gold.quality_summary where is_latest"
    )}
    assert newest["g_ceiling"] == ["fail", "quarantine_ceiling", 7, 3], newest
    assert newest["g_healthy"] == ["pass", None, 4, 1], newest
    # Every relation of an entity that a gate stands before is asked, once a run.
    asked = project.query(
        "select gate, count(*) from gold.quality_runs where entity = 'g_healthy'"
        " and run_id = (select run_id from gold.quality_summary where entity = 'g_healthy' and is_latest) group by gate order by gate"
    )
    assert asked == [
        ("conservation", 3),
        ("delivered_twice_in_one_load", 1),
        ("fail_rule", 1),
        ("ingestion_metadata", 1),
        ("key_in_two_sources", 1),
        ("key_not_unique", 2),
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_the_version_of_the_rules_is_that_of_their_content(batch: BlockedBatch, target: Target) -> None:
    versions = dict(batch.projects[target].query("select entity, max(rule_set) from gold.quality_runs group by entity having count(distinct rule_set) = 1"))
    assert versions["g_rows_lost"] != versions["g_fail_rule"]
    other = dict(batch.projects["dbt"].query("select entity, max(rule_set) from gold.quality_runs group by entity"))
    assert versions == other


@pytest.mark.parametrize("target", TARGETS)
def test_a_first_run_over_a_fault_publishes_nothing(target: Target, tmp_path: Path) -> None:
    case = BLOCKED[0]
    project = harness.generate(harness.write_specs(tmp_path / "specs", case.specs), target, tmp_path / "project")
    project.warehouse.load_bronze(case.arriving)
    assert project.run().exit != 0
    assert not relation_exists(project, case.entity) or not project.query(f"select * from silver.{case.entity}")


def relation_exists(project: Project, name: str) -> bool:
    return project.query("select count(*) from information_schema.tables where table_schema = 'silver' and table_name = ?", [name]) != [(0,)]


@pytest.mark.parametrize("target", TARGETS)
def test_a_mended_delivery_goes_through(batch: BlockedBatch, target: Target) -> None:
    """It changes the warehouse, so it stands behind those that look at the blocked run."""
    project = batch.projects[target]
    for case in batch.running:
        project.warehouse.load_bronze(case.mending)
        for table in case.arriving:
            if case in BLOCKED and not case.mending:
                project.execute(f"delete from bronze.{table} where _load_id is null or _load_id = 'l2'")
    project.run().ok()
    for case in batch.running:
        if case.mending:
            assert "l3" in {row["_load_id"] for row in state(project, case.entity)[f"silver.{case.entity}"].dicts()}
        elif case in BLOCKED:
            assert unresolved_and_published(state(project, case.entity)) == unresolved_and_published(
                batch.before[target][case.name]
            )


def unresolved_and_published(found: Mapping[str, harness.Relation]) -> list[harness.Relation]:
    return [relation.without({"last_evaluated_at"}) for relation in found.values()]


def run_naming(project: Project, named: Mapping[str, Sequence[str]]) -> harness.Outcome:
    """A run that is let through; SQLMesh reads changed variables with a plan."""
    variables = ", ".join(f"{variable}: [{', '.join(entities)}]" for variable, entities in named.items())
    if project.target == "dbt":
        return project.dbt("build", "--vars", f"{{{variables}}}")
    config = project.folder / "config.yaml"
    before = config.read_text()
    config.write_text(f"{before}variables: {{{variables}}}\n")
    project.plan().ok()
    outcome = project.run()
    config.write_text(before)
    project.plan()
    return outcome


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_named_goes_beyond_its_limits(batch: BlockedBatch, target: Target) -> None:
    project = batch.projects[target]
    losing = [case for case in RAILS if case.name != "g_column_lost"]
    cases = [*CEILINGS[:3], *losing]
    arriving = [
        *rows(*[{"n": "x"}] * 8, load="l4", at="2026-04-01T00:00:00Z", prefix="u"),
        *rows({"n": "1"}, {"n": "2"}, load="l4", at="2026-06-01T00:00:00Z", prefix="v"),
    ]
    for case in CEILINGS[:3]:
        project.warehouse.load_bronze({f"{case.entity}_raw": arriving})
    # A delivery that is nearly empty, and for what remembers the deliveries before it, one that is refused.
    for case in losing:
        if case.mending:
            project.warehouse.load_bronze({f"{case.entity}_raw": again(3, "x", load="l4", at="2026-04-01T00:00:00Z")})
        else:
            project.execute(f"delete from bronze.{case.entity}_raw where _source_row_id <> 'r1'")
    before = {case.name: state(project, case.entity) for case in cases}
    assert project.run().exit != 0
    assert {case.name: state(project, case.entity) for case in cases} == before

    quarantines, losses = ([case.entity for case in those] for those in (CEILINGS[:3], losing))
    run_naming(project, {"assay_allow_quarantine": quarantines, "assay_allow_loss": losses}).ok()
    for entity, gate in (("g_ceiling", "quarantine_ceiling"), ("g_rows_lost", "rail_lost")):
        told = project.query("select gate, outcome, reason from gold.quality_runs where entity = ? and outcome = 'warn'", [entity])
        variable = {"quarantine_ceiling": "assay_allow_quarantine", "rail_lost": "assay_allow_loss"}[gate]
        assert told == [(gate, "warn", f"let through by the variable {variable}")], told
    for case in CEILINGS[:3]:
        refused = harness.fates(project.warehouse, case.entity)
        assert refused["u8@l4"] == "quarantine: n_coercible", (case.name, refused)
    for entity in ("g_rows_lost", "g_keys_lost", "g_rows_lost_of_a_ledger"):
        assert len(project.warehouse.relation(f"silver.{entity}").rows) == 1, entity
    # What does not come ends no version.
    history = state(project, "g_rows_lost_of_a_history")
    assert history == before["g_rows_lost_of_a_history"]

    # What a ledger has published and reads no more is not asked about again.
    again_told = project.run().output
    assert "rows of g_ceiling were" in again_told and "rows of g_ceiling_of_a_ledger" not in again_told, again_told


def test_a_relation_that_dbt_takes_back_leaves_what_its_gates_said(batch: BlockedBatch) -> None:
    """It spoils judged, so it stands last."""
    project = batch.projects["dbt"]
    before = state(project, "g_healthy")
    project.execute("insert into silver.g_healthy__judged select * from silver.g_healthy__judged where _route = 'admitted' limit 1")
    outcome = project.dbt("run", "--select", "g_healthy")
    assert outcome.exit != 0 and "conservation (1" in outcome.output or "key_not_unique (1" in outcome.output, outcome.output
    assert state(project, "g_healthy") == before
    assert {gate for gate, outcome, *_ in said(project, "g_healthy") if outcome == "fail"} & {"conservation", "key_not_unique"}

    project.execute("delete from gold.quality_runs where relation = 'g_healthy__judged'")
    outcome = project.dbt("run", "--select", "g_healthy")
    assert outcome.exit != 0 and "not_asked" in outcome.output, outcome.output
