"""P04–P08: names and quoting."""

import json

from case import Case, Refusal, column, rows, single, yaml
from harness import Project

RESERVED = ("user", "order", "offset", "current_date")
ODD = ("van tijdstip", "uuid-part1", "Année", "1st", 'a"b', "Price (EUR)", "Ärzte", "a @ b")
LONG = "shipping_group_configurations_and_path_groups_and_settings_of_the_depot_"


def the_payload_keeps_the_source_names(project: Project) -> None:
    (row,) = project.warehouse.relation("silver.p05__reject").dicts()
    raw = json.loads(row["raw"])
    assert {name: raw[name] for name in ODD} == dict.fromkeys(ODD, "x")


def long(suffix: str) -> Case:
    return Case(
        f"p06_a_name_of_77_bytes_{suffix}",
        single(
            LONG + suffix,
            types="id: {type: string}\namount: {type: int}",
            mapping='amount: {from: "$.amount", transform: [to_int]}',
            source=f"p06_{suffix}",
        ),
        {f"p06_{suffix}": column("amount", "1", "x")},
        {LONG + suffix: {"r1": "pass", "r2": "quarantine: amount_coercible"}},
        engines=("duckdb",),
    )


REFUSALS = [
    Refusal(
        "p05_an_unsafe_field_name",
        single("p05", types='id: {type: string}\n"van tijdstip": {type: string}', mapping='"van tijdstip": {from: "$.x"}'),
        ["van tijdstip", "p05.yaml:8:"],
    ),
    Refusal(
        "p07_entities_equal_but_for_case",
        {
            "model.yaml": yaml("""
                spec_version: 1
                entities:
                  Orders: {grain: one row per id, key: [id], fields: {id: {type: string}}}
                  orders: {grain: one row per id, key: [id], fields: {id: {type: string}}}
            """)
        },
        ["`Orders`", "model.yaml:3:3"],
    ),
    Refusal(
        "p07_fields_equal_but_for_case",
        {
            "model.yaml": yaml("""
                spec_version: 1
                entities:
                  orders:
                    grain: one row per id
                    key: [id]
                    fields:
                      id: {type: string}
                      ID: {type: string}
            """)
        },
        ["`ID`", "model.yaml:8:7"],
    ),
    Refusal(
        "p08_a_rule_name_that_is_not_one",
        single(
            "p08",
            types="id: {type: string}\nx: {type: string}",
            mapping='x: {from: "$.x"}',
            settings='quality: [{rule: expression, name: "a b; c", expr: "x = id", on_fail: flag}]',
        ),
        ["a b; c", "p08.yaml:10:"],
    ),
]

CASES = [
    Case(
        "p04_reserved_words_as_columns",
        single(
            "p04",
            types="id: {type: string}\n" + "\n".join(f"{name}: {{type: string}}" for name in RESERVED),
            mapping="\n".join(
                f'{name}: {{from: "$.{name}", quality: [{{rule: not_null, on_fail: flag}}]}}' for name in RESERVED
            ),
        ),
        {"p04_raw": rows(dict.fromkeys(RESERVED), dict.fromkeys(RESERVED, "a"))},
        {"p04": {"r1": "flag: " + ", ".join(sorted(f"{name}_not_null" for name in RESERVED)), "r2": "pass"}},
    ),
    Case(
        "p05_source_names_of_any_kind",
        single(
            "p05",
            types="id: {type: string}\n" + "\n".join(f"field_{at}: {{type: string}}" for at in range(len(ODD))) + "\nn: {type: int}",
            mapping="\n".join(f"field_{at}: {{from: {json.dumps(f'$[{json.dumps(name, ensure_ascii=False)}]', ensure_ascii=False)}}}" for at, name in enumerate(ODD))
            + '\nn: {from: "$.n", transform: [to_int]}',
        ),
        {"p05_raw": rows({**dict.fromkeys(ODD, "y"), "n": "1"}, {**dict.fromkeys(ODD, "x"), "n": "one"})},
        {"p05": {"r1": "pass", "r2": "quarantine: n_coercible"}},
        {"p05": {"r1": {f"field_{at}": "y" for at in range(len(ODD))}}},
        the_payload_keeps_the_source_names,
    ),
    long("codes"),
    long("dates"),
    Case(
        "p08_text_that_tries_to_be_sql_or_yaml",
        single(
            "p08_text",
            types="""
                id: {type: string, description: "says \\"hi\\": yes\\nversion: 3\\n- x */ -- {{ x }}"}
                x: {type: string, description: "'; drop table t; --"}
            """,
            mapping="""
                x: {from: "$.x", quality: [{rule: in_set, values: ["x') or 1=1 --"], on_fail: quarantine, description: "*/ x\\n; --"}]}
            """,
        ),
        {"p08_text_raw": column("x", "x') or 1=1 --", "x", "x') or 1=1 -- ")},
        {"p08_text": {"r1": "pass", "r2": "quarantine: x_in_set", "r3": "quarantine: x_in_set"}},
    ),
    Case(
        "p08_a_source_named_like_an_attack",
        single(
            "p08_source",
            types="id: {type: string}\nx: {type: int}",
            mapping='x: {from: "$.x", transform: [to_int]}',
            source="'raw\"; drop table t; --'",
        ),
        {'raw"; drop table t; --': column("x", "1", "one")},
        {"p08_source": {"r1": "pass", "r2": "quarantine: x_coercible"}},
    ),
]
