"""P01–P03: reading YAML."""

from case import Case, Refusal, column, rows, single, yaml

REFUSALS = [
    Refusal(
        "p01_a_repeated_top_level_key",
        {
            "model.yaml": yaml("""
                entities:
                  order: {grain: one row per order, key: [order_id], fields: {order_id: {type: string}}}
                entities:
                  customer: {grain: one row per customer, key: [customer_id], fields: {customer_id: {type: string}}}
                spec_version: 1
            """)
        },
        ["`entities`", "model.yaml:3:1", "1 |"],
    ),
    Refusal(
        "p01_a_repeated_key_of_a_field",
        single(
            "p01",
            types="id: {type: string}\nprice: {type: int}",
            mapping="""
                price:
                  from: "$.price"
                  transform: [to_int]
                  quality: [{rule: range, min: 0, on_fail: quarantine}]
                  quality: [{rule: range, max: 9, on_fail: flag}]
            """,
        ),
        ["`quality`", "p01_mapping.yaml:11:", "p01_mapping.yaml"],
    ),
]

CASES = [
    Case(
        "p02_anchors_and_merge_keys",
        single(
            "p02_money",
            types="id: {type: string}\nprice: {type: 'decimal(12,2)'}\ntax: {type: 'decimal(12,2)'}",
            mapping="""
                price: {<<: *money, from: "$.p"}
                tax: {<<: *money, from: "$.t", quality: [{rule: range, min: 0, on_fail: flag}]}
            """,
            anchors="x-money: &money {transform: [{to_decimal: [12, 2]}], quality: [{rule: range, min: 0, on_fail: quarantine}]}",
        ),
        {"p02_money_raw": rows({"p": "1", "t": "2"}, {"p": "1", "t": "-2"}, {"p": "-1", "t": "2"})},
        {"p02_money": {"r1": "pass", "r2": "flag: tax_range_min", "r3": "quarantine: price_range_min"}},
    ),
    Case(
        "p03_words_that_yaml_reads_as_booleans",
        single(
            "p03",
            types="id: {type: string}\ncountry: {type: string}",
            mapping="""
                country: {from: "$.country", quality: [{rule: in_set, values: [SE, NO, DK, Y, on], on_fail: quarantine}]}
            """,
        ),
        {"p03_raw": column("country", "SE", "NO", "Y", "on", "false", "true", None)},
        {
            "p03": {
                **{f"r{n}": "pass" for n in (1, 2, 3, 4, 7)},
                **{f"r{n}": "quarantine: country_in_set" for n in (5, 6)},
            }
        },
    ),
]
