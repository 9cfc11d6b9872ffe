"""Running something in a process of its own and reading what it cost; not what is run."""

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DBT = ROOT / ".venv" / "dbt" / "bin"
SQLMESH_PYTHON = ROOT / ".venv" / "sqlmesh" / "bin" / "python"


@dataclass(frozen=True)
class Cost:
    cpu: float
    wall: float
    peak_mb: float
    # The part of `cpu` that closing a database took: it writes what has changed to its file.
    closing: float = 0.0


def run(command: Sequence[str], **options) -> Cost:
    """CPU seconds and peak memory of the process and all it started."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{command[0]} failed: {' '.join(map(str, command))}")
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss / 1024)


def sql(database: Path, statements: Sequence[str], threads: int = 2) -> Cost:
    """Statements in a fresh DuckDB, its start not counted, its closing counted."""
    job = json.dumps({"database": str(database), "statements": list(statements), "threads": threads})
    done = subprocess.run(
        [str(SQLMESH_PYTHON), str(Path(__file__).resolve())],
        input=job, capture_output=True, text=True, check=False,
    )
    if done.returncode != 0:
        raise SystemExit(done.stderr[-4000:])
    return Cost(**json.loads(done.stdout))


def spread(values: Sequence[float], digits: int = 2) -> str:
    """`1.10 [1.05–1.20]`, or the number alone where there is only one."""
    middle = statistics.median(values)
    if len(values) == 1:
        return f"{middle:.{digits}f}"
    return f"{middle:.{digits}f} [{min(values):.{digits}f}–{max(values):.{digits}f}]"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def work() -> None:
    import duckdb

    job = json.load(sys.stdin)
    connection = duckdb.connect(job["database"], config={"threads": job["threads"]})
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SELECT 1").fetchall()
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    for statement in job["statements"]:
        connection.execute(statement).fetchall()
    done = resource.getrusage(resource.RUSAGE_SELF)
    connection.close()
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    closing = after.ru_utime + after.ru_stime - done.ru_utime - done.ru_stime
    print(json.dumps({"cpu": cpu, "closing": closing, "wall": time.monotonic() - start, "peak_mb": after.ru_maxrss / 1024}))


if __name__ == "__main__":
    work()
