"""What became of the demo's rows, per entity, and whether dbt and SQLMesh agree.

    python demo_report.py tally DBT_WAREHOUSE SQLMESH_WAREHOUSE             after a step
    python demo_report.py report DBT_WAREHOUSE SQLMESH_WAREHOUSE FOLDER     at the end
"""

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "lib"))

from warehouse import RUN_DEPENDENT, Warehouse, differences, rule_names, warehouse  # noqa: E402

SOURCES = {
    "customer": ("shop_customers",),
    "order": ("shop_orders",),
    "order_line": ("shop_order_lines",),
    "stock_level": ("wms_north", "wms_south"),
}
RELATIONS = [f"silver.{entity}{suffix}" for entity in SOURCES for suffix in ("", "__reject", "__judged")]


@dataclass(frozen=True)
class Tally:
    """The deliveries of one entity and where they went."""

    entity: str
    delivered: int
    admitted: int
    flagged: int
    quarantined: int
    deduped: int
    reasons: Counter[str]
    flags: Counter[str]
    resolved: Counter[str]

    def adds_up(self) -> bool:
        return self.delivered == self.admitted + self.quarantined + self.deduped


def tally(warehouse: Warehouse, entity: str) -> Tally:
    admitted = [row for row in warehouse.relation(f"silver.{entity}").dicts() if row["_source_row_id"] != "__unknown__"]
    every_reject = warehouse.relation(f"silver.{entity}__reject").dicts()
    rejected = [row for row in every_reject if row["resolved_at"] is None]
    routes = Counter(row["_route"] for row in warehouse.relation(f"silver.{entity}__judged").dicts())
    disposition = dict(
        warehouse.query("select distinct rule, disposition from gold.mart_data_quality where entity = ?", [entity])
    )
    return Tally(
        entity,
        sum(warehouse.query(f"select count(*) from bronze.{table}")[0][0] for table in SOURCES[entity]),
        len(admitted),
        sum(not row["_quality_ok"] for row in admitted),
        len(rejected),
        routes["deduped"],
        Counter(
            name for row in rejected for name in rule_names(row["failed_rules"]) if disposition[name] == "quarantine"
        ),
        Counter(name for row in admitted for name in rule_names(row["_quality_flags"])),
        Counter(row["resolution"] for row in every_reject if row["resolved_at"] is not None),
    )


def listed(reasons: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in reasons.most_common(4)) or "none"


def table(tallies: list[Tally]) -> list[str]:
    lines = [f"{'':12}{'delivered':>11} = {'admitted':>9} + {'quarantined':>12} + {'deduped':>8}      flagged"]
    for each in tallies:
        lines.append(
            f"{each.entity:12}{each.delivered:>11,} = {each.admitted:>9,} + {each.quarantined:>12,} + {each.deduped:>8,}"
            f"   {'ok' if each.adds_up() else 'NO'} {each.flagged:>7,}"
        )
    return lines


def example(warehouse: Warehouse) -> list[str]:
    rows = warehouse.relation("silver.order_line__reject").dicts()
    row = max(rows, key=lambda row: (len(rule_names(row["failed_rules"])), row["_source_row_id"]))
    raw = json.loads(row["raw"])
    shown = ", ".join(f"{name}: {value!r}" for name, value in raw.items() if not name.startswith("_"))
    return [f"  {row['_source_row_id']} of {row['_load_id']}  {shown}", f"  failed {', '.join(rule_names(row['failed_rules']))}"]


def tallies_of(warehouse: Warehouse) -> list[Tally]:
    return [tally(warehouse, entity) for entity in SOURCES]


def step(places: list[str]) -> bool:
    """The numbers after a step, which are those of both projects."""
    dbt, sqlmesh = map(tallies_of, map(warehouse, places))
    print("\n".join(table(dbt)))
    resolved = [f"{each.entity}: {listed(each.resolved)}" for each in dbt if each.resolved]
    if resolved:
        print(f"  of what was quarantined before, resolved so far: {'; '.join(resolved)}")
    if dbt != sqlmesh:
        print("\n".join(["in SQLMesh it is another:", *table(sqlmesh)]))
    return dbt == sqlmesh and all(each.adds_up() for each in dbt)


def report(folder: Path, places: list[str]) -> bool:
    warehouses = dict(zip(("dbt", "sqlmesh"), map(warehouse, places), strict=True))
    tallies = tallies_of(warehouses["dbt"])
    print("why rows are quarantined")
    for each in tallies:
        print(f"  {each.entity:12}{listed(each.reasons)}")
    print("\nwhat is kept with a flag")
    for each in tallies:
        print(f"  {each.entity:12}{listed(each.flags)}")
    print("\none of the rejected rows, as it was delivered")
    print("\n".join(example(warehouses["dbt"])))

    found = {
        name: differences(
            warehouses["dbt"].relation(name).without(RUN_DEPENDENT),
            warehouses["sqlmesh"].relation(name).without(RUN_DEPENDENT),
        )
        for name in RELATIONS
    }
    apart = {name: lines for name, lines in found.items() if lines}
    rows = sum(len(warehouses["dbt"].relation(name).rows) for name in RELATIONS)
    print()
    if apart:
        print("dbt and SQLMesh differ:")
        for name, lines in apart.items():
            print("\n".join([f"  {name}", *(f"    {line}" for line in lines)]))
    else:
        print(f"dbt and SQLMesh agree on all {rows:,} rows of {len(RELATIONS)} relations, cell by cell.")

    print(f"""
where to look next
  the specs              fixtures/demo/specs, and with the relaxed rule {shown_path(folder / 'relaxed')}
  the generated projects {shown_path(folder / 'dbt')} and {shown_path(folder / 'sqlmesh')}
  the warehouse          {shown_place(places[0])}: silver.order, silver.order__reject, gold.mart_data_quality
  change a rule          edit fixtures/demo/specs, run scripts/demo again""")
    return not apart and all(each.adds_up() for each in tallies)


def shown_place(place: str) -> str:
    return place if place.startswith("postgres:") else shown_path(Path(place))


def shown_path(path: Path) -> str:
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else str(path)


if __name__ == "__main__":
    what, *places = sys.argv[1:]
    is_well = step(places) if what == "tally" else report(Path(places[2]), places[:2])
    sys.exit(0 if is_well else 1)
