"""An oracle for histories: type 2 entities over several runs, worked out without SQL."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from case import METADATA_UNMAPPED, yaml

Key = tuple[str, str]
Delivery = dict[str, str | None]

START = datetime(2026, 1, 1)

# Entity → what orders its deliveries: the arrival, a timestamp of the source, a number of the source.
ENTITIES = {"by_arrival": "_ingested_at", "by_time": "changed_at", "by_number": "revision"}
FIELDS = ("id", "area", "name", "credit", "changed_at", "revision")
VALUES = FIELDS[2:]


def specs() -> dict[str, str]:
    entities = "".join(
        f"""
          {name}:
            grain: one version of a member
            key: [id, area]
            scd: type2
            fields:
              id: {{type: string}}
              area: {{type: string}}
              name: {{type: string}}
              credit: {{type: "decimal(9,2)"}}
              changed_at: {{type: timestamp}}
              revision: {{type: int}}
            dedupe: {{keep: latest_by, field: {recency}, tie_break: [_load_id]}}
            quarantine: {{retention: 36500d}}"""
        for name, recency in ENTITIES.items()
    )
    return {
        "model.yaml": yaml(f"""
        spec_version: 1
        entities:{entities}
        """),
        **{
            f"{name}.yaml": yaml(f"""
                mapping_version: 1
                source: {name}_raw
                target: {name}
                key: {{id: {{from: "$.id"}}, area: {{from: "$.area"}}}}
                fields:
                  name: {{from: "$.name"}}
                  credit: {{from: "$.credit", quality: [{{rule: range, min: "0", on_fail: quarantine}}]}}
                  changed_at: {{from: "$.changed_at", transform: [{{parse_ts: ISO8601}}]}}
                  revision: {{from: "$.revision", transform: [to_int]}}
                unmapped: {METADATA_UNMAPPED}
            """)
            for name in ENTITIES
        },
    }


def time(text: str) -> datetime:
    return datetime.fromisoformat(text.removesuffix("Z"))


def at(day: float) -> str:
    return (START + timedelta(days=day)).isoformat() + "Z"


def delivery(key: Key, load: str, day: float, **cells: str | None) -> Delivery:
    """Of one source row per key, unless it says otherwise; the source changed it when it was delivered."""
    usual = {
        "id": key[0],
        "area": key[1],
        "name": "n",
        "credit": "1",
        "changed_at": at(day),
        "revision": str(round(day * 10)),
        "_source_row_id": f"{len(key[0])}.{key[0]}.{key[1]}",
        "_load_id": load,
        "_ingested_at": at(day),
    }
    return {**usual, **cells}


@dataclass
class Version:
    values: tuple
    begins: datetime
    ends: datetime | None
    load: str | None
    revision: int | None

    def row(self, key: Key) -> tuple:
        return (*key, *self.values, self.begins, self.ends, self.load)


@dataclass
class Histories:
    """What an entity must hold after each run over all that has been delivered so far."""

    entity: str
    bronze: list[Delivery] = field(default_factory=list)
    versions: dict[Key, list[Version]] = field(default_factory=dict)

    def begins(self, row: Delivery) -> datetime:
        source = row["changed_at"] if self.entity == "by_time" else None
        arrival = row["_ingested_at"]
        assert arrival
        return time(source or arrival)

    def order(self, row: Delivery) -> tuple:
        recency, load = row[ENTITIES[self.entity]], row["_load_id"]
        newer = (load != "__replay__", load, row["_source_row_id"])
        if recency is None:
            return (False, *newer)
        return (True, int(recency) if self.entity == "by_number" else time(recency), *newer)

    def newest(self) -> dict[Key, Delivery]:
        found: dict[Key, Delivery] = {}
        for row in self.bronze:
            if row["id"] is None or row["area"] is None:
                continue
            key = (row["id"], row["area"])
            if key not in found or self.order(found[key]) < self.order(row):
                found[key] = row
        return found

    def run(self) -> None:
        for key, row in self.newest().items():
            versions = self.versions.setdefault(key, [])
            begins = self.begins(row)
            current = versions[-1] if versions and versions[-1].ends is None else None
            if is_refused(row):
                if current and current.begins <= begins:
                    end(versions, begins)
                continue
            new = Version(typed(row), begins, None, row["_load_id"], number(row["revision"]))
            if current is None:
                if not versions or versions[-1].ends <= begins:
                    versions.append(new)
                continue
            is_late = begins < current.begins or self.entity == "by_number" and (
                (new.revision is None and current.revision is not None)
                or (new.revision is not None and current.revision is not None and new.revision < current.revision)
            )
            if not is_late and new.values != current.values:
                end(versions, begins)
                versions.append(new)

    def rows(self) -> list[tuple]:
        return sorted((version.row(key) for key, versions in self.versions.items() for version in versions), key=repr)


def end(versions: list[Version], when: datetime) -> None:
    """What ends in the instant in which it began was valid for no time."""
    if versions[-1].begins == when:
        versions.pop()
    else:
        versions[-1].ends = when


def number(text: str | None) -> int | None:
    return None if text is None else int(text)


def is_refused(row: Delivery) -> bool:
    credit = row["credit"]
    return credit == "one" or credit is not None and Decimal(credit) < 0


def typed(row: Delivery) -> tuple:
    credit, changed_at = row["credit"], row["changed_at"]
    return (row["name"], credit and int(Decimal(credit)), changed_at and time(changed_at), number(row["revision"]))


# Keys that a careless encoding takes for one, and such as come and go.
KEYS: Sequence[Key] = (("a|b", "c"), ("a", "b|c"), ("1", ""), ("", "1"), ("é", "DE"), ("k", "DE"), ("k", "FR"), ("z", "z"))


def wave(seed: int, run: int, count: int) -> list[Delivery]:
    """Deliveries of one run: changes, repetitions, late and simultaneous ones, such as are refused, keys without a part."""
    dice = random.Random(seed * 1000 + run)
    rows = []
    for at_hand in range(count):
        key = dice.choice(KEYS)
        day = run * 3 + dice.choice((0, 0, 1, 1.5, 2, -4, -7))
        row = delivery(key, f"l{run}.{at_hand}", day)
        row["name"] = dice.choice((None, "", "n", "m"))
        row["credit"] = dice.choice((None, "1", "1", "2", "-1", "one"))
        # The day of the change moves more slowly than that of the delivery, and may be unknown.
        row["changed_at"] = dice.choice((at(run * 3), at(run * 3 + 1), at(day), at(day - 5), None))
        row["revision"] = dice.choice((str(run), str(run + 1), str(run - 2), None))
        if dice.random() < 0.05:
            row["area"] = None
            row["_source_row_id"] = f"lost{run}.{at_hand}"
        rows.append(row)
    return rows


def overlaps(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """What no history may show, whatever was delivered."""
    found = []
    by_key: dict[Key, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_key.setdefault((row["id"], row["area"]), []).append(row)
    for key, versions in by_key.items():
        versions.sort(key=lambda version: version["valid_from"])
        for version, following in zip(versions, [*versions[1:], None]):
            ends = version["valid_to"]
            if ends is not None and ends <= version["valid_from"]:
                found.append(f"{key} is valid for no time at {ends}")
            if following and (ends is None or following["valid_from"] < ends):
                found.append(f"{key} has two versions at {following['valid_from']}")
    return found
