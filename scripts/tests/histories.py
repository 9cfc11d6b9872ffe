"""Random dirty deliveries for the entities of `fixtures/laws`; one seed, one history."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness import Row

HOSTILE = (
    "'", '"', "''", "\\", "\\'", "{{ x }}", "{% endraw %}", "{# x", "@start_ds", "@{x}", "@@", "$$", "--", "/* */", ";",
    "\n", "\r\n", "\t", "%s", "${x}", "é", "e\u0301", "ß", "\u00a0", "\u200b", "💥", "١", "\u202e", "NULL", "null", "", " ",
    "__hidden", "a|b", "a", "O'Brien", "select 1", "\ufeff", "0", "true",
)
INTEGERS = ("0", "1", "2", "7", "1000", "1001", "-1", "+5", "007", "9223372036854775807", "-9223372036854775808")
NO_INTEGERS = (
    "1.0", "2.5", "1e3", "0x1F", "1_000", "", " ", "1 ", " 1", "+", "--1", "١٢", "9223372036854775808", "NaN", "NULL",
    "12abc", "1\n", "1,000", "99999999999999999999999999999999999999999",
)
DECIMALS = (
    "0", "12.50", "12.5", "99.95", "99.955", "100", "999.99", "-0.01", "-0", ".5", "5.", "+1.10", "000001.5", "0.005",
    "-0.005", "12.5000", "999.994", "999.995", "1.0029999999999999", "49.999", "999999.99",
)
NO_DECIMALS = (
    "1e2", "1E-7", "12,50", "1 234.56", "(45.00)", "NaN", "Infinity", "-inf", "", ".", "+.", "1.2.3", "€5", "12.5%", "0x1F",
    "99999999999999999999999999999999999999999.9", "1_000.5", " 1", "1 ", "१२",
)
DATES = ("2026-01-05", "2024-02-29", "1999-12-31", "2030-12-31", "2031-01-01", "0001-01-01", "9999-12-31", "2000-01-01")
NO_DATES = (
    "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-1-5", "05.01.2026", "2026/01/05", "20260105", "0000-01-01",
    "2026-01-05T00:00:00", "today", "infinity", "epoch", "J2451187", "", " 2026-01-05", "2026-01-05 ", "10000-01-01", "-0001-01-01",
)
TIMES = (
    "2026-01-05T10:00:00Z", "2026-01-05 10:00:00", "2026-01-05T12:00:00+02:00", "2026-01-05", "2026-01-05T10:00",
    "2026-01-05T10:00:00.123456", "2026-01-05T10:00:00.1-0530", "2026-01-05T10:00:00+01", "2026-03-29T02:30:00", "2024-02-29T23:59:59Z",
)
NO_TIMES = (
    "2026-01-05T24:00:00", "2026-01-05T10:60:00", "2026-12-31 23:59:60", "2026-01-05 10:00:00 PM", "2026-01-05T10:00:00.1234567",
    "2026-02-30T00:00:00", "now", "infinity", "epoch", "", "10:00:00", "2026-01-05T", "2026-01-05T10", "2026-01-05 10:00:00 nonsense",
    "2026-01-05T10:00:00 +02:00", "2026-01-05T10:00:00z", "1767607200",
)
BOOLEANS = ("true", "TRUE", "t", "1", "yes", "Y", "false", "f", "0", "no", "N", "False")
NO_BOOLEANS = ("", "2", "on", "off", "tru", " true", "NULL", "ja", "-1", "yes\n")
INSTANTS = ("2026-01-0{d}T08:00:00Z", "2026-01-0{d} 08:00:00", "2026-01-0{d}T10:00:00+02:00", "2026-01-0{d}T09:30:00.5Z", "2026-01-0{d}")


@dataclass
class History:
    """Bronze so far, and the source of chance that adds to it."""

    chance: random.Random
    bronze: dict[str, list[dict[str, Any]]]
    loads: int = 0

    def pick(self, good: tuple, bad: tuple = (), bad_share: float = 0.08, null_share: float = 0.08) -> str | None:
        roll = self.chance.random()
        if roll < null_share:
            return None
        if bad and roll < null_share + bad_share:
            return self.chance.choice(bad)
        return self.chance.choice(good)

    def text(self) -> str | None:
        pieces = self.chance.randint(0, 3)
        return None if pieces == 0 else "".join(self.chance.choice(HOSTILE) for _ in range(pieces))

    # One maker per bronze table: the cells of a new row, given the key that it claims.

    def customer_raw(self, key: str | None) -> dict[str, Any]:
        padded = key if key is None else self.chance.choice((key, f" {key} ", key.lower()))
        return {
            "id": padded,
            "full name": self.text(),
            "tier": self.pick(("g", "s", "", "G", "gold", "x'y")),
            "joined": self.pick(DATES, NO_DATES),
            "score": self.pick(DECIMALS, NO_DECIMALS),
            "active": self.pick(BOOLEANS, NO_BOOLEANS),
        }

    def order_raw(self, key: str | None) -> dict[str, Any]:
        number = {"1": ("1", "01", "+1"), "2": ("2", "002")}[self.chance.choice("12")] if key is None else None
        order_id, _, line = (key or "").partition("#")
        lines = {"1": ("1", "01", "+1"), "2": ("2", "002"), "?": ("x", "1.0", None)}[line] if key else number
        payload: dict[str, Any] = {
            "order": {"id": order_id if key else None, "customer": self.customer_id()},
            "line": self.chance.choice(lines or ("1",)),
            "qty": self.number(self.pick(INTEGERS, NO_INTEGERS)),
            "unit price": self.pick((*DECIMALS, "-", "12.50 €", "7 €"), NO_DECIMALS),
        }
        for name in list(payload):
            if self.chance.random() < 0.03 and name not in ("order", "line"):
                del payload[name]
        text: str | None = json.dumps(payload, ensure_ascii=self.chance.random() < 0.5)
        return {
            "payload": text,
            "status": self.pick(("paid", "PAID", "open", "{{ void }}", "it's", "@start_ds", "Unknown"), HOSTILE),
            "at": self.pick(TIMES, NO_TIMES),
            "note": self.pick(("first", "second", "a;b", *HOSTILE)),
        }

    def payment_card(self, key: str | None) -> dict[str, Any]:
        return {
            "id": None if key is None else f"card-{key}",
            "customer": self.customer_id(),
            "amount": self.pick(DECIMALS, NO_DECIMALS),
            "day": self.pick(DATES, NO_DATES),
            "scheme": self.pick(("visa-debit", "mc", "-x", "a-b-c", "")),
        }

    def payment_bank(self, key: str | None) -> dict[str, Any]:
        return {
            "id": None if key is None else f"bank-{key}",
            "customer": self.customer_id(),
            "cents": self.pick((*INTEGERS, "12345", "99999999", "100000000"), NO_INTEGERS),
            "booked": self.pick(("05.01.2026", "29.02.2024", "31.12.9999"), ("29.02.2026", "5.1.2026", "2026-01-05", "", "05.01.26", "05/01/2026")),
        }

    def customer_id(self) -> str | None:
        return self.pick(tuple(f"C{n}" for n in range(100)), ("C999", "", "nobody"), bad_share=0.05)

    def number(self, text: str | None) -> Any:
        """As JSON text, or as a JSON number where it can be one."""
        if text is not None and text in ("0", "1", "2", "7", "1000", "1001", "-1", "9223372036854775807") and self.chance.random() < 0.5:
            return int(text)
        return text

    KEYS = {
        "customer_raw": tuple(f"C{n}" for n in range(120)),
        "order_raw": tuple(
            f"{name}{n}#{line}"
            for name in ("O", "o", "O|", "'", "{{", "Ø", "")
            for n in range(10)
            for line in ("1", "2", "2", "?")
        ),
        "payment_card": tuple(map(str, range(200))),
        "payment_bank": tuple(map(str, range(200))),
    }

    def keyed(self, table: str) -> Callable[[str | None], dict[str, Any]]:
        return getattr(self, table)

    def deliver(self, count: int) -> dict[str, list[dict[str, Any]]]:
        """A wave: new rows, and old ones delivered again under a later load, at any time, with the same
        key or, where there was none, with one."""
        arriving: dict[str, list[dict[str, Any]]] = {table: [] for table in self.KEYS}
        for table, keys in self.KEYS.items():
            known = [row for row in self.bronze[table]]
            first_load = self.loads
            for number in range(count):
                load = f"l{first_load + 1 + number * 3 // count}"
                again = known and self.chance.random() < 0.3
                if again:
                    old = self.chance.choice(known)
                    row_id, key = old["_source_row_id"], old["_claimed"]
                    if key is None and self.chance.random() < 0.5:
                        key = keys[int(row_id[1:]) % len(keys)]  # mended: one source row never has two keys
                else:
                    row_id = f"{table[0]}{len(self.bronze[table]) + len(arriving[table])}"
                    key = None if self.chance.random() < 0.06 else self.chance.choice(keys)
                taken = {(row["_source_row_id"], row["_load_id"]) for row in self.bronze[table] + arriving[table]}
                if (row_id, load) in taken:
                    continue
                row = {
                    "_load_id": load,
                    "_ingested_at": self.chance.choice(INSTANTS).format(d=self.chance.randint(1, 4)),
                    "_source_row_id": row_id,
                    "_claimed": key,
                    **self.keyed(table)(key),
                }
                if again and key == old["_claimed"] and self.chance.random() < 0.3:
                    row |= {name: old[name] for name in old if not name.startswith("_")}
                arriving[table].append(row)
                known.append(row)
        self.loads += 3
        for row in self.chance.sample(arriving["order_raw"], len(arriving["order_raw"]) // 25):
            if row["_claimed"] is None:  # a document cut short has no key, so only rows that never had one
                row["payload"] = self.chance.choice((row["payload"][:-3], "", "{", None, "[]", '"x"', "7", "null"))
        for table, rows in arriving.items():
            self.bronze[table] += rows
        return arriving


def start(seed: int) -> History:
    return History(random.Random(seed), {table: [] for table in History.KEYS})


def columns(row: Row) -> dict[str, Any]:
    return {name: cell for name, cell in row.items() if name != "_claimed"}
