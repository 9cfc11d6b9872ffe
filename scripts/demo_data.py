"""The bronze feed of a made-up web shop, the same on every machine and every day.

    python demo_data.py DAY WAREHOUSE [WAREHOUSE …]     DuckDB files, or postgres:DATABASE on the server of ASSAY_PG_…

Four nightly loads: three have arrived on day 1, and the fourth comes on day 2, with corrections and late rows. What is wrong with the rows is what is wrong with such feeds: re-deliveries, rows that arrive late,
orphans, "12,50 €", dates of three conventions, JSON cut short, numbers as text and text as numbers.
"""

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "lib"))

from warehouse import Postgres, warehouse  # noqa: E402

Row = dict[str, Any]
SKUS = [f"{kind}-{number:04}" for kind in ("MUG", "TEE", "PEN", "BAG") for number in range(1, 61)]
COUNTRIES = ("AT", "DE", "DK", "FR", "NL", "NO", "SE")
DAYS = {"1": ("nightly_01", "nightly_02", "nightly_03"), "2": ("nightly_04",)}
LOADS = {f"nightly_{day:02}": f"2026-03-{day:02}T02:15:00Z" for day in range(1, 5)}

chance = random.Random(20260301)


def sometimes(share: float) -> bool:
    return chance.random() < share


def one_of(*choices: Any) -> Any:
    return chance.choice(choices)


def money(most: int) -> str:
    return f"{chance.randint(100, most * 100) / 100:.2f}"


def odd(value: Any, share: float, *makers: Callable[[Any], Any]) -> Any:
    """The value, or in that share of cases what a careless system would make of it."""
    return chance.choice(makers)(value) if sometimes(share) else value


def european(amount: str) -> str:
    return amount.replace(".", ",") + " €"


def german_day(day: str) -> str:
    year, month, day_ = day.split("-")
    return f"{day_}.{month}.{year}"


def american_day(day: str) -> str:
    year, month, day_ = day.split("-")
    return f"{month}/{day_}/{year}"


def iso_day(first_month: int = 1, last_month: int = 2) -> str:
    return f"2026-{chance.randint(first_month, last_month):02}-{chance.randint(1, 28):02}"


def customer(number: int) -> Row:
    name = f"user{number:04}"
    return {
        "id": odd(f"C{number:04}", 0.04, str.lower, lambda id_: f" {id_}"),
        "user": odd(name, 0.02, lambda _: None),
        "e-mail": odd(f"{name}@example.org", 0.05, lambda _: "n/a", lambda mail: mail.replace("@", " at "), lambda _: ""),
        "country": odd(one_of(*COUNTRIES), 0.04, str.lower, lambda _: "XX", lambda _: "Norway"),
        "signed up": odd(iso_day(), 0.05, german_day, american_day, lambda _: "0000-00-00"),
        "newsletter": odd(one_of("yes", "no"), 0.05, lambda _: "maybe", lambda _: None),
        "order": odd(str(number), 0.02, lambda _: "1st", lambda n: f"{n}.0"),
        "phone": f"+45 {chance.randint(10_000_000, 99_999_999)}",
    }


def order(number: int) -> Row:
    day = iso_day()
    placed = f"{day}T{chance.randint(0, 23):02}:{chance.randint(0, 59):02}:00"
    document: Row = {
        "order": {
            "id": f"O{number:05}",
            "customer": odd(f"C{chance.randint(1, 400):04}", 0.04, lambda _: "C9999", str.lower, lambda _: None),
            "placed_at": odd(placed + one_of("Z", "+01:00", ""), 0.03, lambda _: american_day(day), lambda _: day + " 25:00"),
            "status": odd(one_of("paid", "Paid", "P", "open", "returned"), 0.03, lambda _: "{{ status }}", lambda _: "gone"),
        },
        "totals": {
            "amount": odd(money(400) + one_of("", " €"), 0.04, lambda _: european(money(400)), lambda _: "free", lambda _: "-5.00"),
            "shipping cost": odd(one_of("0", "4.90", "9.90"), 0.02, lambda _: "9.999", lambda _: "500"),
        },
    }
    if sometimes(0.2):
        document["coupons"] = [{"code": one_of("SPRING", "O'FRIENDS", "@welcome", "a-very-long-coupon")}]
    text = json.dumps(document, ensure_ascii=False)
    return {"document": odd(text, 0.005, lambda whole: whole[: len(whole) // 2])}


def order_line(number: int) -> Row:
    return {
        "order": odd(f"O{number // 3 + 1:05}", 0.015, lambda _: "O99999", lambda _: None),
        "line": odd(str(number % 3 + 1), 0.01, lambda n: f"{n}.", lambda _: "one"),
        "sku": odd(one_of(*SKUS), 0.02, str.lower, lambda sku: sku.replace("-", " ")),
        "qty": odd(str(chance.randint(1, 5)), 0.03, lambda n: f"{n}.0", lambda _: "0", lambda _: "1e3", lambda _: "-1"),
        "Price (EUR)": odd(money(80), 0.05, european, lambda price: f"{price}5", lambda _: "0.00", lambda _: "NaN"),
        "discount": odd(None if sometimes(0.7) else one_of("0.1", "0.25"), 0.02, lambda _: "25%", lambda _: "1.5"),
    }


def north(number: int) -> Row:
    stock = chance.randint(0, 300)
    return {
        "warehouse": "north",
        "sku": SKUS[number % len(SKUS)],
        "on hand": odd(str(stock), 0.05, lambda n: f"{n},0", lambda _: "-3", lambda n: f"{n} pcs"),
        "reserved": odd(str(chance.randint(0, 20)), 0.05, lambda _: "999"),
        "counted on": odd(iso_day(2, 2), 0.05, german_day, lambda _: "2026-02-30", lambda _: "yesterday"),
    }


def south(number: int) -> Row:
    count = {"pieces": odd(chance.randint(0, 300), 0.05, str, lambda _: "many", lambda _: 12.5), "day": german_day(iso_day(2, 2))}
    return {
        "warehouse": "south",
        "sku": odd(SKUS[number % len(SKUS)], 0.02, lambda _: None),
        "count": odd(json.dumps(count), 0.02, lambda text: text[:-4]),
    }


def feed(prefix: str, count: int, make: Callable[[int], Row], again: float, late: float) -> list[Row]:
    """`count` source rows over the loads; a share of them is delivered again, and a share arrives after its time."""
    loads = list(LOADS)
    rows = []
    for number in range(1, count + 1):
        at = number * len(loads) // (count + 1)
        first = {**make(number), "_source_row_id": f"{prefix}{number}", "_load_id": loads[at], "_ingested_at": LOADS[loads[at]]}
        rows.append(first)
        if at + 1 < len(loads) and sometimes(again):
            changed = make(number) if sometimes(0.5) else {}
            kept = {name: first[name] for name in ("id", "order", "line", "warehouse", "sku") if name in first}
            moved = {"_load_id": loads[at + 1], "_ingested_at": LOADS[loads[at + 1]]}
            rows.append({**first, **changed, **kept, **moved})
        elif sometimes(late):
            rows[-1]["_ingested_at"] = "2026-02-28T23:59:59Z"
    return rows


def bronze() -> dict[str, list[Row]]:
    return {
        "shop_customers": feed("c", 400, customer, again=0.15, late=0.02),
        "shop_orders": feed("o", 1200, order, again=0.1, late=0.02),
        "shop_order_lines": feed("l", 3600, order_line, again=0.05, late=0.02),
        "wms_north": feed("n", 480, north, again=0.1, late=0.05),
        "wms_south": feed("s", 480, south, again=0.1, late=0.05),
    }


def main() -> None:
    day, *places = sys.argv[1:]
    tables = {table: [row for row in rows if row["_load_id"] in DAYS[day]] for table, rows in bronze().items()}
    for place in map(warehouse, places):
        if day == "1" and isinstance(place, Postgres):
            place.create()
        place.load_bronze(tables)
    print(f"{sum(map(len, tables.values())):,} deliveries in {len(tables)} bronze tables")


if __name__ == "__main__":
    main()
