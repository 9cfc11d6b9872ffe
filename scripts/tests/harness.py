"""What every test here needs: the binary, the two real frameworks, a bronze schema, and the rows that came out.

Nothing here imitates a framework. Each framework runs in one long-lived process (`lib/framework_server.py`), in a
hostile time zone, so that a result which depends on the session's zone cannot agree between the two.
"""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import postgres as postgres_servers
from warehouse import RUN_DEPENDENT, Bronze, Duckdb, Postgres, Relation, Row, Warehouse, alike, differences, quoted, rule_names

__all__ = ["Bronze", "Relation", "Row", "Warehouse", "alike", "differences", "quoted", "rule_names"]

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("ASSAY_BINARY") or ROOT / "target" / "release" / ("assay.exe" if os.name == "nt" else "assay"))
SHARED = ROOT.parent / "shared"
CORPUS = SHARED / "corpus"

Target = Literal["dbt", "sqlmesh"]
Framework = Literal["dbt", "sqlmesh", "dbt on the next duckdb"]
TARGETS: tuple[Target, ...] = ("dbt", "sqlmesh")
Engine = Literal["duckdb", "duckdb_next", "postgres", "postgres13"]
ENGINES: tuple[Engine, ...] = ("duckdb", "postgres")
# Other releases of an engine than the one that everything runs on, and that one.
RELEASES: Mapping[Engine, Engine] = {"duckdb_next": "duckdb", "postgres13": "postgres"}
FLAGS: Mapping[Engine, Sequence[str]] = {
    "duckdb": ("--dialect", "duckdb"),
    "duckdb_next": ("--dialect", "duckdb"),
    "postgres": ("--dialect", "postgres"),
    "postgres13": ("--dialect", "postgres", "--postgres-version", "13"),
}
ZONES: dict[Target, str] = {"dbt": "Asia/Tokyo", "sqlmesh": "America/St_Johns"}

UNKNOWN_MEMBER = "__unknown__"
METADATA = ("_load_id", "_ingested_at", "_source_row_id")


# ---------------------------------------------------------------------------------------------------- the binary


@dataclass(frozen=True)
class Outcome:
    """How a command ended: its exit code and everything it printed."""

    exit: int
    output: str

    def ok(self) -> "Outcome":
        assert self.exit == 0, f"exit {self.exit}\n{self.output}"
        return self


def assay(*arguments: str | Path, folder: Path = ROOT, environment: Mapping[str, str] = {}) -> Outcome:
    assert BINARY.exists(), f"{BINARY} is missing: run `cargo build --release`, or scripts/test"
    done = subprocess.run(
        [BINARY, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    return Outcome(done.returncode, done.stdout)


def write_specs(folder: Path, documents: Mapping[str, str]) -> Path:
    for name, text in documents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
    return folder


def check(specs: Path, engine: Engine = "duckdb") -> Outcome:
    return assay("check", "--specs", specs, *FLAGS[engine])


def tree_bytes(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# ------------------------------------------------------------------------------------------------ the frameworks


class Server:
    """One framework, imported once; each command runs in a fork of it."""

    def __init__(self, framework: Framework) -> None:
        target: Target = "sqlmesh" if framework == "sqlmesh" else "dbt"
        python = ROOT / ".venv" / target / "bin" / "python"
        assert python.exists(), f"{python} is missing: run scripts/setup"
        next_duckdb = ROOT / ".venv" / "duckdb_next"
        assert next_duckdb.exists(), f"{next_duckdb} is missing: run scripts/setup"
        environment = {
            "DO_NOT_TRACK": "1",
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
            "SQLMESH__DISABLE_ANONYMIZED_ANALYTICS": "true",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUTF8": "1",
            "COLUMNS": "200",
            "NO_COLOR": "1",
            "TZ": ZONES[target],
            **({"PYTHONPATH": str(next_duckdb)} if framework == "dbt on the next duckdb" else {}),
        }
        self.process = subprocess.Popen(
            [python, ROOT / "scripts" / "lib" / "framework_server.py", target],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )

    def run(
        self, folder: Path, arguments: Sequence[str], environment: Mapping[str, str], days: int, refused: Sequence[str] = ()
    ) -> Outcome:
        request = {
            "arguments": list(arguments),
            "folder": str(folder),
            "environment": dict(environment),
            "days": days,
            "refused": list(refused),
        }
        assert self.process.stdin and self.process.stdout
        print(json.dumps(request), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        return Outcome(answer["exit"], answer["output"])

    def stop(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


servers: dict[Framework, Server] = {}


def server(framework: Framework) -> Server:
    if framework not in servers:
        servers[framework] = Server(framework)
    return servers[framework]


running_postgres: dict[Path, postgres_servers.Postgres] = {}
starting_postgres = Lock()


def postgres(engine: Engine) -> postgres_servers.Postgres:
    """One server for each release, started when it is first asked for."""
    with starting_postgres:
        bin = postgres_servers.oldest() if engine == "postgres13" else postgres_servers.newest()
        if bin not in running_postgres:
            running_postgres[bin] = postgres_servers.Postgres(bin)
        return running_postgres[bin]


def stop_servers() -> None:
    while running_postgres:
        running_postgres.popitem()[1].stop()
    while servers:
        servers.popitem()[1].stop()


@dataclass
class Project:
    """A generated project with a warehouse of its own."""

    target: Target
    folder: Path
    warehouse: Warehouse
    engine: Engine = "duckdb"
    runs: int = field(default=0)

    @property
    def environment(self) -> Mapping[str, str]:
        if isinstance(self.warehouse, Postgres):
            return self.warehouse.environment
        assert isinstance(self.warehouse, Duckdb)
        return {"ASSAY_DUCKDB": str(self.warehouse.path)}

    def dbt(self, *arguments: str, warnings_fail: bool = True, refused: Sequence[str] = ()) -> Outcome:
        framework: Framework = "dbt on the next duckdb" if self.engine == "duckdb_next" else "dbt"
        return server(framework).run(
            self.folder,
            ["--no-use-colors", *(["--warn-error"] if warnings_fail else []), *arguments, "--profiles-dir", str(self.folder)],
            self.environment,
            days=0,
            refused=refused,
        )

    def sqlmesh(self, *arguments: str, days: int = 0, refused: Sequence[str] = ()) -> Outcome:
        return server("sqlmesh").run(
            self.folder,
            ["-p", str(self.folder), *arguments],
            self.environment,
            days=days,
            refused=refused,
        )

    def run(self, refused: Sequence[str] = ()) -> Outcome:
        """One scheduled run over the bronze rows there are now: `dbt build`, or `sqlmesh plan` and later `run`. A statement
        in which one of the regular expressions `refused` is found fails."""
        self.runs += 1
        if self.target == "dbt":
            return self.dbt("build", refused=refused)
        if self.runs == 1:
            return self.plan()
        # SQLMesh evaluates a daily model once a day, so each further run is on a further day.
        return self.sqlmesh("run", "--ignore-cron", days=self.runs, refused=refused)

    def plan(self) -> Outcome:
        return self.sqlmesh("plan", "--auto-apply", "--no-prompts", days=self.runs)

    def replay(self, entity: str | None = None, *, dry_run: bool = False) -> Outcome:
        """What is rejected, judged again."""
        return self.operation("replay", entity, dry_run)

    def retention(self, entity: str | None = None, *, dry_run: bool = False) -> Outcome:
        """What was rejected too long ago, deleted."""
        return self.operation("retention", entity, dry_run)

    def operation(self, name: str, entity: str | None, dry_run: bool) -> Outcome:
        """A dbt operation, or the script of a SQLMesh project."""
        if self.target == "dbt":
            arguments = {"entity": entity, "dry_run": dry_run}
            return self.dbt("run-operation", f"assay_{name}", "--args", json.dumps(arguments))
        done = subprocess.run(
            [
                ROOT / ".venv" / "sqlmesh" / "bin" / "python",
                self.folder / "scripts" / "assay" / f"{name}.py",
                *([entity] if entity else []),
                *(["--dry-run"] if dry_run else []),
            ],
            cwd=self.folder,
            env={
                **os.environ,
                "SQLMESH__DISABLE_ANONYMIZED_ANALYTICS": "true",
                "PYTHONDONTWRITEBYTECODE": "1",
                "TZ": ZONES[self.target],
                **self.environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=300,
        )
        return Outcome(done.returncode, done.stdout)

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple]:
        return self.warehouse.query(sql, parameters)

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        self.warehouse.execute(sql, parameters)


def generate(specs: Path, target: Target, out: Path, engine: Engine = "duckdb") -> Project:
    """A new project from a spec tree. `out` may hold an earlier one: then it is generated into."""
    out.mkdir(parents=True, exist_ok=True)
    assay("generate", "--specs", specs, "--target", target, *FLAGS[engine], "--out", out).ok()
    return Project(target, out, new_warehouse(out, engine), engine)


def new_warehouse(folder: Path, engine: Engine) -> Warehouse:
    if FLAGS[engine] == FLAGS["duckdb"]:
        return Duckdb(folder / "warehouse.duckdb")
    name = "w" + hashlib.md5(str(folder).encode()).hexdigest()
    database = Postgres(postgres(engine).environment(name))
    database.create()
    return database


def in_both(action, projects: Mapping[Target, Project]) -> dict[Target, Any]:
    """The same action on the dbt and on the SQLMesh project, at once."""
    with ThreadPoolExecutor(len(projects)) as pool:
        waiting = {target: pool.submit(action, project) for target, project in projects.items()}
        return {target: future.result() for target, future in waiting.items()}


def targets_of(engine: Engine) -> tuple[Target, ...]:
    """SQLMesh does not accept the next duckdb yet."""
    return ("dbt",) if engine == "duckdb_next" else TARGETS


def generate_both(specs: Path, folder: Path, engine: Engine = "duckdb") -> dict[Target, Project]:
    return {target: generate(specs, target, folder / target, engine) for target in targets_of(engine)}


# ------------------------------------------------------------------------------------------------------- bronze


def delivered(
    rows: Iterable[Row], *, load: str = "l1", at: str = "2026-01-01T00:00:00Z", prefix: str = "r"
) -> list[dict[str, Any]]:
    """Rows with the ingestion metadata they lack: one load, one time, `r1`, `r2`, … as source row ids."""
    return [
        {"_load_id": load, "_ingested_at": at, "_source_row_id": f"{prefix}{number}", **row}
        for number, row in enumerate(rows, start=1)
    ]


def cells(text: str, delimiter: str = ",") -> list[list[str | None]]:
    """The records of a CSV text, where an unquoted empty cell is NULL and a quoted one is the empty string."""
    records: list[list[str | None]] = []
    record: list[str | None] = []
    cell: list[str] = []
    was_quoted = inside = False
    at = 0

    def end_cell() -> None:
        nonlocal was_quoted
        record.append("".join(cell) if cell or was_quoted else None)
        cell.clear()
        was_quoted = False

    def end_record() -> None:
        nonlocal record
        if record or cell or was_quoted:
            end_cell()
            records.append(record)
            record = []

    while at < len(text):
        here = text[at]
        if inside:
            if here == '"' and text[at + 1 : at + 2] == '"':
                cell.append('"')
                at += 1
            elif here == '"':
                inside = False
            else:
                cell.append(here)
        elif here == '"' and not cell:
            inside = was_quoted = True
        elif here == delimiter:
            end_cell()
        elif here == "\n":
            end_record()
        elif here != "\r" or text[at + 1 : at + 2] != "\n":
            cell.append(here)
        at += 1
    end_record()
    return records


def read_csv(path: Path, encoding: str = "utf-8") -> list[dict[str, str | None]]:
    """The rows of a CSV file by header; cells beyond the header (a ragged row) are joined to the last column."""
    header, *records = cells(path.read_bytes().decode(encoding))
    assert all(header)
    rows = []
    for record in records:
        if len(record) > len(header):
            kept = record[: len(header) - 1]
            record = [*kept, ",".join(cell or "" for cell in record[len(header) - 1 :])]
        record = [*record, *[None] * (len(header) - len(record))]
        rows.append(dict(zip([str(name) for name in header], record, strict=True)))
    return rows


# ------------------------------------------------------------------------------------------------ what came out


def published(entity: str) -> tuple[str, str]:
    return (f"silver.{entity}", f"silver.{entity}__reject")


def apart(one: Warehouse, other: Warehouse, names: Iterable[str]) -> dict[str, list[str]]:
    """Where two warehouses differ in these relations, cell by cell, types included."""
    found = {
        name: differences(one.relation(name).without(RUN_DEPENDENT), other.relation(name).without(RUN_DEPENDENT))
        for name in names
    }
    return {name: lines for name, lines in found.items() if lines}


def apart_by_engine(
    one: Warehouse, other: Warehouse, names: Iterable[str], known: frozenset[str] = frozenset()
) -> dict[str, list[str]]:
    """Where two engines differ in these relations; one of them may keep more columns in judged."""
    found = {}
    for name in names:
        left, right = (
            each.relation(name).without(RUN_DEPENDENT).only(lambda row: row["_source_row_id"] not in known)
            for each in (one, other)
        )
        shared = {name for name, _ in left.columns} & {name for name, _ in right.columns}
        if not name.endswith("__judged"):
            assert len(shared) == len(left.columns) == len(right.columns), (name, left.columns, right.columns)
        if lines := differences(alike(left, shared), alike(right, shared)):
            found[name] = lines
    return found


def compare(one: Warehouse, other: Warehouse, names: Iterable[str]) -> None:
    found = apart(one, other, names)
    assert not found, "\n".join(f"{name}: {line}" for name, lines in found.items() for line in lines)


def delivery(row: Row) -> str:
    """How a row of an entity is named in its fates."""
    name = f"{row['_source_row_id']}@{row['_load_id']}"
    return f"{row['_source']}/{name}" if "_source" in row else name


def fates(warehouse: Warehouse, entity: str) -> dict[str, str]:
    """What became of each delivery, `source row@load`: `pass`, `flag: a, b`, `quarantine: a, b` or `dedupe`.

    Where an entity has several sources, the source and a slash stand before it. A delivery that is in two places or twice in one is an error: that is the law of conservation, by identity.
    """
    found: dict[str, list[str]] = {}

    admitted = warehouse.relation(f"silver.{entity}")
    is_merged = "_source" in [name for name, _ in admitted.columns]

    def add(row: Row, source: str, fate: str) -> None:
        identity = {name: row[name] for name in ("_source_row_id", "_load_id")}
        named = delivery({**identity, "_source": row[source]} if is_merged else identity)
        found.setdefault(named, []).append(fate)

    for row in admitted.dicts():
        if row["_source_row_id"] == UNKNOWN_MEMBER:
            continue  # no delivery brought it
        flags = rule_names(row["_quality_flags"])
        assert row["_quality_ok"] == (not flags), row
        add(row, "_source", "flag: " + ", ".join(flags) if flags else "pass")
    for row in warehouse.relation(f"silver.{entity}__reject").dicts():
        if row["resolved_at"] is None:
            rules = rule_names(row["failed_rules"])
            assert rules, f"a rejected row without a reason: {row}"
            add(row, "source_relation", "quarantine: " + ", ".join(rules))
    for row in warehouse.relation(f"silver.{entity}__judged").dicts():
        if row["_route"] == "deduped":
            add(row, "_source", "dedupe")
    twice = {delivery: places for delivery, places in found.items() if len(places) > 1}
    assert not twice, f"deliveries in more than one place: {twice}"
    return {delivery: places[0] for delivery, places in found.items()}


def deliveries(rows: Iterable[Row]) -> set[str]:
    return {f"{row['_source_row_id']}@{row['_load_id']}" for row in rows}
