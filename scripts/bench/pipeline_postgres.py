#!/usr/bin/env python3
"""What the generated pipeline costs on PostgreSQL, against a typed table made with the same guarded conversions.

The statements are those that `dbt build` sends, from its log, as in `pipeline.py`; each node runs in a session of its
own over a large bronze. CPU is user + system time of that session's backend, without parallel workers; ratios are
taken within one round. The server is the one of the tests, and does not wait for the disk.

    scripts/bench/pipeline_postgres.py [--rows N] [--rounds N] [--assay BINARY]
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import duckdb
import psycopg2

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from feed import COLUMNS, TYPES, failing_rows, load_statements, write_specs  # noqa: E402
from postgres import Postgres  # noqa: E402
from timing import DBT, ROOT, run, spread, table  # noqa: E402

WORK = ROOT / ".work" / "bench" / "postgres"
NODES = ("order_line__judged", "order_line__gates", "order_line", "order_line__reject")
BEFORE = ("mart_data_quality", "quality_runs", "order__judged", "order")
FENCE = "OFFSET 0"
TICKS = os.sysconf("SC_CLK_TCK")


def connect(server: Postgres, database: str):
    connection = psycopg2.connect(host=server.host, port=server.port, user=server.user, dbname=database)
    connection.autocommit = True
    connection.cursor().execute("SET max_parallel_workers_per_gather = 0")
    return connection


def cpu_of(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def cost(server: Postgres, database: str, statements: Sequence[str]) -> float:
    """CPU seconds of the backend that runs the statements."""
    connection = connect(server, database)
    try:
        process = connection.info.backend_pid
        cursor = connection.cursor()
        before = cpu_of(process)
        for statement in statements:
            cursor.execute(statement)
        return cpu_of(process) - before
    finally:
        connection.close()


def load(server: Postgres, database: str, rows: int) -> None:
    """The bronze of `feed.py`, which DuckDB makes and COPY brings over."""
    made = duckdb.connect()
    for statement in load_statements(rows):
        made.execute(statement)
    connect(server, "postgres").cursor().execute(f"CREATE DATABASE {database}")
    cursor = connect(server, database).cursor()
    cursor.execute("CREATE SCHEMA bronze")
    for name in ("order_lines", "orders"):
        columns = [column[0] for column in made.execute(f"SELECT * FROM bronze.{name} LIMIT 0").description]
        cursor.execute(f"CREATE TABLE bronze.{name} ({', '.join(f'{column} TEXT' for column in columns)})")
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            made.execute(f"COPY bronze.{name} TO '{file.name}' (FORMAT csv, HEADER false, NULLSTR '\\N')")
            with open(file.name, encoding="utf-8") as lines:
                cursor.copy_expert(f"COPY bronze.{name} FROM STDIN (FORMAT csv, NULL '\\N')", lines)
        cursor.execute(f"ANALYZE bronze.{name}")


def statements_of(server: Postgres, assay: str) -> dict[str, list[str]]:
    """Every statement dbt sends for the nodes of the pipeline, by node."""
    shutil.rmtree(WORK, ignore_errors=True)
    write_specs(WORK / "specs")
    project = WORK / "dbt"
    run([assay, "generate", "--specs", str(WORK / "specs"), "--target", "dbt", "--dialect", "postgres", "--out", str(project)])
    load(server, "small", 1000)
    subprocess.run(
        [str(DBT / "dbt"), "--log-format-file", "json", "--log-level-file", "debug", "--log-path", str(WORK / "logs"),
         "build", "--project-dir", str(project), "--profiles-dir", str(project)],
        check=False, stdout=subprocess.DEVNULL,
        env=os.environ | server.environment("small") | {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false"},
    )  # fmt: skip
    found: dict[str, list[str]] = {}
    for line in (WORK / "logs" / "dbt.log").read_text().splitlines():
        event = json.loads(line)
        if event["info"]["name"] == "SQLQuery":
            node = event["data"].get("node_info", {}).get("node_name", "")
            text = event["data"]["sql"].split("*/", 1)[-1].strip().replace('"small".', "")
            found.setdefault(node, []).append(text)
    missing = [node for node in (*BEFORE, *NODES) if node not in found]
    if missing:
        raise SystemExit(f"dbt did not run {', '.join(missing)}; see {WORK}/logs/dbt.log")
    return found


def reset(server: Postgres, statements: dict[str, list[str]]) -> None:
    drop = [f"DROP SCHEMA IF EXISTS {schema} CASCADE" for schema in ("silver", "gold", "audit")]
    make = [f"CREATE SCHEMA {schema}" for schema in ("silver", "gold", "audit")]
    cost(server, "large", drop + make + [text for node in BEFORE for text in statements[node]])


def typed_table(judged: Sequence[str]) -> str:
    """The typed values alone, from the text that judged makes them with."""
    (body,) = {
        found[1]
        for text in judged
        if (found := re.search(r"WITH coerced AS MATERIALIZED \(\n(.*?)\n\), repeated AS", text, re.DOTALL))
    }
    columns = ", ".join(f'"{column}"' for column in ("_load_id", "_ingested_at", "_source_row_id", *COLUMNS))
    return f"CREATE TABLE audit.typed AS SELECT {columns} FROM ({body}) AS coerced"


def tests() -> list[str]:
    """The queries of `failing_rows`, as PostgreSQL spells them."""
    out = []
    for text in failing_rows("audit.typed"):
        text = text.replace("CREATE OR REPLACE TABLE", "CREATE TABLE")
        text = re.sub(r"regexp_matches\((\w+), ('[^']*')\)", r"\1 ~ \2", text)
        for column, type_ in TYPES.items():
            text = text.replace(f"TRY_CAST({column} AS {type_}) IS NULL", f"NOT PG_INPUT_IS_VALID({column}, '{type_.lower()}')")
        out.append(text.replace("_ingested_at, 'timestamp'", "_ingested_at, 'timestamptz'"))
    return out


def unfenced(statements: Sequence[str]) -> list[str]:
    return [text.replace(f"\n  {FENCE}", "").replace("AS MATERIALIZED (", "AS (").replace(FENCE, "") for text in statements]


def balance(server: Postgres) -> str:
    cursor = connect(server, "large").cursor()
    cursor.execute("SELECT _route, count(*) FROM silver.order_line__judged GROUP BY 1")
    routes = dict(cursor.fetchall())
    cursor.execute(
        "SELECT (SELECT count(*) FROM bronze.order_lines), (SELECT count(*) FROM silver.order_line),"
        " (SELECT count(*) FROM silver.order_line__reject)"
    )
    bronze, entity, reject = cursor.fetchone()
    if (entity, reject, sum(routes.values())) != (routes["admitted"], routes["quarantined"], bronze):
        raise SystemExit(f"not conserved: {bronze} deliveries, {routes}, {entity} in the entity, {reject} in reject")
    return f"{bronze:,} deliveries = {entity:,} admitted + {reject:,} quarantined + {routes['deduped']:,} deduped"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--assay", default=str(ROOT / "target" / "release" / "assay"))
    options = parser.parse_args()
    costs: dict[str, list[float]] = {}
    ratios: dict[str, list[float]] = {}
    halves: list[float] = []

    with Postgres() as server:
        statements = statements_of(server, options.assay)
        load(server, "large", options.rows)
        for _ in range(options.rounds):
            reset(server, statements)
            typed = cost(server, "large", [typed_table(statements["order_line__judged"])])

            def note(name: str, cpu: float, base: float = typed) -> None:
                costs.setdefault(name, []).append(cpu)
                ratios.setdefault(name, []).append(cpu / base)

            note("copy of bronze", cost(server, "large", ["CREATE TABLE audit.copy AS SELECT * FROM bronze.order_lines"]))
            note("typed table, no rules", typed)
            note("typed table + a stored test for each rule", typed + cost(server, "large", tests()))
            nodes = {node: cost(server, "large", statements[node]) for node in NODES}
            said = balance(server)
            whole = sum(nodes.values())
            note("**whole pipeline**", whole)
            for node, cpu in nodes.items():
                note(f"– {node}", cpu)
            reset(server, statements)
            loose = whole - nodes["order_line__judged"] + cost(server, "large", unfenced(statements["order_line__judged"]))
            note("the pipeline without its fences", loose)
            halves.append(whole / loose)
    print(said)
    print()
    print(table(["", "CPU s", "× typed table"], [[name, spread(costs[name]), spread(ratios[name])] for name in costs]))
    print(f"\nagainst the form without fences: {spread(halves)}")


if __name__ == "__main__":
    python = ROOT / ".venv" / "dbt" / "bin" / "python"
    if Path(sys.executable).resolve() != python.resolve() or sys.prefix != str(ROOT / ".venv" / "dbt"):
        if not os.environ.get("ASSAY_BENCH_STARTED"):
            os.execve(str(python), [str(python), *sys.argv], os.environ | {"ASSAY_BENCH_STARTED": "1"})
    main()
