"""A DuckDB warehouse file from outside: loading bronze, reading what came out, telling two relations apart."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import duckdb

Row = Mapping[str, Any]
Bronze = Mapping[str, Sequence[Row]]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def load_bronze(warehouse: Path, tables: Bronze, types: Mapping[str, str] = {}) -> None:
    """Appends deliveries to bronze; a table that is not there yet is made, all text unless `types` says otherwise."""
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute("create schema if not exists bronze")
        for table, rows in tables.items():
            columns = list(dict.fromkeys(name for row in rows for name in row))
            definition = ", ".join(f"{quoted(name)} {types.get(name, 'VARCHAR')}" for name in columns)
            connection.execute(f"create table if not exists bronze.{quoted(table)} ({definition})")
            if rows:
                insert(connection, f"bronze.{quoted(table)}", columns, rows)


def insert(connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """All rows at once, by way of a JSON file with short names: it keeps NULL, the empty text and every byte."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.ndjson"
        with file.open("w", encoding="utf-8") as out:
            for row in rows:
                cells = (row.get(name) for name in columns)
                texts = {f"c{at}": cell if cell is None else str(cell) for at, cell in enumerate(cells)}
                print(json.dumps(texts), file=out)
        typed = ", ".join(f"c{at}: 'VARCHAR'" for at in range(len(columns)))
        connection.execute(
            f"insert into {table} ({', '.join(map(quoted, columns))})"
            f" select * from read_json(?, format = 'newline_delimited', columns = {{{typed}}})",
            [str(file)],
        )


def query(warehouse: Path, sql: str, parameters: Sequence[Any] = ()) -> list[tuple]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        return connection.execute(sql, list(parameters)).fetchall()


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

    def dicts(self) -> list[dict[str, Any]]:
        names = [name for name, _ in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]


def relation(warehouse: Path, name: str) -> Relation:
    schema, table = name.split(".", 1)
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        cursor = connection.execute(f"select * from {quoted(schema)}.{quoted(table)}")
        columns = tuple((column[0], str(column[1])) for column in cursor.description)
        return Relation(columns, tuple(sorted(cursor.fetchall(), key=repr)))


# What differs between two runs by its nature: who ran and when. Nothing else may.
RUN_DEPENDENT = frozenset({"run_id", "run_at", "run_time", "run_started_at", "last_evaluated_at", "resolved_at"})


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
