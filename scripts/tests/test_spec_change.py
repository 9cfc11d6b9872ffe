"""A changed spec over rows that are already there: nothing is lost, and nothing is forgotten."""

from pathlib import Path

import pytest

import harness
from case import rows, single
from harness import TARGETS, Project, Target

ENTITY = "changed"


def specs(rules: str) -> dict[str, str]:
    return single(
        ENTITY,
        types='id: {type: string}\nn: {type: "decimal(9,2)"}',
        mapping=f'n: {{from: "$.n", quality: [{rules}]}}',
        settings="dedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}",
    )


def fates(project: Project) -> dict[str, str]:
    admitted = project.query(f"select _source_row_id, 'admitted' from silver.{ENTITY}")
    rejected = project.query(
        f"select _source_row_id, coalesce(resolution, 'unresolved') from silver.{ENTITY}__reject"
    )
    return {row: fate for row, fate in rejected if fate == "unresolved"} | dict(admitted)


@pytest.mark.parametrize("target", TARGETS)
def test_a_changed_rule_moves_rows_at_once_and_keeps_their_history(target: Target, tmp_path: Path) -> None:
    folder = tmp_path / "specs"
    out = tmp_path / "project"
    before = specs("{rule: range, min: 0, on_fail: quarantine}")
    project = harness.generate(harness.write_specs(folder, before), target, out)
    delivered = rows({"n": "1"}, {"n": "-5"}, {"n": "x"}, {"n": "1.005"}, {"n": "-7"})
    project.warehouse.load_bronze({f"{ENTITY}_raw": delivered})
    project.run().ok()
    ids = [row["_source_row_id"] for row in delivered]
    unresolved = "unresolved"
    assert fates(project) == dict(zip(ids, ["admitted", unresolved, unresolved, "admitted", unresolved]))
    first_seen = dict(project.query(f"select reject_id, first_seen from silver.{ENTITY}__reject"))

    # Bronze ages out: what was rejected is all that is left of the last row.
    project.execute(f"delete from bronze.{ENTITY}_raw where _source_row_id = ?", [ids[4]])
    after = specs("{rule: range, min: -6, on_fail: quarantine}, {rule: exact, on_fail: quarantine}")
    harness.generate(harness.write_specs(folder, after), target, out)
    (project.plan() if target == "sqlmesh" else project.run()).ok()

    assert fates(project) == dict(zip(ids, ["admitted", "admitted", unresolved, unresolved, unresolved]))
    resolved = project.query(f"select _source_row_id, resolution from silver.{ENTITY}__reject where resolved_at is not null")
    assert resolved == [(ids[1], "admitted")]
    now = dict(project.query(f"select reject_id, first_seen from silver.{ENTITY}__reject"))
    assert first_seen.items() <= now.items()


def test_a_delivery_between_two_models_waits_for_its_own_judgement(tmp_path: Path) -> None:
    documents = specs("{rule: range, min: 0, on_fail: quarantine}")
    project = harness.generate(harness.write_specs(tmp_path / "specs", documents), "dbt", tmp_path / "project")
    source = f"{ENTITY}_raw"
    early = rows({"n": "1"}, {"n": "-5"}, prefix="a")
    project.warehouse.load_bronze({source: early})
    project.dbt("run", "--select", f"+{ENTITY}__judged").ok()
    project.warehouse.load_bronze({source: rows({"n": "2"}, {"n": "-6"}, load="l2", prefix="b")})

    project.dbt("run", "--select", ENTITY, f"{ENTITY}__reject").ok()
    ids = [row["_source_row_id"] for row in early]
    assert fates(project) == dict(zip(ids, ["admitted", "unresolved"]))

    project.run().ok()
    assert sorted(fates(project).values()) == ["admitted", "admitted", "unresolved", "unresolved"]
