"""P22–P29: rules and routing."""

import json
from datetime import datetime

from case import METADATA_UNMAPPED, Case, Refusal, column, rows, single, yaml
from harness import METADATA, Project


def expression(entity: str, expr: str, on_fail: str = "quarantine", types: str = "a: {type: int}\nb: {type: int}") -> dict[str, str]:
    names = [line.split(":")[0] for line in types.splitlines()]
    return single(
        entity,
        types="id: {type: string}\n" + types,
        mapping="\n".join(
            f'{name}: {{from: "$.{name}"' + (", transform: [to_int]}" if f"{name}: {{type: int}}" in types else "}") for name in names
        ),
        settings=f"quality: [{{rule: expression, name: {entity}_holds, expr: {json.dumps(expr)}, on_fail: {on_fail}}}]",
    )


def refused(entity: str, expr: str, word: str) -> Refusal:
    return Refusal(entity, expression(entity, expr), [word, f"{entity}.yaml:11:"])


def counts(project: Project, entity: str, rule: str) -> tuple[int, int]:
    ((failed, undecided),) = project.query(
        "select sum(rows_failed), sum(rows_undecided) from gold.mart_data_quality where entity = ? and rule = ?", [entity, rule]
    )
    return failed, undecided


def failed_and_undecided_are_told_apart(project: Project) -> None:
    assert counts(project, "p24", "p24_holds") == (1, 1)
    assert project.query(
        "select sum(rows_evaluated), sum(rows_quarantined), sum(rows_deduped) from gold.mart_data_quality where entity = 'p24'"
    ) == [(3, 1, 0)]


def the_last_of_many_rules_is_counted(project: Project) -> None:
    assert [counts(project, "f_many", rule) for rule in ("a_64", "b_64", "b_62")] == [(2, 1), (1, 1), (0, 1)]


def the_reason_is_in_the_row(project: Project) -> None:
    (row,) = [row for row in project.warehouse.relation("silver.p29__reject").dicts() if row["_source_row_id"] == "r1"]
    assert row["entity"] == "p29"
    assert "p29_raw" in row["source_relation"]
    assert row["mapping"]
    raw = json.loads(row["raw"])
    assert (raw["a"], raw["b"], raw["c"]) == ("-1", "twelve", "x")
    assert json.loads(row["key_values"]) == {"id": "r1"}
    assert row["first_seen"] == row["last_seen"]
    assert isinstance(row["first_seen"], datetime)
    assert row["resolved_at"] is None and row["resolution"] is None


PARENT_AND_CHILD = {
    "model.yaml": yaml("""
        spec_version: 1
        entities:
          p27_parent:
            grain: one row per parent
            key: [parent_id]
            fields: {parent_id: {type: string}}
            dedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}
            quarantine: {retention: 36500d}
          p27_flag: &child
            grain: one row per child
            key: [id]
            fields: {id: {type: string}, parent_id: {type: string}}
            quarantine: {retention: 36500d}
            quality: [{rule: referential, via: p27_flag_parent, on_missing: flag}]
          p27_quarantine:
            <<: *child
            quality: [{rule: referential, via: p27_quarantine_parent, on_missing: quarantine}]
          p27_unknown:
            <<: *child
            quality: [{rule: referential, via: p27_unknown_parent, on_missing: unknown_member}]
        relationships:
          - {name: p27_flag_parent, from: p27_flag, to: p27_parent, via: {parent_id: parent_id}, cardinality: many_to_one}
          - {name: p27_quarantine_parent, from: p27_quarantine, to: p27_parent, via: {parent_id: parent_id}, cardinality: many_to_one}
          - {name: p27_unknown_parent, from: p27_unknown, to: p27_parent, via: {parent_id: parent_id}, cardinality: many_to_one}
    """),
    "parent.yaml": yaml(f"""
        mapping_version: 1
        source: p27_parent_raw
        target: p27_parent
        key: {{parent_id: {{from: "$.parent_id"}}}}
        unmapped: {METADATA_UNMAPPED}
    """),
    **{
        f"{child}.yaml": yaml(f"""
            mapping_version: 1
            source: p27_child_raw
            target: {child}
            key: {{id: {{from: "$.id"}}}}
            fields: {{parent_id: {{from: "$.parent_id"}}}}
            unmapped: {METADATA_UNMAPPED}
        """)
        for child in ("p27_flag", "p27_quarantine", "p27_unknown")
    },
}


def inner_joins_keep_the_total(project: Project) -> None:
    assert project.query(
        "select count(*) from silver.p27_unknown as c join silver.p27_parent as p on c.parent_id = p.parent_id"
    ) == [(2,)]


REFUSALS = [
    refused("p22_now", "id <= cast(now() as varchar)", "now"),
    refused("p22_random", "random() < 0.5", "random"),
    refused("p22_uuid", "id <> uuid()", "uuid"),
    refused("p22_user", "id = current_user", "current_user"),
    refused("p22_timestamp", "current_timestamp > date '2026-01-01'", "current_timestamp"),
    refused("p22_query", "a in (select 1)", "sub-quer"),
    refused("p25_semicolon", "a > 0;", ";"),
    Refusal(
        "p28_a_ceiling_that_can_never_stop_a_run",
        {
            name: text.replace("{retention: 36500d}", '{retention: 36500d, ceiling: "100%"}')
            for name, text in expression("p28", "a > 0").items()
        },
        ["`100%`", "never", "p28.yaml:10:"],
    ),
    Refusal(
        "a_rule_that_can_quarantine_needs_a_retention",
        {
            **single("f_retention", types="id: {type: string}\na: {type: int}", mapping='a: {from: "$.a", transform: [to_int]}'),
            "f_retention.yaml": yaml("""
                spec_version: 1
                entities:
                  f_retention:
                    grain: one row per id
                    key: [id]
                    fields: {id: {type: string}, a: {type: int}}
                    quality: [{rule: expression, name: a_positive, expr: "a > 0", on_fail: flag}]
            """),
        },
        ["retention", "a_coercible", "id_not_null"],
    ),
]

CASES = [
    Case(
        "p23_the_expression_says_what_must_hold",
        expression("p23", "a > 0", types="a: {type: int}"),
        {"p23_raw": column("a", "5", "-5", None)},
        {"p23": {"r1": "pass", "r2": "quarantine: p23_holds", "r3": "pass"}},
    ),
    Case(
        "p24_undecided_is_not_passed",
        expression("p24", "b > a"),
        {"p24_raw": rows({"a": "1", "b": "2"}, {"a": "2", "b": "1"}, {"a": "3", "b": None})},
        {"p24": {"r1": "pass", "r2": "quarantine: p24_holds", "r3": "pass"}},
        also=failed_and_undecided_are_told_apart,
    ),
    Case(
        "p25_or_keeps_its_brackets",
        single(
            "p25",
            types="id: {type: string}\nstatus: {type: string}\namount: {type: int}",
            mapping='status: {from: "$.status"}\namount: {from: "$.amount", transform: [to_int]}',
            settings="""
                quality:
                  - {rule: expression, name: p25_status, expr: "status = 'a' OR status = 'b'", on_fail: flag}
                  - {rule: expression, name: p25_amount, expr: "amount > 0 OR amount = 0", on_fail: flag}
                  - {rule: expression, name: p25_not, expr: "NOT (status = 'c' AND amount = 7 OR amount = 8)", on_fail: flag}
            """,
        ),
        {
            "p25_raw": rows(
                {"status": "a", "amount": "-1"},
                {"status": "b", "amount": "1"},
                {"status": "c", "amount": "7"},
                {"status": "a", "amount": "8"},
            )
        },
        {"p25": {"r1": "flag: p25_amount", "r2": "pass", "r3": "flag: p25_not, p25_status", "r4": "flag: p25_not"}},
    ),
    Case(
        "p26_unique_within_a_filter",
        single(
            "p26",
            types="id: {type: string}\nk: {type: string}\nincluded: {type: bool}",
            mapping="""
                k: {from: "$.k", quality: [{rule: unique, where: "included", on_fail: quarantine}]}
                included: {from: "$.included", transform: [to_bool]}
            """,
        ),
        {
            "p26_raw": rows(
                {"k": "k", "included": "true"},
                {"k": "k", "included": "true"},
                {"k": "k", "included": "false"},
                {"k": None, "included": "true"},
                {"k": None, "included": "true"},
                {"k": "other", "included": "true"},
            )
        },
        {
            "p26": {
                "r1": "quarantine: k_unique",
                "r2": "quarantine: k_unique",
                "r3": "pass",
                "r4": "pass",
                "r5": "pass",
                "r6": "pass",
            }
        },
    ),
    Case(
        "p27_orphans_beside_a_null_parent",
        PARENT_AND_CHILD,
        {
            "p27_parent_raw": [
                {"parent_id": parent, **row} for parent, row in zip(("1", None, "1"), rows({}, {}, {}), strict=True)
            ],
            "p27_child_raw": column("parent_id", "1", "2", None),
        },
        {
            "p27_parent": {"r1": "dedupe", "r2": "quarantine: parent_id_not_null", "r3": "pass"},
            "p27_flag": {"r1": "pass", "r2": "flag: p27_flag_parent_referential", "r3": "pass"},
            "p27_quarantine": {"r1": "pass", "r2": "quarantine: p27_quarantine_parent_referential", "r3": "pass"},
            "p27_unknown": {"r1": "pass", "r2": "flag: p27_unknown_parent_referential", "r3": "pass"},
        },
        {"p27_unknown": {"r1": {"parent_id": "1"}, "r2": {"parent_id": "__unknown__"}, "r3": {"parent_id": None}}},
        inner_joins_keep_the_total,
    ),
    Case(
        "p29_the_reason_is_in_the_row",
        single(
            "p29",
            types="id: {type: string}\na: {type: int}\nb: {type: int}\nc: {type: string}",
            mapping="""
                a: {from: "$.a", transform: [to_int], quality: [{rule: range, min: 0, on_fail: quarantine}]}
                b: {from: "$.b", transform: [to_int]}
                c: {from: "$.c", quality: [{rule: length, min: 2, on_fail: flag}]}
            """,
        ),
        {"p29_raw": rows({"a": "-1", "b": "twelve", "c": "x"}, {"a": "1", "b": "2", "c": "x"})},
        {"p29": {"r1": "quarantine: a_range_min, b_coercible, c_length_min", "r2": "flag: c_length_min"}},
        also=the_reason_is_in_the_row,
    ),
    Case(
        "more_rules_than_bits_in_a_word",
        single(
            "f_many",
            types="id: {type: string}\na: {type: int}\nb: {type: int}",
            mapping="\n".join(
                f'{name}: {{from: "$.{name}", transform: [to_int], quality: [{", ".join(above)}]}}'
                for name, on_fail in (("a", "flag"), ("b", "quarantine"))
                for above in [[f"{{rule: range, name: {name}_{i:02}, min: {i - 64}, on_fail: {on_fail}}}" for i in range(65)]]
            ),
        ),
        {"f_many_raw": rows({"a": "0", "b": "0"}, {"a": "-1", "b": "0"}, {"a": "-2", "b": "-2"}, {"a": None, "b": None})},
        {
            "f_many": {
                "r1": "pass",
                "r2": "flag: a_64",
                "r3": "quarantine: a_63, a_64, b_63, b_64",
                "r4": "pass",
            }
        },
        also=the_last_of_many_rules_is_counted,
    ),
    Case(
        "no_rows_at_all",
        expression("f_empty", "a > 0", types="a: {type: int}"),
        {},
        {"f_empty": {}},
        empty={"f_empty_raw": ("id", "a", *METADATA)},
    ),
]
