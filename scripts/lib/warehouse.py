"""A warehouse from outside, a DuckDB file or a PostgreSQL database: loading bronze, reading what came out, telling two
relations apart.
"""

import json
import os
import re
import tempfile
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import duckdb
import psycopg2
from psycopg2.extras import execute_values, register_default_json, register_default_jsonb

Row = Mapping[str, Any]
Bronze = Mapping[str, Sequence[Row]]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True)
class Relation:
    """A relation as a reader sees it: its columns with their types, its rows in one fixed order."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple, ...]

    def without(self, names: Iterable[str]) -> "Relation":
        left_out = set(names)
        kept = [at for at, (name, _) in enumerate(self.columns) if name not in left_out]
        return Relation(
            tuple(self.columns[at] for at in kept),
            tuple(sorted((tuple(row[at] for at in kept) for row in self.rows), key=repr)),
        )

    def only(self, wanted: Callable[[Row], bool]) -> "Relation":
        kept = zip(self.rows, self.dicts(), strict=True)
        return Relation(self.columns, tuple(row for row, named in kept if wanted(named)))

    def dicts(self) -> list[dict[str, Any]]:
        names = [name for name, _ in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]


class Warehouse(ABC):
    """Parameters of a statement are written `?`."""

    @abstractmethod
    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None: ...

    @abstractmethod
    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple]: ...

    @abstractmethod
    def relation(self, name: str) -> Relation:
        """Types by DuckDB's names, JSON as text."""

    @abstractmethod
    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[str | None]]) -> None: ...

    def make_bronze(self, tables: Mapping[str, Sequence[str]], types: Mapping[str, str] = {}) -> None:
        """Tables that are not there yet, from their column names; all text unless `types` says otherwise."""
        self.execute("create schema if not exists bronze")
        for table, columns in tables.items():
            definition = ", ".join(f"{quoted(name)} {types.get(name, 'VARCHAR')}" for name in columns)
            self.execute(f"create table if not exists bronze.{quoted(table)} ({definition})")

    def load_bronze(self, tables: Bronze, types: Mapping[str, str] = {}) -> None:
        """Appends deliveries."""
        named = {table: list(dict.fromkeys(name for row in rows for name in row)) for table, rows in tables.items()}
        self.make_bronze(named, types)
        for table, rows in tables.items():
            cells = [[row.get(name) for name in named[table]] for row in rows]
            texts = [[cell if cell is None else str(cell) for cell in row] for row in cells]
            if rows:
                self.insert(f"bronze.{quoted(table)}", named[table], texts)


@dataclass(frozen=True)
class Duckdb(Warehouse):
    path: Path

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        with duckdb.connect(str(self.path)) as connection:
            connection.execute(sql, list(parameters))

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple]:
        with duckdb.connect(str(self.path), read_only=True) as connection:
            return connection.execute(sql, list(parameters)).fetchall()

    def relation(self, name: str) -> Relation:
        schema, table = name.split(".", 1)
        with duckdb.connect(str(self.path), read_only=True) as connection:
            cursor = connection.execute(f"select * from {quoted(schema)}.{quoted(table)}")
            columns = tuple((column[0], str(column[1])) for column in cursor.description)
            return Relation(columns, tuple(sorted(cursor.fetchall(), key=repr)))

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[str | None]]) -> None:
        """All rows at once, by way of a JSON file with short names: it keeps NULL, the empty text and every byte."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "rows.ndjson"
            with file.open("w", encoding="utf-8") as out:
                for row in rows:
                    print(json.dumps({f"c{at}": cell for at, cell in enumerate(row)}), file=out)
            typed = ", ".join(f"c{at}: 'VARCHAR'" for at in range(len(columns)))
            self.execute(
                f"insert into {table} ({', '.join(map(quoted, columns))})"
                f" select * from read_json(?, format = 'newline_delimited', columns = {{{typed}}})",
                [str(file)],
            )


TYPES = {
    "text": "VARCHAR",
    "character varying": "VARCHAR",
    "bigint": "BIGINT",
    "integer": "INTEGER",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp without time zone": "TIMESTAMP",
    "json": "JSON",
    "jsonb": "JSON",
    "text[]": "VARCHAR[]",
}


@dataclass(frozen=True)
class Postgres(Warehouse):
    """A database of the server that ASSAY_PG_… in `environment` leads to."""

    environment: Mapping[str, str]

    def connect(self, database: str | None = None) -> Any:
        found = {name: self.environment[f"ASSAY_PG_{name.upper()}"] for name in ("host", "port", "user", "password", "dbname")}
        connection = psycopg2.connect(**(found if database is None else found | {"dbname": database}))
        connection.autocommit = True
        for register in (register_default_json, register_default_jsonb):
            register(connection, loads=lambda text: text)
        return connection

    def create(self) -> None:
        """An empty database, in place of one of that name."""
        name = quoted(self.environment["ASSAY_PG_DBNAME"])
        connection = self.connect("postgres")
        try:
            cursor = connection.cursor()
            cursor.execute(f"drop database if exists {name} with (force)")
            cursor.execute(f"create database {name}")
        finally:
            connection.close()

    def run(self, sql: str, parameters: Sequence[Any]) -> tuple[Any, list[tuple]]:
        connection = self.connect()
        try:
            cursor = connection.cursor()
            if parameters:
                cursor.execute(sql.replace("%", "%%").replace("?", "%s"), list(parameters))
            else:
                cursor.execute(sql)
            return cursor.description, cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        self.run(sql, parameters)

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple]:
        return self.run(sql, parameters)[1]

    def relation(self, name: str) -> Relation:
        schema, table = name.split(".", 1)
        types = dict(
            self.query(
                "select attname, format_type(atttypid, atttypmod) from pg_attribute"
                " where attrelid = cast(? as regclass) and attnum > 0 and not attisdropped",
                [f"{quoted(schema)}.{quoted(table)}"],
            )
        )
        description, rows = self.run(f"select * from {quoted(schema)}.{quoted(table)}", ())
        columns = tuple((column.name, duckdb_type(types[column.name])) for column in description)
        return Relation(columns, tuple(sorted(rows, key=repr)))

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[str | None]]) -> None:
        connection = self.connect()
        try:
            names = ", ".join(quoted(name).replace("%", "%%") for name in columns)
            execute_values(connection.cursor(), f"insert into {table.replace('%', '%%')} ({names}) values %s", rows)
        finally:
            connection.close()


def duckdb_type(name: str) -> str:
    decimal = re.fullmatch(r"numeric\((\d+),(\d+)\)", name)
    return f"DECIMAL({decimal[1]},{decimal[2]})" if decimal else TYPES.get(name, name)


def warehouse(place: str) -> Warehouse:
    """From the command line: the path of a DuckDB file, or `postgres:DATABASE` on the server of ASSAY_PG_…"""
    kind, _, database = place.partition(":")
    if kind == "postgres":
        return Postgres({**os.environ, "ASSAY_PG_DBNAME": database})
    return Duckdb(Path(place))


# What differs between two runs by its nature: who ran and when. Nothing else may.
RUN_DEPENDENT = frozenset({"run_id", "run_at", "run_time", "run_started_at", "last_evaluated_at", "resolved_at"})


def alike(one: Relation, names: Iterable[str] | None = None) -> Relation:
    """As two engines can be compared: these columns only, JSON by its value, with numbers as they are written."""
    wanted = None if names is None else set(names)
    left_out = [] if wanted is None else [name for name, _ in one.columns if name not in wanted]
    kept = one.without(left_out)
    json_at = [at for at, (_, type_) in enumerate(kept.columns) if type_ == "JSON"]

    def plain(at: int, cell: Any) -> Any:
        if at not in json_at or cell is None:
            return cell
        read = json.loads(cell, parse_float=str, parse_int=str)
        return json.dumps(read, sort_keys=True, ensure_ascii=False)

    rows = (tuple(plain(at, cell) for at, cell in enumerate(row)) for row in kept.rows)
    return Relation(kept.columns, tuple(sorted(rows, key=repr)))


def differences(one: Relation, other: Relation) -> list[str]:
    """What a reader would notice between two relations, a few lines at most."""
    found = []
    found += [f"column {here} and {there}" for here, there in zip_longest(one.columns, other.columns) if here != there]
    left, right = Counter(map(repr, one.rows)), Counter(map(repr, other.rows))
    found += [f"only in the first: {row}" for row in list((left - right).elements())[:5]]
    found += [f"only in the second: {row}" for row in list((right - left).elements())[:5]]
    return found


def rule_names(value: Any) -> list[str]:
    """The rule names in a cell, whether the engine gives a list or a JSON text."""
    if value is None:
        return []
    return list(json.loads(value) if isinstance(value, str) else value)
