"""[[ marker ]]

What the scripts beside this share: an environment of the project, and how they are called.
"""

import argparse
import sys
from contextlib import contextmanager
from pathlib import Path

[% if !has_transactions %]from sqlglot import exp
[% endif %]from sqlmesh import Context
from sqlmesh.utils.errors import SQLMeshError

SILVER = "[[ silver ]]"
LOG = "[[ gold ]].quality_log"
CREATE_LOG = (
    "CREATE SCHEMA IF NOT EXISTS [[ gold ]]",
[% include "sqlmesh/create_log.py" %]
)


class Refused(Exception):
    """Nothing was written."""


class Environment:
    def __init__(self, context, name):
        self.context = context
        self.adapter = context.engine_adapter
        self.name = name

    def table(self, relation):
        """The physical table of a relation in silver."""
        try:
            table = self.context.table_name(f'{SILVER}."{relation}"', self.name, prod=self.name == "prod")
        except SQLMeshError as problem:
            raise Refused(f"{problem} Run `sqlmesh plan` first") from problem
        if not self.adapter.table_exists(table):
            raise Refused(f"{table} is not there; run `sqlmesh plan` first")
[% if !has_transactions %]        aside = exp.to_table(table, dialect="[[ dialect ]]")
        aside.set("this", exp.to_identifier(f"{aside.name}__aside", quoted=True))
        if self.adapter.table_exists(aside):
            raise Refused(f"a run ended while it wrote {table}; run `sqlmesh run` first, which puts back what is missing")
[% endif %]        return table

    @contextmanager
    def transaction(self):
        """SQLMesh knows none on DuckDB."""
        if self.adapter.SUPPORTS_TRANSACTIONS:
            with self.adapter.transaction():
                yield
            return
        self.adapter.execute("BEGIN")
        try:
            yield
        except BaseException:
            self.adapter.execute("ROLLBACK")
            raise
        self.adapter.execute("COMMIT")

    def record(self, run, at, entity, relation, action, rows, until=None):
        """A row in the log; times are texts in UTC."""
        until = f"'{until}'::TIMESTAMP" if until else "NULL"
        for statement in CREATE_LOG:
            self.adapter.execute(statement)
        self.adapter.execute(
            f"INSERT INTO {LOG} (run_id, run_at, entity, relation, action, row_count, until) "
            f"SELECT '{run}', '{at}'::TIMESTAMP, '{entity}', '{relation}', '{action}', {rows}, {until}"
        )


def for_each(entities, work, description, done):
    """Does the work on the entities that the command line names, in their order."""
    known = [entity["name"] for entity in entities]
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("entities", nargs="*", metavar="ENTITY", help="all of them, if none is named")
    parser.add_argument("--dry-run", action="store_true", help="say what would happen, and write nothing")
    parser.add_argument("--environment", default="prod")
    parser.add_argument("--project", default=Path(__file__).resolve().parents[2], help="the SQLMesh project")
    arguments = parser.parse_args()
    for name in arguments.entities:
        if name not in known:
            parser.error(f"nothing of `{name}` can be {done}, only of {', '.join(known)}")
    environment = Environment(Context(paths=[str(arguments.project)]), arguments.environment)
    for entity in entities:
        if arguments.entities and entity["name"] not in arguments.entities:
            continue
        try:
            work(environment, entity, arguments.dry_run)
        except Refused as problem:
            sys.exit(f"assay: nothing of {entity['name']} was {done}: {problem}")
