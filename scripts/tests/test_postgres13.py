"""PostgreSQL 13 to 15 cannot be asked whether a text is valid input, so the project brings a function that can."""

import re
from pathlib import Path

import pytest

import harness
from case import rows, single
from harness import TARGETS, Project, Target

FRESH = {
    name: text.replace("key:\n", "freshness: {error_after: 99999d}\nkey:\n", 1) if "mapping" in name else text
    for name, text in single(
        "fresh",
        types="id: {type: string}\nn: {type: int}",
        mapping='n: {from: "$.n", transform: [to_int]}',
    ).items()
}

NUMBERS = ["0", "-0", "+7", "1.", ".5", ".", "", "+", "--1", "1-", "007", "1.005", "-1.005", "9.994", "9.995", "99", "1e3", "NaN"]
LONG = ["9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "9" * 200000]
TIMES = [
    "2024-02-29", "2023-02-29", "2024-13-01", "0001-01-01", "0000-01-01", "9999-12-31", "infinity", "now",
    "2024-01-05 23:59", "2024-01-05T23:59:59.999999", "2024-01-05 24:00", "2024-01-05 10:00:61", "2024-01-05 10:00+15:59",
    "2024-01-05T10:00:00Z", "2024-01-05 10:00+16", "yesterday", "2024-01-05 nonsense",
]  # fmt: skip
DOCUMENTS = ["{}", "[1, 2", '{"a": "\\u0000"}', '{"a": "\\ud800"}', '{"a": NaN}', "[1,]", '"x"', "null", '{"a": 1, "a": 2}']
TYPES = {
    "bigint": NUMBERS + LONG,
    "numeric(3,2)": NUMBERS + LONG,
    "numeric(38,0)": NUMBERS + ["9" * 38, "9" * 39, "9" * 38 + ".5"],
    "date": TIMES,
    "timestamp": TIMES,
    "timestamptz": TIMES,
    "jsonb": DOCUMENTS,
}


def project(tmp_path: Path, target: Target) -> Project:
    return harness.generate(harness.write_specs(tmp_path / "specs", FRESH), target, tmp_path / "project", "postgres13")


def test_the_function_says_what_the_engine_says_from_16_on(tmp_path: Path) -> None:
    macro = project(tmp_path, "dbt").folder / "macros" / "assay" / "assay_install.sql"
    statement = re.search(r"DO \$install\$.*\$install\$", macro.read_text(encoding="utf-8"), re.DOTALL)
    assert statement
    newest = harness.new_warehouse(tmp_path, "postgres")
    newest.execute(statement[0])
    newest.execute(statement[0])  # finds it made
    compared = 0
    for type_, texts in TYPES.items():
        for text in texts:
            # What an engine calls a number beyond our shapes never reaches either.
            if text != "NaN":
                found = newest.query("select assay.input_is_valid(?, ?), pg_input_is_valid(?, ?)", [text, type_] * 2)
                assert found[0][0] == found[0][1], (type_, text[:60], found)
                compared += 1
    assert compared > 100


@pytest.mark.parametrize("target", TARGETS)
def test_freshness_can_be_asked_before_anything_was_built(tmp_path: Path, target: Target) -> None:
    made = project(tmp_path, target)
    made.warehouse.load_bronze({"fresh_raw": rows({"n": "1"}, {"n": "one"})})
    if target == "dbt":
        made.dbt("source", "freshness").ok()
    made.run().ok()
    assert harness.fates(made.warehouse, "fresh") == {"r1@l1": "pass", "r2@l1": "quarantine: n_coercible"}


@pytest.mark.parametrize("target", TARGETS)
def test_models_at_the_same_time_install_it_once(tmp_path: Path, target: Target) -> None:
    specs = tmp_path / "specs"
    for number in range(4):
        documents = single(
            f"many{number}",
            types="id: {type: string}\nn: {type: int}",
            mapping='n: {from: "$.n", transform: [to_int]}',
        )
        harness.write_specs(specs / str(number), documents)
    made = harness.generate(specs, target, tmp_path / "project", "postgres13")
    # As in a repository that was there before: no hook of the project, only those of the models.
    for name in ("dbt_project.yml", "config.yaml"):
        path = made.folder / name
        if path.exists():
            text = path.read_text(encoding="utf-8")
            lines = [line for line in text.splitlines() if "assay_install" not in line and line != "before_all:"]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    made.warehouse.load_bronze({f"many{number}_raw": rows({"n": "1"}) for number in range(4)})
    made.run().ok()
    assert all(harness.fates(made.warehouse, f"many{number}") == {"r1@l1": "pass"} for number in range(4))
