"""P18–P21: keys, dedupe, merge."""

import random

from case import Case, rows, single
from harness import Project, delivered

LATEST = "dedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}"


def composite(entity: str, settings: str = LATEST) -> dict[str, str]:
    return single(
        entity,
        key="a, b",
        types="a: {type: string}\nb: {type: string}\nx: {type: string}",
        keys='a: {from: "$.a"}\nb: {from: "$.b"}',
        mapping='x: {from: "$.x"}',
        settings=settings,
    )


def four_reject_ids(project: Project) -> None:
    assert project.query("select count(distinct reject_id) from silver.p18_rejects__reject") == [(4,)]


def tie(number: int) -> Case:
    arriving = rows(*({"id": "k", "x": str(at)} for at in range(1, 6)))
    random.Random(number).shuffle(arriving)
    entity = f"p19_{number}"
    return Case(
        f"p19_a_full_tie_shuffled_{number}",
        single(entity, types="id: {type: string}\nx: {type: string}", mapping='x: {from: "$.x"}', settings=LATEST),
        {f"{entity}_raw": arriving},
        {entity: {"r1": "dedupe", "r2": "dedupe", "r3": "dedupe", "r4": "dedupe", "r5": "pass"}},
        {entity: {"r5": {"x": "5"}}},
    )


PAIRS = [{"a": a, "b": b, "x": "1"} for a, b in (("doc-7", "12"), ("doc-71", "2"), ("a|b", "c"), ("a", "b|c"))]

CASES = [
    Case(
        "p18_keys_that_join_alike",
        composite("p18"),
        {"p18_raw": rows(*PAIRS)},
        {"p18": {f"r{n}": "pass" for n in range(1, 5)}},
    ),
    Case(
        "p18_source_rows_that_join_alike",
        single(
            "p18_rejects",
            types="id: {type: string}\nx: {type: int}",
            mapping='x: {from: "$.x", transform: [to_int]}',
        ),
        {
            "p18_rejects_raw": rows(
                *({"_source_row_id": id_, "id": f"k{at}", "x": "?"} for at, id_ in enumerate(("1", "11", "a:1", "1:a")))
            )
        },
        {"p18_rejects": dict.fromkeys(("1", "11", "a:1", "1:a"), "quarantine: x_coercible")},
        also=four_reject_ids,
    ),
    *map(tie, range(1, 5)),
    Case(
        "p20_null_recency_and_null_payload",
        single(
            "p20",
            types="id: {type: string}\nts: {type: timestamp}\nx: {type: int}",
            mapping='ts: {from: "$.ts", transform: [{parse_ts: ISO8601}]}\nx: {from: "$.x", transform: [to_int]}',
            settings="dedupe: {keep: latest_by, field: ts, tie_break: [_load_id]}",
        ),
        {
            "p20_raw": rows(
                {"id": "K", "ts": None, "x": "1"}, {"id": "K", "ts": "2024-01-01", "x": None}, {"id": "L", "ts": None, "x": None}
            )
        },
        {"p20": {"r1": "dedupe", "r2": "pass", "r3": "pass"}},
    ),
    Case(
        "p20_recency_is_a_time_not_a_text",
        single(
            "p20_typed",
            types="id: {type: string}\nts: {type: timestamp}",
            mapping='ts: {from: "$.ts", transform: [{parse_ts: ISO8601}]}',
            settings="dedupe: {keep: latest_by, field: ts, tie_break: [_load_id]}",
        ),
        {
            "p20_typed_raw": rows(
                {"id": "K", "ts": "2024-01-01T23:30:00-02:00"},
                {"id": "K", "ts": "2024-01-02T00:30:00Z"},
                {"id": "M", "ts": "2024-01-02 09:00:00"},
                {"id": "M", "ts": "2024-01-02T08:59:59Z"},
            )
        },
        {"p20_typed": {"r1": "pass", "r2": "dedupe", "r3": "pass", "r4": "dedupe"}},
    ),
    Case(
        "p20_the_newest_delivery_wins_even_if_it_is_bad",
        single(
            "p20_bad",
            types="id: {type: string}\nx: {type: int}",
            mapping='x: {from: "$.x", transform: [to_int]}',
            settings=LATEST,
        ),
        {
            "p20_bad_raw": [
                *rows({"_source_row_id": "s", "id": "K", "x": "1"}),
                *rows({"_source_row_id": "s", "id": "K", "x": "one"}, load="l2", at="2026-01-02T00:00:00Z"),
            ]
        },
        {"p20_bad": {"s@l1": "dedupe", "s@l2": "quarantine: x_coercible"}},
    ),
    Case(
        "p21_a_null_in_the_key_delivered_three_times",
        composite("p21"),
        {
            "p21_raw": [
                row
                for day in (1, 2, 3)
                for row in delivered(
                    [{"_source_row_id": "s", "a": None, "b": "onion", "x": "1"}], load=f"l{day}", at=f"2026-01-0{day}T00:00:00Z"
                )
            ]
        },
        {"p21": {"s@l1": "dedupe", "s@l2": "dedupe", "s@l3": "quarantine: a_not_null"}},
    ),
    Case(
        "p21_rows_without_a_key_are_not_one_row",
        composite("p21_many"),
        {"p21_many_raw": delivered([{"a": None, "b": "onion", "x": str(n)} for n in range(3)])},
        {"p21_many": {f"r{n}": "quarantine: a_not_null" for n in (1, 2, 3)}},
    ),
]
