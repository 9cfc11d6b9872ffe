#!/usr/bin/env python3
"""What the generated pipeline costs on DuckDB, against copying the bronze table.

The statements are those that `dbt build` sends: it builds the project once over a small bronze, its log is read, and
each node's statements are then run over a large bronze, each node in a fresh DuckDB process. CPU is user + system time
of that process without its start; all ratios are taken within one round, and rounds are interleaved.

    scripts/bench/pipeline.py [--rows N] [--rounds N] [--assay BINARY] [--only pipeline,tests,rules]
"""

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from feed import failing_rows, load_statements, typed_table, write_specs
from timing import DBT, ROOT, Cost, run, spread, sql, table

WORK = ROOT / ".work" / "bench"
NODES = ("order_line__judged", "order_line__gates", "order_line", "order_line__reject")
COPY = "CREATE OR REPLACE TABLE bench_copy AS SELECT * FROM bronze.order_lines"


def statements_of(name: str, assay: str, **specs) -> dict[str, list[str]]:
    """Every statement dbt sends for the nodes of the pipeline, by node."""
    project = WORK / name
    shutil.rmtree(project, ignore_errors=True)
    write_specs(project / "specs", **specs)
    run([assay, "generate", "--specs", str(project / "specs"), "--target", "dbt", "--out", str(project / "dbt")])
    small = project / "warehouse.duckdb"
    sql(small, load_statements(1000))
    subprocess.run(
        [str(DBT / "dbt"), "--log-format-file", "json", "--log-level-file", "debug", "--log-path", str(project / "logs"),
         "build", "--project-dir", str(project / "dbt"), "--profiles-dir", str(project / "dbt")],
        check=False, stdout=subprocess.DEVNULL,
        env=os.environ | {"ASSAY_DUCKDB": str(small), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"},
    )
    found: dict[str, list[str]] = {}
    for line in (project / "logs" / "dbt.log").read_text().splitlines():
        event = json.loads(line)
        if event["info"]["name"] != "SQLQuery":
            continue
        node = event["data"].get("node_info", {}).get("node_name", "")
        text = event["data"]["sql"].split("*/", 1)[-1].strip()
        found.setdefault(node, []).append(text)
    missing = [node for node in NODES if node not in found]
    if missing:
        raise SystemExit(f"dbt did not run {', '.join(missing)}; see {project}/logs/dbt.log")
    return found


def prepare(rows: int) -> Path:
    """The large bronze, and the tables that the pipeline finds when it starts."""
    database = WORK / "warehouse.duckdb"
    stamp = WORK / "warehouse.txt"
    feed = (Path(__file__).parent / "feed.py").read_text()
    if not database.exists() or not stamp.exists() or stamp.read_text() != f"{rows}\n{feed}":
        for old in WORK.glob("warehouse.duckdb*"):
            old.unlink()
        sql(database, load_statements(rows))
        stamp.write_text(f"{rows}\n{feed}")
    return database


def reset(database: Path, statements: dict[str, list[str]]) -> None:
    """Leaves bronze alone, and what stands before order_line's judged in the run."""
    drop = ["DROP SCHEMA IF EXISTS silver CASCADE", "DROP SCHEMA IF EXISTS gold CASCADE", "DROP SCHEMA IF EXISTS audit CASCADE"]
    make = ["CREATE SCHEMA silver", "CREATE SCHEMA gold", "CREATE SCHEMA audit"]
    before = [text for node in ("mart_data_quality", "quality_runs", "order__judged", "order") for text in statements[node]]
    sql(database, drop + make + before + ["CHECKPOINT"])


def whole(database: Path, statements: dict[str, list[str]]) -> dict[str, Cost]:
    reset(database, statements)
    return {node: sql(database, statements[node]) for node in NODES}


def check(database: Path) -> str:
    """The routes of all deliveries: a pipeline that loses rows is not worth timing."""
    import duckdb

    with duckdb.connect(str(database), read_only=True) as connection:
        routes = dict(connection.execute("SELECT _route, count(*) FROM silver.order_line__judged GROUP BY ALL").fetchall())
        entity, = connection.execute("SELECT count(*) FROM silver.order_line").fetchone()
        reject, = connection.execute("SELECT count(*) FROM silver.order_line__reject").fetchone()
        bronze, = connection.execute("SELECT count(*) FROM bronze.order_lines").fetchone()
    if (entity, reject, sum(routes.values())) != (routes["admitted"], routes["quarantined"], bronze):
        raise SystemExit(f"not conserved: {bronze} deliveries, {routes}, {entity} in the entity, {reject} in reject")
    return f"{bronze:,} deliveries = {entity:,} admitted + {reject:,} quarantined + {routes['deduped']:,} deduped"


def with_duckdb() -> None:
    """Starts again in the environment that has DuckDB, where the caller's Python has none."""
    if importlib.util.find_spec("duckdb") is None:
        python = str(ROOT / ".venv" / "sqlmesh" / "bin" / "python")
        os.execv(python, [python, *sys.argv])


def main() -> None:
    with_duckdb()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--assay", default=str(ROOT / "target" / "release" / "assay"))
    parser.add_argument("--only", default="pipeline,tests,rules", help="parts to run (default: all)")
    options = parser.parse_args()
    parts = options.only.split(",")
    WORK.mkdir(parents=True, exist_ok=True)
    database = prepare(options.rows)
    statements = statements_of("pipeline", options.assay)
    few = many = None
    if "rules" in parts:
        few = statements_of("few", options.assay, declared=False, extra=4)
        many = statements_of("many", options.assay, declared=False, extra=40)

    copies: list[float] = []
    ratios: dict[str, list[float]] = {}
    costs: dict[str, list[Cost]] = {}

    def note(name: str, cost: Cost, base: float) -> None:
        costs.setdefault(name, []).append(cost)
        ratios.setdefault(name, []).append(cost.cpu / base)

    balance = ""
    growth: list[float] = []
    for _ in range(options.rounds):
        copy = sql(database, [COPY])
        sql(database, ["DROP TABLE bench_copy", "CHECKPOINT"])
        copies.append(copy.cpu)
        note("copy of bronze", copy, copy.cpu)
        if "pipeline" in parts:
            nodes = whole(database, statements)
            balance = check(database)
            note("**whole pipeline**", total(nodes), copy.cpu)
            for node, cost in nodes.items():
                note(f"– {node}", cost, copy.cpu)
        if "tests" in parts:
            typed = sql(database, [typed_table("audit.typed")])
            note("typed table, no rules", typed, copy.cpu)
            tests = sql(database, failing_rows("audit.typed"))
            note("typed table + a stored test for each rule", total({"typed": typed, "tests": tests}), copy.cpu)
        if few and many:
            small, large = total(whole(database, few)), total(whole(database, many))
            note("4 authored rules", small, copy.cpu)
            note("40 authored rules", large, copy.cpu)
            growth.append(large.cpu / small.cpu)

    print(balance)
    print()
    rows = [
        [name, spread([cost.cpu for cost in costs[name]]), spread(ratios[name]), f"{max(cost.peak_mb for cost in costs[name]):.0f}"]
        for name in costs
    ]
    print(table(["", "CPU s", "× copy", "peak MB"], rows))
    if growth:
        print(f"\n40 rules against 4: {spread(growth)}")


def total(nodes: dict[str, Cost]) -> Cost:
    parts = nodes.values()
    return Cost(sum(part.cpu for part in parts), sum(part.wall for part in parts), max(part.peak_mb for part in parts))


if __name__ == "__main__":
    if "duckdb" not in sys.modules and Path(sys.executable).resolve() != (ROOT / ".venv/sqlmesh/bin/python").resolve():
        os.execv(str(ROOT / ".venv/sqlmesh/bin/python"), ["python", *sys.argv])
    main()
