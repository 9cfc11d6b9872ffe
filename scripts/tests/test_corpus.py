"""The labelled dirty rows and the public files of the shared corpus, in both frameworks."""

import re
from collections import Counter
from pathlib import Path

import pytest

import harness
from blocking import Blocked, BlockedBatch
from case import Batch, Batches, Case
from harness import CORPUS, ENGINES, RELEASES, ROOT, TARGETS, Engine, Row, Target, delivered, read_csv

SPECS = ROOT / "fixtures" / "corpus"


def specs(name: str) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((SPECS / name).iterdir())}


def labelled(name: str) -> list[dict[str, str | None]]:
    return read_csv(CORPUS / "dirty" / f"{name}.csv")


# Where engines disagree about a text, semantics.md decides: whole value, no trimming, no exponent.
DIVERGENT = {"scientific_notation": "quarantine", "trailing_space": "quarantine", "leading_space": "quarantine"}
RULES = {
    "dates": {"quarantine": "at_coercible"},
    "enums": {"quarantine": "status_in_enum"},
    "numerics": {"quarantine": "amount_coercible", "flag": "amount_exact"},
}
KEY_RULES = {
    "null_key_part_order_id": "order_id_not_null",
    "null_key_part_line_no": "line_no_not_null",
    "empty_string_key_part": "order_id_length_min",
    "amount_below_range_min": "amount_range_min",
}
FATES = {"pass": "pass", "dedupe_winner": "pass", "dedupe_loser": "dedupe"}


def fate(file: str, row: Row) -> str:
    label = row["_expected"]
    if label == "dialect_divergent":
        label = DIVERGENT[row["_case"]]
    if label in FATES:
        return FATES[label]
    rule = KEY_RULES[row["_case"]] if file == "keys" else RULES[file][label]
    return f"{label}: {rule}"


def labelled_case(file: str) -> Case:
    listed = [row for row in labelled(file) if row["_expected"] != "fail"]
    return Case(
        file,
        specs(file),
        {file: listed},
        {file: {f"{row['_source_row_id']}@{row['_load_id']}": fate(file, row) for row in listed}},
    )


def keys_blocked() -> list[Blocked]:
    """Each labelled `fail` row (the repeated source row id is two) alone against the control row."""
    listed = labelled("keys")
    failing: dict[str, list[Row]] = {}
    for row in listed:
        if row["_expected"] == "fail":
            failing.setdefault(row["_source_row_id"] or "no_source_row_id", []).append(row)
    return [
        Blocked(
            name,
            f"keys_{name}",
            {file: re.sub(r"\bkeys\b", f"keys_{name}", text) for file, text in specs("keys").items()},
            {f"keys_{name}": listed[:1]},
            {f"keys_{name}": rows},
        )
        for name, rows in failing.items()
    ]


# ------------------------------------------------------------------------------------------- the public files


def public(name: str, encoding: str = "utf-8") -> list[dict[str, str | None]]:
    rows = read_csv(CORPUS / "bronze" / f"{name}.csv", encoding)
    return rows if "_source_row_id" in rows[0] else delivered(rows)


def rejected_or_flagged(quarantining: list[str], flagging: list[str]) -> str:
    if quarantining:
        return "quarantine: " + ", ".join(sorted(quarantining + flagging))
    return "flag: " + ", ".join(sorted(flagging)) if flagging else "pass"


def failing(row: Row, column: str, pattern: str, rule: str) -> list[str]:
    value = row[column]
    return [] if value is None or re.fullmatch(pattern, value) else [rule]


def hospital_fate(row: Row) -> str:
    score = failing(row, "Score", "[0-9]+%?", "score_percent_coercible")
    return rejected_or_flagged(
        failing(row, "ProviderNumber", "[0-9]{5}", "provider_no_pattern")
        + failing(row, "EmergencyService", "yes|no", "emergency_service_coercible"),
        failing(row, "State", "al|ak", "state_in_set")
        + failing(row, "ZipCode", "[0-9]{5}", "zip_code_pattern")
        + failing(row, "PhoneNumber", "[0-9]{10}", "phone_pattern")
        + score
        + failing(row, "Sample", "[0-9]+( patients)?", "sample_size_coercible"),
    )


def country_fate(row: Row) -> str:
    return rejected_or_flagged(
        [],
        failing(row, "Dial", "[0-9-]+", "dial_pattern")
        + failing(row, "FIPS", "[^\u00a0]*", "fips_charset")
        + failing(row, "ISO4217-currency_minor_unit", "[0-9]+", "minor_unit_coercible"),
    )


def avenger_fate(row: Row) -> str:
    return rejected_or_flagged(
        [],
        (["name_not_null"] if row["Name/Alias"] is None else [])
        + (["joined_range_min"] if int(row["Year"]) < 1963 else [])
        + (["appearances_range_min"] if int(row["Appearances"]) < 1 else []),
    )


def food_fate(row: Row) -> str:
    return rejected_or_flagged(
        [],
        failing(row, "Sugar_Tot", r"[0-9]+(\.[0-9]{0,2}0*)?", "sugar_exact")
        + failing(row, "Copper", r"[0-9]+(\.[0-9]{0,3}0*)?", "copper_exact"),
    )


def order_fate(row: Row) -> str:
    cancelled = (row["cancelled_at"] or "").strip()
    return rejected_or_flagged(
        ["total_covers_subtotal"]
        if float(row["total_price_set_shop_amount"]) < float(row["subtotal_price_set_shop_amount"])
        else [],
        ["cancelled_after_created"] if cancelled and cancelled < row["created_at"] else [],
    )


def fates_of(rows: list[dict[str, str | None]], fate_of) -> dict[str, str]:
    return {f"{row['_source_row_id']}@{row['_load_id']}": fate_of(row) for row in rows}


def register() -> list[dict[str, str]]:
    """One delivery per line; the payload is the text as delivered, also where the line was cut off."""
    line = re.compile(
        r'\{"_load_id": ?"(?P<_load_id>[^"]*)", ?"_ingested_at": ?"(?P<_ingested_at>[^"]*)", ?'
        r'"_source_row_id": ?"(?P<_source_row_id>[^"]*)", ?"payload": ?(?P<payload>.*)'
    )
    text = (CORPUS / "bronze" / "selfmade_register_docs.ndjson").read_text(encoding="utf-8")
    found = [line.fullmatch(each) for each in text.splitlines()]
    rows = [match.groupdict() for match in found if match]
    assert len(rows) == 12
    return [{**row, "payload": row["payload"].removesuffix("}") if row["payload"].endswith("}}") else row["payload"]} for row in rows]


MALFORMED = [f"{field}_coercible" for field in ("cvr", "unit_no", "updated_at", "name", "valid_from", "valid_to", "capital", "share")]


def public_cases() -> list[Case]:
    hospital, country = public("hospital_100"), public("country_codes")
    avengers, food = public("avengers", "latin-1"), public("food_small")
    orders, lines = public("shopify_gql_order"), public("shopify_gql_order_line")
    messy = public("selfmade_messy_orders")
    arriving = [row for row in messy if row["_ingested_at"] is not None]
    return [
        Case("hospital", specs("hospital"), {"hospital_100": hospital}, {"hospital": fates_of(hospital, hospital_fate)}),
        Case(
            "country_codes",
            specs("country_codes"),
            {"country_codes": country},
            {"country_code": fates_of(country, country_fate)},
            {
                "country_code": {
                    row["_source_row_id"]: {"alpha_2": "NA", "continent": "AF", "currency_no": row["ISO4217-currency_numeric_code"]}
                    for row in country
                    if row["ISO3166-1-Alpha-3"] == "NAM"
                }
            },
        ),
        Case("avengers", specs("avengers"), {"avengers": avengers}, {"avenger": fates_of(avengers, avenger_fate)}),
        Case(
            "shopify",
            specs("shopify"),
            {"shopify_gql_order": orders, "shopify_gql_order_line": lines},
            {
                "shopify_order": fates_of(orders, order_fate),
                "shopify_order_line": fates_of(lines, lambda row: "flag: shopify_line_order_referential"),
            },
            {"shopify_order_line": {"r1": {"order_id": "__unknown__", "total": "19.99"}}},
        ),
        Case(
            "food",
            specs("food"),
            {"food_small": food},
            {"food": fates_of(food, food_fate)},
            {"food": {"r1": {"ndb_no": "01001", "name": "butter,with salt", "sugar": "0.06"}}},
        ),
        Case(
            "linebreaks",
            specs("linebreaks"),
            {"openrefine_linebreaks": public("openrefine_linebreaks")},
            {"monarch": {"r1": "pass", "r2": "pass"}},
            {
                "monarch": {
                    "r1": {
                        "year_of_birth": "1662",
                        "description": "Mary II was Queen regnant of England, Scotland, and Ireland from \n1689 until her death.",
                    }
                }
            },
        ),
        Case(
            "messy_orders",
            specs("messy_orders"),
            {"selfmade_messy_orders": arriving},
            {
                "messy_order": {
                    "o01@l1": "dedupe",
                    "o02@l1": "dedupe",
                    "o03@l2": "dedupe",
                    "o04@l2": "quarantine: ordered_at_coercible, status_in_set",
                    "o05@l2": "quarantine: order_id_not_null",
                    "o06@l2": "quarantine: order_id_length_min",
                    "o07@l2": "quarantine: ordered_at_coercible, qty_coercible",
                    "o08@l2": "quarantine: ordered_at_coercible, price_coercible, qty_coercible, status_in_set",
                    "o09@l2": "quarantine: ordered_at_coercible, price_coercible, status_in_set",
                    "o10@l2": "quarantine: price_coercible, qty_coercible, status_in_set",
                    "o11@l2": "quarantine: ordered_at_coercible, price_coercible, status_in_set",
                    "o12@l2": "quarantine: price_exact, status_in_set",
                    "o02@l2": "pass",
                    "o14@l2": "quarantine: ordered_at_coercible, status_in_set",
                }
            },
        ),
        Case(
            "register",
            specs("register"),
            {"selfmade_register_docs": register()},
            {
                "company": {
                    "c00": "flag: capital_coercible",
                    "c01": "pass",
                    "c02": "pass",
                    "c03": "dedupe",
                    "c04": "pass",
                    "c05": "quarantine: cvr_pattern",
                    "c06": "quarantine: cvr_not_null",
                    "c07": "quarantine: cvr_not_null",
                    "c08": "flag: share_range",
                    "c09": "flag: name_normalize",
                    "c10": "pass",
                    "c11": "quarantine: " + ", ".join(sorted([*MALFORMED, "cvr_not_null"])),
                }
            },
            {
                "company": {
                    "c00": {"name": "Æblegård Møbler ApS", "cvr": "10000017", "updated_at": "2026-01-05 07:00:00", "valid_from": "2015-03-01"},
                    "c01": {"name": "NULL", "cvr": "00012345"},
                    "c04": {"updated_at": "2026-01-04 23:30:00"},
                    "c08": {"name": "Linje\nSkift K/S", "share": "1.0500"},
                }
            },
            # A document that repeats a key: DuckDB reads the first of the two values, PostgreSQL the last.
            known_apart=frozenset({"c10"}),
        ),
    ]


CASES = [*map(labelled_case, ("dates", "enums", "keys", "numerics")), *public_cases()]


def messy_blocked() -> Blocked:
    """The order without an ingestion time, after all the others."""
    messy = public("selfmade_messy_orders")
    rename = {"selfmade_messy_orders": "messy_blocked_raw", "messy_order": "messy_blocked"}

    def renamed(text: str) -> str:
        for old, new in rename.items():
            text = re.sub(rf"\b{old}\b", new, text)
        return text

    return Blocked(
        "messy_orders_null_ingested_at",
        "messy_blocked",
        {name: renamed(text) for name, text in specs("messy_orders").items()},
        {"messy_blocked_raw": [row for row in messy if row["_ingested_at"] is not None]},
        {"messy_blocked_raw": [row for row in messy if row["_ingested_at"] is None]},
    )


BLOCKED = [*keys_blocked(), messy_blocked()]


@pytest.fixture(scope="module")
def batches(folder: Path) -> Batches:
    return Batches(CASES, folder / "rows")


@pytest.fixture(params=ENGINES)
def batch(batches: Batches, request: pytest.FixtureRequest) -> Batch:
    return batches[request.param]


@pytest.fixture(scope="module")
def blocked(folder: Path) -> BlockedBatch:
    return BlockedBatch(BLOCKED, folder / "blocked")


RUNS = [(release, target) for release in RELEASES for target in harness.targets_of(release)]


def test_the_next_duckdb_is_another_one(batches: Batches) -> None:
    shown = [batches[engine].projects["dbt"].dbt("show", "--inline", "select version()") for engine in ("duckdb", "duckdb_next")]
    assert [outcome.output.count("v2.") > 0 for outcome in shown] == [False, True], [outcome.output for outcome in shown]


def test_every_label_is_known() -> None:
    labels = Counter(row["_expected"] for file in ("dates", "enums", "keys", "numerics") for row in labelled(file))
    assert set(labels) == {"pass", "flag", "quarantine", "dedupe_winner", "dedupe_loser", "fail", "dialect_divergent"}
    assert sum(labels.values()) == 81


@pytest.mark.parametrize("target", TARGETS)
def test_the_run_is_green(batch: Batch, target: Target) -> None:
    batch.verify_ran(target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_row_meets_its_fate(batch: Batch, case: Case, target: Target) -> None:
    batch.verify(case, target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_delivery_is_lost(batch: Batch, case: Case, target: Target) -> None:
    project = batch.project(case, target)
    arrived = [row for rows in case.bronze.values() for row in rows]
    found = [delivery for entity in case.fates for delivery in harness.fates(project.warehouse, entity)]
    assert sorted(found) == sorted(f"{row['_source_row_id']}@{row['_load_id']}" for row in arrived)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_both_frameworks_hold_the_same_rows(batch: Batch, case: Case) -> None:
    batch.compare(case)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_both_engines_hold_the_same_rows(batches: Batches, case: Case, target: Target) -> None:
    batches.compare(case, target)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize(("release", "target"), RUNS)
def test_other_releases_hold_the_same_rows(batches: Batches, release: Engine, case: Case, target: Target) -> None:
    batches[release].verify(case, target)
    batches.compare(case, target, release)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", BLOCKED, ids=str)
def test_the_run_is_stopped(blocked: BlockedBatch, case: Blocked, target: Target) -> None:
    blocked.verify(case, target)
