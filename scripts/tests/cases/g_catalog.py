"""What the catalog makes: fields that recipes compute, with what failed on the way and what was delivered beside them,
and the date dimension."""

from datetime import date, timedelta

from case import METADATA_UNMAPPED, Case, rows, yaml
from harness import Project

CATALOG = yaml("""
    catalog_version: 1
    date_dimension: {name: dim_date, start_year: 2019, end_year: 2025}
    canonical_fields:
      net: {entity: computed, type: "decimal(12,2)", recipes: [{id: net_of_gross, requires: [gross, tax], expr: "gross - tax"}]}
      price: {entity: computed, type: "decimal(12,4)", recipes: [{id: a_price, requires: {total: "decimal(12,2)", qty: int}, expr: "total / qty"}]}
      guarded:
        entity: computed
        type: "decimal(12,4)"
        recipes:
          - {id: a_guarded_price, requires: {total: "decimal(12,2)", qty: int}, expr: "CASE WHEN qty > 0 THEN total / qty ELSE 0 END"}
      hidden:
        entity: computed
        type: "decimal(12,4)"
        recipes: [{id: a_hidden_failure, requires: {total: "decimal(12,2)", qty: int}, expr: "COALESCE(total / qty, 0)"}]
      days:
        entity: computed
        type: int
        recipes:
          - id: by_terms
            requires: {the__terms: string}
            expr: "CASE WHEN UPPER(the__terms) = 'NET' THEN 30 ELSE CAST(SUBSTRING(the__terms FROM 1 FOR 2) AS int) END"
      due: {entity: computed, type: timestamp, recipes: [{id: a_month_later, requires: {day: date}, expr: "day + INTERVAL '1 month'"}]}
      label: {entity: computed, type: string, recipes: [{id: first_name, requires: [a, b], expr: "COALESCE(NULLIF(TRIM(a), ''), UPPER(b))"}]}
      is_paid: {entity: computed, type: bool, recipes: [{id: by_amount, requires: {paid: "decimal(12,2)", total: "decimal(12,2)"}, expr: "paid >= total"}]}
      product: {entity: computed, type: "decimal(38,0)", recipes: [{id: a_product, requires: [x, y], expr: "x * y"}]}
      total: {entity: beside, type: "decimal(12,2)", recipes: [{id: a_total, requires: [one, other], expr: "one + other"}]}
      as_it_is: {entity: plain, type: int, recipes: [{id: as_it_is, requires: [number]}]}
""")

MODEL = yaml("""
    spec_version: 1
    entities:
      computed:
        grain: one row per id
        key: [id]
        fields:
          id: {type: string}
          net: {type: "decimal(12,2)"}
          price: {type: "decimal(12,4)"}
          guarded: {type: "decimal(12,4)"}
          hidden: {type: "decimal(12,4)"}
          days: {type: int}
          due: {type: timestamp}
          label: {type: string}
          is_paid: {type: bool}
          product: {type: "decimal(38,0)"}
        quarantine: {retention: 36500d}
      beside:
        grain: one row per id
        key: [id]
        fields: {id: {type: string}, amount: {type: "decimal(12,2)", canonical: total}}
        quarantine: {retention: 36500d}
        quality:
          - {rule: expression, name: direct_is_small, expr: "amount__direct < 1000", on_fail: flag}
      plain:
        grain: one row per id
        key: [id]
        fields: {id: {type: string}, number: {type: "decimal(20,1)", canonical: as_it_is}}
""")

COMPUTED = yaml(f"""
    mapping_version: 1
    source: computed_raw
    target: computed
    key: {{id: {{from: "$.id"}}}}
    fields:
      net: {{recipe: net_of_gross, from: {{tax: "$.body.tax", gross: "$.gross"}}}}
      price: {{recipe: a_price, from: {{total: "$.total", qty: "$.qty"}}}}
      guarded: {{recipe: a_guarded_price, from: {{total: "$.total", qty: "$.qty"}}}}
      hidden: {{recipe: a_hidden_failure, from: {{total: "$.total", qty: "$.qty"}}}}
      days: {{recipe: by_terms, from: {{the__terms: "$.terms"}}}}
      due: {{recipe: a_month_later, from: {{day: "$.day"}}}}
      label: {{recipe: first_name, from: {{a: "$.a", b: "$.b"}}}}
      is_paid: {{recipe: by_amount, from: {{paid: "$.paid", total: "$.total"}}}}
      product: {{recipe: a_product, from: {{x: "$.x", y: "$.y"}}}}
    unmapped: {METADATA_UNMAPPED}
""")

BESIDE = {
    "beside_computed.yaml": yaml(f"""
        mapping_version: 1
        source: beside_one
        target: beside
        key: {{id: {{from: "$.id"}}}}
        fields: {{amount: {{recipe: a_total, from: {{one: "$.one", other: "$.other"}}, direct: "$.amount"}}}}
        unmapped: {METADATA_UNMAPPED}
    """),
    "beside_delivered.yaml": yaml(f"""
        mapping_version: 1
        source: beside_two
        target: beside
        key: {{id: {{from: "$.id"}}}}
        fields: {{amount: {{from: "$.amount"}}}}
        unmapped: {METADATA_UNMAPPED}
    """),
}

PLAIN = yaml("""
    mapping_version: 1
    source: plain_raw
    target: plain
    key: {id: {from: "$.id"}}
    fields: {number: {recipe: as_it_is, from: {number: "$.n"}}}
""")

NOTHING = {"gross": None, "body": None, "total": None, "qty": None, "terms": None, "day": None, "a": None, "b": None, "paid": None, "x": None, "y": None}
MUCH = "99999999999999999999"
# What arrives, what becomes of it, and values of the published row.
TOLD: list[tuple[dict, str, dict[str, str | None]]] = [
    (
        {"gross": "119.00", "body": '{"tax": "19.00"}', "total": "10.00", "qty": "4", "terms": "net", "day": "2026-01-31", "a": " x ", "b": "y", "paid": "10", "x": "5", "y": "-7"},
        "pass",
        {"net": "100.00", "price": "2.5000", "guarded": "2.5000", "hidden": "2.5000", "days": "30", "due": "2026-02-28 00:00:00", "label": "x", "is_paid": "true", "product": "-35"},
    ),
    ({}, "pass", {"net": None, "price": None, "guarded": "0.0000", "hidden": "0.0000", "days": None, "due": None, "label": None, "is_paid": None, "product": None}),
    ({"gross": "12,5", "body": '{"tax": 1}'}, "quarantine: net_coercible", {}),
    ({"gross": "10", "body": '{"tax": null}'}, "pass", {"net": None}),
    ({"gross": "1.005", "body": '{"tax": 0}'}, "flag: net_exact", {"net": "1.01"}),
    ({"gross": "10", "body": '{"tax": '}, "quarantine: net_coercible", {}),
    ({"gross": "9999999999.99", "body": '{"tax": -9999999999.99}'}, "quarantine: net_coercible", {}),
    ({"total": "10", "qty": "0"}, "quarantine: hidden_coercible, price_coercible", {}),
    ({"total": "10", "qty": "3"}, "flag: guarded_exact, hidden_exact, price_exact", {"price": "3.3333", "guarded": "3.3333", "hidden": "3.3333"}),
    ({"qty": "3.0"}, "quarantine: guarded_coercible, hidden_coercible, price_coercible", {}),
    ({"terms": "14 days"}, "pass", {"days": "14"}),
    ({"terms": "xx days"}, "quarantine: days_coercible", {}),
    ({"terms": ""}, "quarantine: days_coercible", {}),
    ({"day": "9999-12-01"}, "quarantine: due_coercible", {}),
    ({"day": "9999-11-30"}, "pass", {"due": "9999-12-30 00:00:00"}),
    ({"day": "2026-02-30"}, "quarantine: due_coercible", {}),
    ({"a": "  ", "b": "y"}, "pass", {"label": "Y"}),
    ({"x": MUCH, "y": MUCH}, "quarantine: product_coercible", {}),
    ({"paid": "1", "total": "2"}, "pass", {"is_paid": "false", "price": None}),
]


def a_missing_delivered_value_is_undecided(project: Project) -> None:
    found = project.query(
        "select mapping, sum(rows_failed), sum(rows_undecided) from gold.mart_data_quality"
        " where entity = 'beside' and rule = 'amount_agrees_with_direct' group by mapping"
    )
    assert [(failed, undecided) for _, failed, undecided in found] == [(0, 3)]
    assert project.query("select id, cast(number as varchar) from silver.plain order by id") == [("r1", "7.0"), ("r2", None)]
    (row,) = [row for row in project.warehouse.relation("silver.beside__reject").dicts()]
    assert '"one"' in str(row["raw"]) and '"amount"' in str(row["raw"])


def every_day_lies_in_its_periods(project: Project) -> None:
    days = [date(2019, 1, 1) + timedelta(days=at) for at in range(5 * 365 + 2 * 366)]
    assert days[-1] == date(2025, 12, 31)
    expected = [
        (
            day,
            day - timedelta(days=day.weekday()),
            day.replace(day=1),
            date(day.year, (day.month - 1) // 3 * 3 + 1, 1),
            date(day.year, 1, 1),
            *day.isocalendar(),
        )
        for day in days
    ]
    assert (date(2021, 1, 1), date(2020, 12, 28), date(2021, 1, 1), date(2021, 1, 1), date(2021, 1, 1), 2020, 53, 5) in expected
    found = project.warehouse.relation("gold.dim_date")
    assert sorted(tuple(row) for row in found.rows) == expected
    assert [type(cell) for cell in found.rows[0]] == [date] * 5 + [int] * 3


def both(project: Project) -> None:
    a_missing_delivered_value_is_undecided(project)
    every_day_lies_in_its_periods(project)


CASES = [
    Case(
        "catalog",
        {"catalog.yaml": CATALOG, "model.yaml": MODEL, "computed.yaml": COMPUTED, "plain.yaml": PLAIN, **BESIDE},
        {
            "computed_raw": rows(*({**NOTHING, **cells} for cells, _, _ in TOLD)),
            "beside_one": rows(
                {"one": "1.50", "other": "2", "amount": "3.5"},
                {"one": "1.50", "other": "2", "amount": None},
                {"one": None, "other": "2", "amount": "9"},
                {"one": "1", "other": "2", "amount": "three"},
                {"one": "1000", "other": "2", "amount": "1002.00"},
            ),
            "beside_two": rows({"amount": "5"}, prefix="t"),
            "plain_raw": [{"id": "r1", "n": "007"}, {"id": "r2", "n": None}],
        },
        {
            "computed": {f"r{at}": fate for at, (_, fate, _) in enumerate(TOLD, start=1)},
            "beside": {
                "beside_one/r1@l1": "pass",
                "beside_one/r2@l1": "pass",
                "beside_one/r3@l1": "pass",
                "beside_one/r4@l1": "quarantine: amount__direct_coercible",
                "beside_one/r5@l1": "flag: direct_is_small",
                "beside_two/t1@l1": "pass",
            },
        },
        {
            "computed": {f"r{at}": values for at, (_, _, values) in enumerate(TOLD, start=1) if values},
            "beside": {
                "r1": {"amount": "3.50", "amount__direct": "3.50"},
                "r3": {"amount": None, "amount__direct": "9.00"},
                "t1": {"amount": "5.00", "amount__direct": None},
            },
        },
        also=both,
    ),
]
