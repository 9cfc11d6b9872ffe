"""What `semantics.md` says of the rows of `fixtures/laws`, worked out in Python: an opinion that no SQL had a part in.

Each entity is judged by plain code beside its spec. `judge` gives the fate of every delivery and the typed row of
every admitted one.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from harness import Row

Text = str | None


# ------------------------------------------------------------------------------------------------ the accept set


@dataclass(frozen=True)
class Cast:
    """A value that came out of text, or NULL with the reason."""

    value: Any
    failed: bool = False
    inexact: bool = False


FAILED = Cast(None, failed=True)


def to_int(text: Text) -> Cast:
    if text is None:
        return Cast(None)
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        return FAILED
    value = int(text)
    return Cast(value) if -(2**63) <= value < 2**63 else FAILED


def fit(value: Decimal, precision: int, scale: int) -> Cast:
    """A number as `decimal(precision, scale)`, half away from zero."""
    rounded = value.quantize(Decimal(1).scaleb(-scale), rounding=ROUND_HALF_UP, context=Context(prec=200))
    if abs(rounded) >= Decimal(10) ** (precision - scale):
        return FAILED
    return Cast(rounded, inexact=rounded != value)


def to_decimal(text: Text, precision: int, scale: int) -> Cast:
    if text is None:
        return Cast(None)
    if not re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)", text):
        return FAILED
    return fit(Decimal(text), precision, scale)


def to_bool(text: Text) -> Cast:
    if text is None:
        return Cast(None)
    folded = "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in text)
    if folded in ("true", "t", "1", "yes", "y"):
        return Cast(True)
    return Cast(False) if folded in ("false", "f", "0", "no", "n") else FAILED


def day(year: str, month: str, day_: str) -> date | None:
    try:
        return date(int(year), int(month), int(day_))
    except ValueError:
        return None


def to_date(text: Text) -> Cast:
    if text is None:
        return Cast(None)
    found = re.fullmatch(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", text)
    value = day(*found.groups()) if found else None
    return FAILED if value is None else Cast(value)


def to_date_dotted(text: Text) -> Cast:
    if text is None:
        return Cast(None)
    found = re.fullmatch(r"([0-9]{2})\.([0-9]{2})\.([0-9]{4})", text)
    value = day(found[3], found[2], found[1]) if found else None
    return FAILED if value is None else Cast(value)


TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,6}))?)?(Z|([+-])([0-9]{2})(?::?([0-9]{2}))?)?)?"
)


def to_timestamp(text: Text) -> Cast:
    if text is None:
        return Cast(None)
    found = TIMESTAMP.fullmatch(text)
    if found is None:
        return FAILED
    year, month, day_, hour, minute, second, fraction, zone, sign, zone_hours, zone_minutes = found.groups()
    try:
        value = datetime(
            int(year), int(month), int(day_), int(hour or 0), int(minute or 0), int(second or 0),
            int((fraction or "0").ljust(6, "0")),
        )
    except ValueError:
        return FAILED
    if zone and zone != "Z":
        offset = timedelta(hours=int(zone_hours), minutes=int(zone_minutes or 0))
        value = value - offset if sign == "+" else value + offset
    return Cast(value)


def fold(text: Text, upper: bool) -> Text:
    return None if text is None else text.upper() if upper else text.lower()


def trim(text: Text) -> Text:
    return None if text is None else text.strip(" ")


# --------------------------------------------------------------------------------------------------- the verdicts


@dataclass
class Judgement:
    """One delivery: its typed row and the names of the rules that fired, by disposition."""

    delivery: str
    source: str
    row_id: str
    load: str
    at: datetime
    key: tuple
    values: dict[str, Any]
    quarantine: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)

    def fire(self, disposition: str, name: str, violated: bool | None) -> None:
        if violated:
            (self.quarantine if disposition == "quarantine" else self.flags).append(name)

    def fate(self) -> str:
        names = ", ".join(sorted(self.quarantine + self.flags))
        if self.quarantine:
            return f"quarantine: {names}"
        return f"flag: {names}" if self.flags else "pass"


def begin(source: str, row: Row, casts: Mapping[str, Cast], key: Sequence[str], flagged: Iterable[str] = ()) -> Judgement:
    """The typed row, with the rules that every mapped field has without being asked."""
    at = to_timestamp(row["_ingested_at"]).value
    values = {name: cast.value for name, cast in casts.items()}
    found = Judgement(
        (f"{source}/" if source.startswith("payment_") else "") + f"{row['_source_row_id']}@{row['_load_id']}", source, row["_source_row_id"], row["_load_id"], at,
        tuple(values[name] for name in key), values,
    )
    for name, cast in casts.items():
        found.fire("flag" if name in flagged else "quarantine", f"{name}_coercible", cast.failed)
        found.fire("flag", f"{name}_exact", cast.inexact)
    for name in key:
        found.fire("quarantine", f"{name}_not_null", values[name] is None)
    return found


def is_newer(row: Judgement) -> tuple:
    return (row.at, row.load, row.row_id)


def survivors(rows: Sequence[Judgement]) -> list[Judgement]:
    """Deliveries that no better one of their key (a row without a whole key has no rival) and no newer one of
    their source row has replaced, whatever became of that one."""
    by_key: dict[tuple, Judgement] = {}
    by_source_row: dict[tuple, Judgement] = {}
    for row in rows:
        if None not in row.key:
            by_key[row.key] = max(by_key.get(row.key, row), row, key=is_newer)
        source_row = (row.source, row.row_id)
        by_source_row[source_row] = max(by_source_row.get(source_row, row), row, key=is_newer)
    return [
        row
        for row in rows
        if by_key.get(row.key, row) is row and by_source_row[row.source, row.row_id] is row
    ]


def no(*decided: bool | None) -> bool | None:
    """NOT (a OR b …) in three-valued logic: a condition that must hold, turned into its violation."""
    if any(value is True for value in decided):
        return False
    return None if any(value is None for value in decided) else True


def compare(left: Any, right: Any, test: Callable[[Any, Any], bool]) -> bool | None:
    return None if left is None or right is None else test(left, right)


# --------------------------------------------------------------------------------------------------- the entities


def customer(row: Row) -> Judgement:
    tier = None if row["tier"] in (None, "") else row["tier"]
    mapped = {"g": "gold", "s": "silver"}.get(tier, tier) if tier is not None else None
    casts = {
        "customer_id": Cast(fold(trim(row["id"]), upper=True)),
        "name": Cast(row["full name"]),
        "tier": Cast(mapped),
        "joined_on": to_date(row["joined"]),
        "score": to_decimal(row["score"], 5, 2),
        "is_active": to_bool(row["active"]),
    }
    found = begin("customer_raw", row, casts, ["customer_id"], flagged=["is_active"])
    v = found.values
    found.fire("flag", "name_length_max", compare(v["name"], 12, lambda name, most: len(name) > most))
    found.fire("flag", "name_charset", compare(v["name"], "@{|}", lambda name, bad: any(c in bad for c in name)))
    found.fire("flag", "tier_in_enum", tier is not None and tier not in ("g", "s"))
    found.fire(
        "flag", "joined_on_range",
        v["joined_on"] is not None and not date(2000, 1, 1) <= v["joined_on"] <= date(2030, 12, 31),
    )
    found.fire(
        "quarantine", "score_range", v["score"] is not None and not Decimal(0) <= v["score"] <= Decimal("99.95")
    )
    found.fire("flag", "score_needs_activity", no(compare(v["score"], 50, lambda a, b: a < b), v["is_active"]))
    return found


def member(document: Any, *path: str) -> Text:
    """The text at a path of a JSON document; numbers as written."""
    for name in path:
        if not isinstance(document, dict) or name not in document:
            return None
        document = document[name]
    if document is None:
        return None
    if isinstance(document, bool):
        return "true" if document else "false"
    return document if isinstance(document, str) else str(document)


def order(row: Row) -> Judgement:
    malformed = False
    try:
        document = None if row["payload"] is None else json.loads(row["payload"], parse_float=str, parse_int=str)
    except ValueError:
        malformed, document = True, None
    price = member(document, "unit price")
    price = None if price in (None, "-") else price.removesuffix(" €")
    status = fold(row["status"], upper=False)
    casts = {
        "order_id": Cast(member(document, "order", "id")),
        "line_no": to_int(member(document, "line")),
        "customer_id": Cast(fold(trim(member(document, "order", "customer")), upper=True)),
        "qty": to_int(member(document, "qty")),
        "price": to_decimal(price, 8, 2),
        "status": Cast("unknown" if status is None else status),
        "ordered_at": to_timestamp(row["at"]),
        "note": Cast(row["note"]),
    }
    if malformed:
        casts |= dict.fromkeys(("order_id", "line_no", "customer_id", "qty", "price"), FAILED)
    found = begin("order_raw", row, casts, ["order_id", "line_no"])
    v = found.values
    found.fire("quarantine", "qty_range_max", compare(v["qty"], 1000, lambda a, b: a > b))
    found.fire("flag", "price_not_null", v["price"] is None)
    found.fire(
        "quarantine", "status_in_set",
        v["status"] not in ("paid", "open", "unknown", "{{ void }}", "it's", "@start_ds"),
    )
    found.fire("flag", "note_pattern", v["note"] is not None and ";" in v["note"])
    total = compare(v["qty"], v["price"], lambda qty, price: qty * price < 1000)
    found.fire("flag", "cheap_or_paid", no(total, v["status"] == "paid"))
    found.fire("quarantine", "never_negative", compare(v["qty"], 0, lambda a, b: a < b))
    return found


def card(row: Row) -> Judgement:
    casts = {
        "payment_id": Cast(row["id"]),
        "customer_id": Cast(row["customer"]),
        "amount": to_decimal(row["amount"], 8, 2),
        "paid_on": to_date(row["day"]),
        "channel": Cast(None if row["scheme"] is None else fold(row["scheme"].split("-")[0], upper=True)),
    }
    found = begin("payment_card", row, casts, ["payment_id"])
    found.fire("quarantine", "amount_range_min", compare(found.values["amount"], Decimal("0.01"), lambda a, b: a < b))
    return found


def bank(row: Row) -> Judgement:
    cents = to_int(row["cents"])
    casts = {
        "payment_id": Cast(row["id"]),
        "customer_id": Cast(row["customer"]),
        "amount": cents if cents.value is None else fit(Decimal(cents.value).scaleb(-2, Context(prec=60)), 8, 2),
        "paid_on": to_date_dotted(row["booked"]),
    }
    found = begin("payment_bank", row, casts, ["payment_id"])
    found.values["channel"] = None
    return found


def blame_repeated_notes(rows: Sequence[Judgement]) -> None:
    counted = Counter(row.values["note"] for row in rows if row.values["status"] == "paid")
    for row in rows:
        note = row.values["note"]
        row.fire("flag", "note_unique", row.values["status"] == "paid" and note is not None and counted[note] > 1)


@dataclass(frozen=True)
class Verdict:
    """Per entity: the fate of each delivery, and the typed row of each admitted one."""

    fates: dict[str, dict[str, str]]
    rows: dict[str, dict[str, dict[str, Any]]]


def judge(bronze: Mapping[str, Sequence[Row]], *, with_parents: bool = True) -> Verdict:
    """Without parents: what looks rows up in another entity is left out."""
    judged = {
        "customer": [customer(row) for row in bronze["customer_raw"]],
        "order": [order(row) for row in bronze["order_raw"]],
        "payment": [*map(card, bronze["payment_card"]), *map(bank, bronze["payment_bank"])],
    }
    kept = {entity: survivors(rows) for entity, rows in judged.items()}
    blame_repeated_notes(kept["order"])
    if with_parents:
        blame_orphans(kept)
    return Verdict(
        {
            entity: {row.delivery: "dedupe" for row in rows} | {row.delivery: row.fate() for row in kept[entity]}
            for entity, rows in judged.items()
        },
        {
            entity: {row.delivery: row.values for row in rows if not row.quarantine} for entity, rows in kept.items()
        },
    )


def blame_orphans(kept: Mapping[str, Sequence[Judgement]]) -> None:
    known = {row.key[0] for row in kept["customer"] if not row.quarantine}
    for row in kept["order"]:
        orphan = row.values["customer_id"] is not None and row.values["customer_id"] not in known
        row.fire("quarantine", "order_customer_referential", orphan)
    for row in kept["payment"]:
        orphan = row.values["customer_id"] is not None and row.values["customer_id"] not in known
        row.fire("flag", "payment_customer_referential", orphan)
        if orphan:
            row.values["customer_id"] = "__unknown__"
