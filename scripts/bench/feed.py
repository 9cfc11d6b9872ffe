"""The bronze feed and the specs that `pipeline.py` measures with: order lines of 3 metadata and 17 text columns.

Twenty kinds of defects hit one row in a thousand each; three rows in a hundred are delivered a second time.
"""

from pathlib import Path

ORDERS = 100_000

# column: (SQL of a clean value over `i`, number of the row; {kind of defect: SQL of the dirty value})
COLUMNS: dict[str, tuple[str, dict[int, str]]] = {
    "order_id": (f"'O-' || lpad((i % {ORDERS})::TEXT, 9, '0')", {0: "NULL", 1: "'O-999999999'"}),
    "line_no": (f"(i // {ORDERS} + 1)::TEXT", {2: "'one'"}),
    "sku": ("'SKU-' || lpad((hash(i, 1) % 5000)::TEXT, 6, '0')", {3: "'sku?' || i"}),
    "product": ("'Product ' || (hash(i, 1) % 5000) || ' in colour ' || (hash(i, 2) % 12)", {4: "repeat('x', 90)"}),
    "quantity": ("(hash(i, 3) % 20 + 1)::TEXT", {5: "'1_000'", 6: "'-3'"}),
    "unit_price": ("(hash(i, 4) % 50000) // 100 || '.' || lpad((hash(i, 5) % 100)::TEXT, 2, '0')", {7: "'12,50'", 8: "'-1.00'"}),
    "discount": ("'0.' || lpad((hash(i, 6) % 40)::TEXT, 2, '0')", {9: "'7'"}),
    "total": ("(hash(i, 7) % 500000) // 100 || '.' || lpad((hash(i, 8) % 100)::TEXT, 2, '0')", {10: "'n/a'"}),
    "currency": ("['EUR', 'USD', 'GBP', 'SEK'][(hash(i, 9) % 4 + 1)::INT]", {11: "'euro'"}),
    "status": ("['open', 'paid', 'sent', 'returned'][(hash(i, 10) % 4 + 1)::INT]", {12: "'???'"}),
    "channel": ("['web', 'app', 'shop'][(hash(i, 11) % 3 + 1)::INT]", {13: "'fax'"}),
    "ordered_at": (
        "strftime(TIMESTAMP '2026-01-01' + INTERVAL 1 SECOND * (hash(i, 12) % 5000000)::INT, '%Y-%m-%dT%H:%M:%SZ')",
        {14: "'2026-02-30T10:00:00Z'"},
    ),
    "shipped_on": ("strftime(DATE '2026-03-01' + (hash(i, 13) % 90)::INT, '%Y-%m-%d')", {15: "'03/04/2026'", 16: "'2020-01-01'"}),
    "email": ("'buyer' || (hash(i, 14) % 400000) || '@example.com'", {17: "'nobody'"}),
    "postcode": ("lpad((hash(i, 15) % 100000)::TEXT, 5, '0')", {18: "'A1'"}),
    "weight": ("(hash(i, 16) % 30000)::TEXT", {19: "'99999999'"}),
    "note": ("'note ' || hash(i, 17)", {}),
}

RULES = {
    "order_line": """
spec_version: 1
entities:
  order_line:
    grain: one row per line of an order
    key: [order_id, line_no]
    fields:
      order_id: {{type: string}}
      line_no: {{type: int}}
      sku: {{type: string}}
      product: {{type: string}}
      quantity: {{type: int}}
      unit_price: {{type: "decimal(10,2)"}}
      discount: {{type: string}}
      total: {{type: "decimal(12,2)"}}
      currency: {{type: string}}
      status: {{type: string}}
      channel: {{type: string}}
      ordered_at: {{type: timestamp}}
      shipped_on: {{type: date}}
      email: {{type: string}}
      postcode: {{type: string}}
      weight: {{type: string}}
      note: {{type: string}}
    dedupe: {{keep: latest_by, field: _ingested_at, tie_break: [_load_id]}}
    quarantine: {{retention: 60d}}
    quality:
{rules}
  order:
    grain: one row per order
    key: [order_id]
    fields:
      order_id: {{type: string}}
    dedupe: {{keep: latest_by, field: _ingested_at, tie_break: [_load_id]}}
    quarantine: {{retention: 60d}}
relationships:
  - {{name: line_order, from: order_line, to: order, via: {{order_id: order_id}}, cardinality: many_to_one}}
"""
}

ORDER_MAPPING = """
mapping_version: 1
source: orders
target: order
key: {order_id: {from: "$.order_id"}}
fields: {}
unmapped: ["$._load_id", "$._ingested_at", "$._source_row_id"]
"""

CHAINS = {
    "line_no": "[to_int]",
    "quantity": "[to_int]",
    "unit_price": "[{to_decimal: [10, 2]}]",
    "total": "[{to_decimal: [12, 2]}]",
    "ordered_at": "[{parse_ts: ISO8601}]",
    "shipped_on": "[{parse_date: ISO8601}]",
}

# field: its authored rules, and the predicate that says what violates each as a dbt test would.
FIELD_RULES: dict[str, list[tuple[str, str]]] = {
    "sku": [(r"{rule: pattern, regex: '^SKU-\d{6}$', on_fail: quarantine}", r"NOT regexp_matches(sku, '^SKU-[0-9]{6}$')")],
    "product": [("{rule: length, max: 60, on_fail: flag}", "length(product) > 60")],
    "quantity": [("{rule: range, min: 1, on_fail: quarantine}", "quantity < 1")],
    "unit_price": [("{rule: range, min: 0, on_fail: quarantine}", "unit_price < 0")],
    "currency": [("{rule: in_set, values: [EUR, USD, GBP, SEK], on_fail: quarantine}", "currency NOT IN ('EUR', 'USD', 'GBP', 'SEK')")],
    "status": [("{rule: in_set, values: [open, paid, sent, returned], on_fail: quarantine}", "status NOT IN ('open', 'paid', 'sent', 'returned')")],
    "channel": [("{rule: in_set, values: [web, app, shop], on_fail: flag}", "channel NOT IN ('web', 'app', 'shop')")],
    "shipped_on": [('{rule: range, min: "2026-01-01", on_fail: flag}', "shipped_on < DATE '2026-01-01'")],
    "email": [("{rule: pattern, regex: '^[^@ ]+@[^@ ]+[.][a-z]+$', on_fail: flag}", "NOT regexp_matches(email, '^[^@ ]+@[^@ ]+[.][a-z]+$')")],
    "postcode": [(r"{rule: pattern, regex: '^\d{5}$', on_fail: flag}", "NOT regexp_matches(postcode, '^[0-9]{5}$')")],
}
ROW_RULES = [
    ("{rule: referential, via: line_order, on_missing: quarantine}",
     'order_id IS NOT NULL AND order_id NOT IN (SELECT order_id FROM silver."order" WHERE order_id IS NOT NULL)'),
    ('{rule: expression, name: ships_after_order, expr: "shipped_on >= \'2025-01-01\' OR status = \'open\'", on_fail: flag}',
     "NOT (shipped_on >= DATE '2025-01-01' OR status = 'open')"),
    ('{rule: expression, name: gifts_are_single, expr: "unit_price > 0 OR quantity = 1 OR total >= 0", on_fail: flag}',
     "NOT (unit_price > 0 OR quantity = 1 OR total >= 0)"),
]
# What the pipeline judges without being told: conversions that fail, digits that are lost, keys that are missing.
TYPES = {"line_no": "BIGINT", "quantity": "BIGINT", "unit_price": "DECIMAL(10,2)", "total": "DECIMAL(12,2)",
         "ordered_at": "TIMESTAMP", "shipped_on": "DATE"}


def extra_rules(count: int) -> list[str]:
    """Cheap and dear row rules by turns, on top of the declared ones."""
    kinds = [
        '{{rule: expression, name: extra_{n}, expr: "quantity < {m} OR unit_price > 0", on_fail: flag}}',
        '{{rule: expression, name: extra_{n}, expr: "LENGTH(note) < {m}", on_fail: flag}}',
        '{{rule: expression, name: extra_{n}, expr: "total < {m}000 OR channel = \'web\'", on_fail: flag}}',
        '{{rule: expression, name: extra_{n}, expr: "weight <> \'{m}\' AND status <> \'x{n}\'", on_fail: quarantine}}',
    ]
    return [kinds[n % len(kinds)].format(n=n, m=n + 100) for n in range(count)]


def write_specs(folder: Path, *, declared: bool = True, extra: int = 0) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rules = [rule for rule, _ in ROW_RULES] if declared else []
    rules += extra_rules(extra)
    listed = "\n".join(f"      - {rule}" for rule in rules) or "      []"
    if not rules:
        entity = RULES["order_line"].replace("    quality:\n{rules}\n", "").format()
    else:
        entity = RULES["order_line"].format(rules=listed)
    (folder / "shop.yaml").write_text(entity)
    (folder / "orders.yaml").write_text(ORDER_MAPPING)
    lines = ["mapping_version: 1", "source: order_lines", "target: order_line"]
    for section, columns in (("key", ["order_id", "line_no"]), ("fields", list(COLUMNS)[2:])):
        lines.append(f"{section}:")
        for column in columns:
            parts = [f'from: "$.{column}"']
            if column in CHAINS:
                parts.append(f"transform: {CHAINS[column]}")
            if declared and column in FIELD_RULES:
                parts.append(f"quality: [{', '.join(rule for rule, _ in FIELD_RULES[column])}]")
            lines.append(f"  {column}: {{{', '.join(parts)}}}")
    lines.append('unmapped: ["$._load_id", "$._ingested_at", "$._source_row_id"]')
    (folder / "order_lines.yaml").write_text("\n".join(lines) + "\n")


def load_statements(rows: int) -> list[str]:
    """SQL that fills bronze; the same rows on every machine."""
    values = []
    for column, (clean, dirty) in COLUMNS.items():
        arms = "".join(f" WHEN {kind} THEN {value}" for kind, value in dirty.items())
        values.append(f"CASE hash(i, 99) % 1000{arms} ELSE {clean} END AS {column}" if dirty else f"{clean} AS {column}")
    own = rows * 97 // 100
    body = f"""
      SELECT
        'load_' || lpad((i * 30 // {own} + shift)::TEXT, 3, '0') AS _load_id,
        strftime(TIMESTAMP '2026-03-01 02:15:00' + INTERVAL 1 DAY * (i * 30 // {own} + shift)::INT, '%Y-%m-%dT%H:%M:%SZ') AS _ingested_at,
        'r' || i AS _source_row_id,
        {", ".join(values)}
      FROM deliveries"""
    return [
        "CREATE SCHEMA IF NOT EXISTS bronze",
        f"""CREATE TABLE bronze.order_lines AS
      WITH deliveries AS (
        SELECT i, 0 AS shift FROM range({own}) AS t(i)
        UNION ALL
        SELECT (hash(i, 98) % {own})::BIGINT AS i, 31 + i AS shift FROM range({rows - own}) AS t(i)
      ){body}""".replace("31 + i AS shift", f"31 + i * 10 // {max(rows - own, 1)} AS shift"),
        f"""CREATE TABLE bronze.orders AS
      SELECT 'load_000' AS _load_id, '2026-03-01T02:15:00Z' AS _ingested_at, 'o' || i AS _source_row_id,
        'O-' || lpad(i::TEXT, 9, '0') AS order_id
      FROM range({ORDERS}) AS t(i)""",
        # One source row can be drawn twice for one load: a load brings it once.
        """DELETE FROM bronze.order_lines WHERE rowid IN (
        SELECT rowid FROM bronze.order_lines
        QUALIFY row_number() OVER (PARTITION BY _source_row_id, _load_id ORDER BY rowid) > 1)""",
        "CHECKPOINT",
    ]


def typed_table(name: str) -> str:
    columns = [
        f"TRY_CAST({column} AS {TYPES[column]}) AS {column}" if column in TYPES else column
        for column in ["_load_id", "_ingested_at", "_source_row_id", *COLUMNS]
    ]
    return f"CREATE OR REPLACE TABLE {name} AS SELECT {', '.join(columns)} FROM bronze.order_lines"


def failing_rows(typed: str) -> list[str]:
    """One query for each rule, its rows kept and then counted, as dbt tests with `store_failures` do."""
    predicates = [predicate for rules in FIELD_RULES.values() for _, predicate in rules]
    predicates += [predicate for _, predicate in ROW_RULES]
    predicates += ["order_id IS NULL", "line_no IS NULL"]
    sources = [(typed, predicate) for predicate in predicates]
    sources += [
        ("bronze.order_lines", f"{column} IS NOT NULL AND TRY_CAST({column} AS {ty}) IS NULL")
        for column, ty in TYPES.items() if column != "line_no"
    ]
    out = []
    for at, (relation, predicate) in enumerate(sources):
        out.append(f"CREATE OR REPLACE TABLE audit.test_{at} AS SELECT * FROM {relation} WHERE {predicate}")
        out.append(f"SELECT count(*) FROM audit.test_{at}")
    return out
