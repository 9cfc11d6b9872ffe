#!/usr/bin/env python3
"""What a run over a small batch costs on DuckDB, against building the same entity anew from all of bronze.

The statements are those that `dbt build` sends for an incremental entity when a batch has arrived, read from its log and
run again over a copy of the warehouse as it was before. The batch has as many rows at every size of bronze, so the two
sizes tell what grows with the table. CPU as in `pipeline.py`; ratios are taken within one round.

    scripts/bench/incremental.py [--rows N] [--batch N] [--rounds N] [--assay BINARY]
"""

import argparse
import json
import os
import shutil
import subprocess
from pathlib import Path

from feed import load_statements, write_specs
from timing import DBT, ROOT, spread, sql, table

WORK = ROOT / ".work" / "bench" / "incremental"
NODES = ("order_line__judged", "order_line__gates", "order_line", "order_line__reject")


def specs(folder: Path, *, incremental: bool) -> None:
    write_specs(folder)
    if incremental:
        model = folder / "shop.yaml"
        line = "    key: [order_id, line_no]\n"
        text = model.read_text()
        model.write_text(text.replace(line, f"{line}    materialization: incremental_by_key\n"))


def build(project: Path, warehouse: Path, *arguments: str) -> dict[str, list[str]]:
    """What one `dbt build` sends, by node."""
    logs = project / "logs"
    shutil.rmtree(logs, ignore_errors=True)
    subprocess.run(
        [str(DBT / "dbt"), "--log-format-file", "json", "--log-level-file", "debug", "--log-path", str(logs),
         "build", *arguments, "--project-dir", str(project), "--profiles-dir", str(project)],
        check=True, stdout=subprocess.DEVNULL,
        env=os.environ | {"ASSAY_DUCKDB": str(warehouse), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"},
    )
    found: dict[str, list[str]] = {}
    for line in (logs / "dbt.log").read_text().splitlines():
        event = json.loads(line)
        if event["info"]["name"] == "SQLQuery":
            node = event["data"].get("node_info", {}).get("node_name", "")
            found.setdefault(node, []).append(event["data"]["sql"].split("*/", 1)[-1].strip())
    return found


def arrive(batch: int) -> list[str]:
    """A load that brings new lines, and some old ones again."""
    columns = "* EXCLUDE (_load_id, _ingested_at, _source_row_id, order_id)"
    stamp = "'load_999' AS _load_id, '2027-01-01T02:15:00Z' AS _ingested_at"
    again = batch // 5
    return [
        f"""INSERT INTO bronze.order_lines BY NAME
      SELECT {stamp}, 'new' || _source_row_id AS _source_row_id, order_id, {columns} REPLACE ('9' || line_no AS line_no)
      FROM (SELECT * FROM bronze.order_lines WHERE _load_id = 'load_000' LIMIT {batch - again})""",
        f"""INSERT INTO bronze.order_lines BY NAME
      SELECT {stamp}, _source_row_id, order_id, {columns}
      FROM (SELECT * FROM bronze.order_lines WHERE _load_id = 'load_001' LIMIT {again})""",
        "CHECKPOINT",
    ]


Round = dict[str, tuple[float, float]]


def measure(rows: int, batch: int, rounds: int, assay: str) -> list[Round]:
    """CPU seconds of the batch and of building anew, by round: of the statements, and of DuckDB's checkpoint."""
    folder = WORK / str(rows)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    sent = {}
    before = folder / "before.duckdb"
    for name in ("incremental", "full"):
        specs(folder / name / "specs", incremental=name == "incremental")
        project = folder / name / "dbt"
        subprocess.run(
            [assay, "generate", "--specs", str(folder / name / "specs"), "--target", "dbt", "--out", str(project)],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        warehouse = folder / name / "warehouse.duckdb"
        sql(warehouse, load_statements(rows))
        if name == "incremental":
            build(project, warehouse)
            sql(warehouse, arrive(batch))
            shutil.copy(warehouse, before)
            sent[name] = build(project, warehouse)
        else:
            sql(warehouse, arrive(batch))
            bare = folder / "bare.duckdb"
            shutil.copy(warehouse, bare)
            sent[name] = build(project, warehouse)
    found = []
    for _ in range(rounds):
        costs: Round = {}
        for name, start in (("incremental", before), ("full", folder / "bare.duckdb")):
            scratch = folder / "warehouse.duckdb"
            shutil.copy(start, scratch)
            if name == "full":
                ready = [text for node in ("mart_data_quality", "quality_runs", "quality_log", "order__judged", "order") for text in sent[name][node]]
                sql(scratch, ["CREATE SCHEMA IF NOT EXISTS silver", "CREATE SCHEMA IF NOT EXISTS gold", *ready, "CHECKPOINT"])
            nodes = [sql(scratch, sent[name][node]) for node in NODES]
            closing = sum(node.closing for node in nodes)
            costs[name] = (sum(node.cpu for node in nodes) - closing, closing)
        found.append(costs)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="bronze rows of the larger table")
    parser.add_argument("--batch", type=int, default=0, help="rows that arrive (default: 1 %% of --rows)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--assay", default=str(ROOT / "target" / "release" / "assay"))
    arguments = parser.parse_args()
    batch = arguments.batch or arguments.rows // 100
    lines, costs = [], {}
    for rows in (arguments.rows // 4, arguments.rows):
        found = measure(rows, batch, arguments.rounds, arguments.assay)
        own, full = ([each[name] for each in found] for name in ("incremental", "full"))
        costs[rows] = [statements for statements, _ in own]
        lines.append(
            [f"{rows:,}", f"{batch:,}", *(spread([each[part] for each in side]) for side in (own, full) for part in (0, 1)),
             spread([one[0] / other[0] for one, other in zip(own, full)])]
        )
    print(table(
        ["rows in bronze", "rows that arrived", "CPU s, batch", "checkpoint", "CPU s, anew", "checkpoint", "batch / anew"], lines
    ))
    small, large = costs.values()
    print(f"\nFour times the bronze, the same batch: {spread([one / other for one, other in zip(large, small)])} × the CPU.")


if __name__ == "__main__":
    main()
