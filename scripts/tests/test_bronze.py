"""What bronze may be made of: columns that are no text, and documents that are no JSON."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from case import Batches, Case, column, rows, single
from harness import ENGINES, TARGETS, Engine, Project, Row, Target

# One of each kind of column, and the same fact as a feed of texts would bring it.
TYPES = {
    "postgres": {
        "whole": "INTEGER",
        "big": "BIGINT",
        "price": "NUMERIC(12, 3)",
        "at": "TIMESTAMP",
        "instant": "TIMESTAMPTZ",
        "day": "DATE",
        "plain": "JSON",
        "packed": "JSONB",
        "yes": "BOOLEAN",
        "ratio": "DOUBLE PRECISION",
        "_load_id": "INTEGER",
        "_ingested_at": "TIMESTAMPTZ",
    },
    "duckdb": {
        "whole": "INTEGER",
        "big": "BIGINT",
        "price": "DECIMAL(12, 3)",
        "at": "TIMESTAMP",
        "instant": "TIMESTAMPTZ",
        "day": "DATE",
        "plain": "JSON",
        "packed": "JSON",
        "yes": "BOOLEAN",
        "ratio": "DOUBLE",
        "_load_id": "INTEGER",
        "_ingested_at": "TIMESTAMPTZ",
    },
}
DOCUMENT = '{"deep": {"n": 12345678901234567890.10, "t": "a"}, "list": [{"x": 1}, {"x": 2}]}'
GOOD = {
    "whole": "-7",
    "big": "9223372036854775807",
    "price": "12.340",
    "at": "2024-02-29 23:59:59.5",
    "instant": "2024-07-01 12:00:00+02",
    "day": "2024-02-29",
    "plain": DOCUMENT,
    "packed": DOCUMENT,
    "yes": "true",
    "ratio": "0.5",
}
LISTED = [
    GOOD,
    {**GOOD, "price": "12.345"},  # a digit is lost
    {**GOOD, "whole": "101"},
    {**GOOD, "day": "1999-12-31"},
    {**GOOD, "plain": '{"deep": {"n": "x"}}'},
    {**GOOD, "packed": "[1, 2]"},
    {**GOOD, "yes": None, "ratio": None, "instant": None},
    {**GOOD, "instant": "0001-01-01 00:00:00+00", "at": "9999-12-31 00:00:00"},
]
FATES = {
    "r1": "pass",
    "r2": "flag: price_exact",
    "r3": "quarantine: whole_range_max",
    "r4": "quarantine: day_range_min",
    "r5": "quarantine: n_coercible",
    "r6": "flag: t_not_null",
    "r7": "pass",
    "r8": "pass",
}
VALUES: Mapping[str, Mapping[str, str | None]] = {
    "r1": {
        "whole": "-7",
        "big": "9223372036854775807",
        "price": "12.34",
        "at": "2024-02-29 23:59:59.5",
        "instant": "2024-07-01 10:00:00",
        "day": "2024-02-29",
        "n": "12345678901234567890.10",
        "t": "a",
        "second": "2",
        "yes": "true",
        "ratio": "0.500",
        "_ingested_at": "2026-01-01 00:00:00",
    },
    "r2": {"price": "12.35"},
    "r6": {"t": None, "second": None},
    "r7": {"yes": None, "ratio": None, "instant": None},
    "r8": {"instant": "0001-01-01 00:00:00", "at": "9999-12-31 00:00:00"},
}
RAW = {
    "whole": "101",
    "big": "9223372036854775807",
    "price": "12.340",
    "at": "2024-02-29 23:59:59.5",
    "instant": "2024-07-01 10:00:00+00",
    "day": "2024-02-29",
    "plain": DOCUMENT,
    "yes": "true",
    "ratio": "0.5",
    "_load_id": "1",
    "_ingested_at": "2026-01-01 00:00:00+00",
}


def facts(entity: str) -> dict[str, str]:
    return single(
        entity,
        types="""
            id: {type: string}
            whole: {type: int}
            big: {type: int}
            price: {type: "decimal(12,2)"}
            at: {type: timestamp}
            instant: {type: timestamp}
            day: {type: date}
            n: {type: "decimal(38,2)"}
            t: {type: string}
            second: {type: int}
            yes: {type: bool}
            ratio: {type: "decimal(9,3)"}
        """,
        mapping="""
            whole: {from: "$.whole", transform: [to_int], quality: [{rule: range, max: 100, on_fail: quarantine}]}
            big: {from: "$.big", transform: [to_int]}
            price: {from: "$.price", transform: [{to_decimal: [12, 2]}]}
            at: {from: "$.at", transform: [{parse_ts: ISO8601}]}
            instant: {from: "$.instant", transform: [{parse_ts: ISO8601}]}
            day: {from: "$.day", transform: [{parse_date: ISO8601}], quality: [{rule: range, min: "2000-01-01", on_fail: quarantine}]}
            n: {from: "$.plain.deep.n", transform: [{to_decimal: [38, 2]}]}
            t: {from: "$.packed.deep.t", quality: [{rule: not_null, on_fail: flag}]}
            second: {from: "$.packed.list[1].x", transform: [to_int]}
            yes: {from: "$.yes", transform: [to_bool]}
            ratio: {from: "$.ratio", transform: [{to_decimal: [9, 3]}]}
        """,
        settings="dedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}",
    )


def raw_is(entity: str, expected: Row) -> Callable[[Project], None]:
    def check(project: Project) -> None:
        ((raw,),) = project.query(f"select raw from silver.{entity}__reject where _source_row_id = 'r3'")
        found = json.loads(raw)
        assert json.loads(found.pop("packed")) == json.loads(DOCUMENT)
        assert found == {"id": "r3", "_source_row_id": "r3", **expected}

    return check


def facts_case(entity: str, types: Mapping[str, Mapping[str, str]], raw: Row) -> Case:
    return Case(
        entity,
        facts(entity),
        {f"{entity}_raw": rows(*LISTED, load="1")},
        {entity: {f"{row}@1": fate for row, fate in FATES.items()}},
        {entity: VALUES},
        raw_is(entity, raw),
        types=types,
    )


TEXTS = {"instant": "2024-07-01 12:00:00+02", "_ingested_at": "2026-01-01T00:00:00Z"}

# Text of a document, and whether it can be read.
DOCUMENTS = {
    '{"a": "x"}': True,
    ' {"a" : "NaN, ]Infinity,}"} ': True,
    '{"a": "\\\\u0000"}': True,
    '{"a": "\\u00e9\\ud83d\\ude00"}': True,
    '{"a": "x", "b": "y", "c": [1, 2]}': True,
    "{}": True,
    "null": True,
    '"a"': True,
    "": False,
    "{": False,
    '{"a": "\\u0000"}': False,
    '{"a": "x", "\\u0000": 1}': False,
    '{"a": "\\\\\\u0000"}': False,
    '{"a": "\\ud800"}': False,
    '{"a": "x", "b": NaN}': False,
    '{"a": "x", "b": nan}': False,
    '{"a": "x", "b": Infinity}': False,
    '{"a": "x", "b": -inf}': False,
    '{"a": "x",}': False,
    '{"a": "x", "b": [1,\n]}': False,
    '{"a": "x", "b": 01}': False,
    '{"a": "x"} x': False,
    "{'a': 'x'}": False,
}

CASES = [
    facts_case("typed_columns", TYPES, RAW),
    facts_case("text_columns", {}, {**RAW, **TEXTS}),
    Case(
        "what_is_no_json",
        single(
            "documents",
            types="id: {type: string}\na: {type: string}\nb: {type: string}",
            mapping="""
                a: {from: "$.doc.a", quality: [{rule: coercible, on_fail: flag}]}
                b: {from: "$.doc.b"}
            """,
        ),
        {"documents_raw": column("doc", *DOCUMENTS)},
        {
            "documents": {
                f"r{number}": "pass" if is_read else "quarantine: a_coercible, b_coercible"
                for number, is_read in enumerate(DOCUMENTS.values(), 1)
            }
        },
        {
            "documents": {
                "r1": {"a": "x"},
                "r2": {"a": "NaN, ]Infinity,}"},
                "r3": {"a": "\\u0000"},
                "r4": {"a": "é\U0001f600"},
                "r5": {"a": "x", "b": "y"},
            }
        },
    ),
]


@pytest.fixture(scope="module")
def batches(folder: Path) -> Batches:
    return Batches(CASES, folder)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_row_meets_its_fate(batches: Batches, case: Case, engine: Engine, target: Target) -> None:
    batches[engine].verify_ran(target)
    batches[engine].verify(case, target)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_both_frameworks_hold_the_same_rows(batches: Batches, case: Case, engine: Engine) -> None:
    batches[engine].compare(case)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_both_engines_hold_the_same_rows(batches: Batches, case: Case, target: Target) -> None:
    batches.compare(case, target)


@pytest.mark.parametrize("target", TARGETS)
def test_postgresql_finds_each_reject_by_an_index(batches: Batches, target: Target) -> None:
    found = batches["postgres"].projects[target].query(
        "select indexdef from pg_indexes where indexdef like 'CREATE UNIQUE INDEX%' and indexdef like '%(reject_id)'"
    )
    assert len(found) == len(CASES)
