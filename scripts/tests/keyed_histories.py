"""Random histories by the thousand: each key has one of its own, which no other key has a part in, so that one project tells
all of them. And what is to be seen of an entity, by history.
"""

import random
from dataclasses import dataclass
from typing import Any

import harness
from harness import Project, Row

PER_METER = 6


@dataclass(frozen=True)
class Delivery:
    """A bronze row, the history it belongs to, and the batch it arrives in."""

    history: int
    batch: int
    source: str
    row: Row

    def __str__(self) -> str:
        cells = ", ".join(f"{name}={cell!r}" for name, cell in self.row.items())
        return f"batch {self.batch}: {self.source}: {cells}"


COLUMNS = {
    "meters": ("meter",),
    "readings": ("meter", "day", "version", "kwh"),
    "events": ("no", "label"),
    "desk": ("no", "seat", "people"),
    "phone": ("no", "seat", "people"),
}
ENTITY_OF = {"meters": "meter", "readings": "reading", "events": "event", "desk": "booking", "phone": "booking"}


class Teller:
    """Draws histories; one seed, one set of them."""

    def __init__(self, seed: int, histories: int, batches: int) -> None:
        self.chance = random.Random(seed)
        self.batches = batches
        self.found: list[Delivery] = []
        for number in range(histories):
            if number % PER_METER == 0:
                self.meter(number)
            self.reading(number)
            self.event(number)
            self.booking(number)
        self.chance.shuffle(self.found)

    def deliver(self, number: int, source: str, row_id: str, cells: Row, *, batch: int, load: str, at: str) -> None:
        metadata = {"_load_id": load, "_ingested_at": at, "_source_row_id": row_id}
        self.found.append(Delivery(number, batch, source, metadata | dict(zip(COLUMNS[source], cells.values(), strict=True))))

    def batch(self) -> int:
        return self.chance.randrange(self.batches)

    def any_time(self) -> str:
        return f"2026-01-0{self.chance.randint(1, 9)}T0{self.chance.randrange(10)}:00:00Z"

    def within_the_lag(self, batch: int) -> str:
        """Batches overlap, by less than what a run reads again."""
        return f"2026-01-{4 * batch + self.chance.randint(1, 5):02}T{self.chance.randrange(24):02}:30:00Z"

    def source_rows(self, number: int) -> list[tuple[str, str]]:
        """One to six deliveries of up to three source rows: row and load, in any order."""
        count = self.chance.randint(1, 6)
        pairs = [(f"{number}.{row}", f"l{load}") for row in range(3) for load in range(4)]
        return self.chance.sample(pairs, count)

    def meter(self, number: int) -> None:
        """Some never come, and some later than what was read off them."""
        batch = self.chance.choice((0, 0, 0, self.batch()))
        if self.chance.random() < 0.9:
            self.deliver(number, "meters", f"{number}.0", {"meter": f"m{number // PER_METER}"}, batch=batch, load="l1", at=self.any_time())

    def reading(self, number: int) -> None:
        unreadable = {row for row in range(3) if self.chance.random() < 0.06}
        for row_id, load in self.source_rows(number):
            # A source row has one key, or now and then none that can be read.
            has_key = int(row_id[-1]) not in unreadable and self.chance.random() > 0.08
            day = f"2026-02-{number % PER_METER + 1:02}" if has_key else self.chance.choice(("2026-02-30", None))
            batch = self.batch()
            self.deliver(
                number, "readings", row_id,
                {"meter": f"m{number // PER_METER}", "day": day, "version": self.chance.choice(("1", "2", "3", "4", None)),
                 "kwh": self.chance.choice(("1.5", "2.25", "2.250", "950", "950", "990", None))},
                batch=batch, load=load, at=self.within_the_lag(batch),
            )

    def event(self, number: int) -> None:
        """Without an order, one delivery of a key is all there may be, and one good one of a label."""
        shared = number // 4
        label = self.chance.choice((f"{shared:x}", f"{shared:x}", f"long {shared}", f"long {number}", f"{number:x}x", None))
        key = f"e{number}" if self.chance.random() > 0.05 else None
        self.deliver(number, "events", f"{number}.0", {"no": key, "label": label}, batch=self.batch(), load="l1", at=self.any_time())

    def booking(self, number: int) -> None:
        source = self.chance.choice(("desk", "phone"))
        for row_id, load in self.source_rows(number):
            self.deliver(
                number, source, row_id,
                {"no": f"b{number}" if self.chance.random() > 0.08 else None,
                 "seat": self.chance.choice(("A1", "B2", "C3", "C3", "Z9", "A10", None)),
                 "people": self.chance.choice(("1", "2", "4", "6", "6", "9", "many", None))},
                batch=self.batch(), load=load, at=self.any_time(),
            )


@dataclass(frozen=True)
class Seen:
    """An entity at one time: the fate of each delivery, what readers see of it, and what is held of it."""

    fates: dict[str, str]
    rows: dict[str, str]

    def histories_apart(self, other: "Seen") -> set[int]:
        found = set()
        for one, two in ((self.fates, other.fates), (self.rows, other.rows)):
            found |= {history_of(name) for name in one.keys() | two.keys() if one.get(name) != two.get(name)}
        return found

    def of(self, history: int) -> list[str]:
        return [f"{name}: {told}" for part in (self.fates, self.rows) for name, told in sorted(part.items()) if history_of(name) == history]


def history_of(delivery: str) -> int:
    return int(delivery.rpartition("/")[2].partition(".")[0])


HELD = ("failed_rules", "key_values", "raw", "_load_id", "_ingested_at")


def see(project: Project, entity: str) -> Seen:
    admitted, held = (harness.alike(project.warehouse.relation(name)) for name in harness.published(entity))
    rows = {harness.delivery(row): repr(sorted((name, lists_alike(cell)) for name, cell in row.items())) for row in admitted.dicts()}
    rows |= {
        harness.delivery(row): repr([lists_alike(row[name]) for name in HELD]) for row in held.dicts() if row["resolved_at"] is None
    }
    return Seen(harness.fates(project.warehouse, entity), rows)


def lists_alike(cell: Any) -> Any:
    return harness.rule_names(cell) if isinstance(cell, list) else cell
