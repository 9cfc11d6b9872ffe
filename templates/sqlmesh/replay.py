"""[[ marker ]]

Judges what the reject relations hold by today's specs and takes in what passes, parents first:

    python scripts/[[ folder ]]/replay.py [ENTITY …] [--dry-run] [--environment prod] [--project .]

The queries are those of the models, with what is held in the place of what bronze delivers. Each
entity is one transaction.
"""

import argparse
import sys
from contextlib import contextmanager
from pathlib import Path

from sqlglot import exp, parse_one
from sqlmesh import Context
from sqlmesh.utils.date import now, to_ts

DIALECT = "[[ dialect ]]"
SILVER = "[[ silver ]]"
RUNS = "[[ gold ]].quality_runs"
CREATE_RUNS = (
    "CREATE SCHEMA IF NOT EXISTS [[ gold ]]",
    f"CREATE TABLE IF NOT EXISTS {RUNS} (run_id TEXT, run_at TIMESTAMP, entity TEXT, "
    "relation TEXT, action TEXT, row_count BIGINT, until TIMESTAMP)",
)
# Parents before their children.
ENTITIES = [
[% for entity in entities %][% match entity %][% when Replayable::History(entity) %]    {
        "name": [[ entity.name ]],
        # A history belongs to its model, so what is refused goes back through bronze. Of each source its
        # relation, and its columns with their delivered text.
        "sources": [
[% for redelivery in entity.redeliveries %]            (
                [[ redelivery.source ]],
                [[ redelivery.bronze ]],
                {
[% for (column, text) in redelivery.columns %]                    [[ column ]]: [[ text ]],
[% endfor %]                },
            ),
[% endfor %]        ],
    },
[% when Replayable::Stored(entity) %]    {
        "name": [[ entity.name ]],
        "columns": [[ entity.columns ]],
        "identity": [[ entity.identity ]],
        "key": [[ entity.key ]],
        "replaced": [[ entity.replaced ]],
        "is_ledger": [[ entity.is_ledger ]],
        "held": {
[% for (source, rows) in entity.held %]            [[ source ]]: """[[ rows ]]
""",
[% endfor %]        },
        "compared": {
[% for (name, rows) in entity.compared %]            [[ name ]]: """[[ rows ]]
""",
[% endfor %]        },
        "contest": """[[ entity.contest ]]
""",
    },
[% endmatch %][% endfor %]]


class Refused(Exception):
    """Nothing was written."""


class Replay:
    """One entity in one environment."""

    def __init__(self, context, entity, environment):
        self.context = context
        self.adapter = context.engine_adapter
        self.environment = environment
        self.entity = entity
        self.at = to_ts(now())
        self.stored = self.physical(entity["name"])
        self.judged = self.physical(f"{entity['name']}__judged")
        self.reject = self.physical(f"{entity['name']}__reject")

    def physical(self, relation):
        name = f'{SILVER}."{relation}"'
        return self.context.table_name(name, self.environment, prod=self.environment == "prod")

    def statement(self, text, **tables):
        tables = {"reject": self.reject, "stored": self.stored, **tables}
        for name, table in tables.items():
            text = text.replace(f"@{name}", table)
        return text

    def query(self, relation, **tables):
        """A model's own query over what is held."""
        model = self.context.get_model(f'{SILVER}."{relation}"', raise_if_missing=True)
        embedded = {
            name: snapshot for name, snapshot in self.context.snapshots.items() if snapshot.is_embedded
        }
        query = model.render_query(execution_time=self.at, snapshots=embedded)

        def replaced(node):
            if not isinstance(node, exp.Table) or not node.db:
                return node
            held = self.entity["held"].get(node.name)
            if node.db == "[[ bronze ]]" and held is not None:
                rows = parse_one(self.statement(held), dialect=DIALECT)
                return exp.Subquery(this=rows, alias=node.args.get("alias") or exp.TableAlias(this="held"))
            if node.db != SILVER:
                return node
            table = tables.get(node.name) or self.physical(node.name)
            table = exp.to_table(table, dialect=DIALECT)
            table.set("alias", node.args.get("alias"))
            return table

        query = query.transform(replaced)
        for cte in query.find_all(exp.CTE):
            rows = self.entity["compared"].get(cte.alias)
            if rows is not None:
                survivors = next(each for each in cte.this.find_all(exp.Subquery) if each.alias == "survivors")
                also = parse_one(self.statement(rows), dialect=DIALECT)
                survivors.set("this", exp.union(survivors.this, also, distinct=False))
        return query.sql(dialect=DIALECT)

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

    def run(self, dry_run):
        entity = self.entity
        name = entity["name"]
        deployed = sorted(self.adapter.columns(self.stored))
        if deployed != sorted(entity["columns"]):
            raise Refused(f"{self.stored} was built from another version of its specs; run `sqlmesh plan` first")
        with self.transaction():
            counts = self.judge()
            if not dry_run:
                self.write(counts)
            for table in ("assay_replayed", "assay_passing", "assay_contest"):
                self.adapter.execute(f"DROP TABLE {table}")
        admitted, superseded, refused, again = counts
        verb = "would be admitted" if dry_run else "admitted"
        print(
            f"assay: {name}: {admitted} {verb}, {superseded} superseded, {refused} still refused, "
            f"{again} judged again"
        )

    @property
    def same(self):
        """Two rows of one delivery."""
        return " AND ".join(f"own.{column} = other.{column}" for column in self.entity["identity"])

    @property
    def lost(self):
        return f"{self.same} AND NOT other._is_replayed AND other._place > 1"

    def judge(self):
        """What would become of each row."""
        name, same = self.entity["name"], self.same
        key, identity = self.entity["key"], self.entity["identity"]
        admitted = self.query(name, **{f"{name}__judged": "assay_replayed"})
        execute = self.adapter.execute
        for table in ("assay_replayed", "assay_passing", "assay_contest"):
            execute(f"DROP TABLE IF EXISTS {table}")
        execute(f"CREATE TEMP TABLE assay_replayed AS {self.query(f'{name}__judged')}")
        execute(
            f"DELETE FROM assay_replayed AS own USING {self.stored} AS other "
            f"WHERE {same} AND own._route <> 'admitted'"
        )
        execute(
            f"CREATE TEMP TABLE assay_passing AS SELECT * FROM ({admitted}) AS admitted "
            "WHERE _source_row_id <> '__unknown__'"
        )
        execute(
            f"DELETE FROM assay_passing AS own USING {self.stored} AS other "
            f"WHERE {same} AND own._quality_flags = other._quality_flags"
        )
        execute(
            "CREATE TEMP TABLE assay_contest AS "
            + self.statement(self.entity["contest"], passing="assay_passing")
        )
        for statement in ("UPDATE assay_replayed AS own SET _route = 'deduped' FROM", "DELETE FROM assay_passing AS own USING"):
            execute(f"{statement} assay_contest AS other WHERE {same} AND other._is_replayed AND other._place > 1")
        broken, example = self.first(
            "SELECT COUNT(*), MIN(_source_row_id) FROM assay_replayed WHERE _route = 'admitted' AND _fail <> 0"
        )
        if broken:
            raise Refused(f"fail_rule ({broken}, for example {example})")
        own_key = " AND ".join([f"{column} <> '__unknown__'" for column in self.entity["replaced"]] or ["TRUE"])
        key, read = ", ".join(key), ", ".join([*key, *identity])
        twice = self.first(
            f"SELECT COUNT(*) FROM (SELECT {key} FROM (SELECT {read} FROM {self.stored} AS own "
            f"WHERE NOT EXISTS (SELECT 1 FROM assay_contest AS other WHERE {self.lost}) "
            f"AND NOT EXISTS (SELECT 1 FROM assay_passing AS other WHERE {same}) "
            f"UNION ALL SELECT {read} FROM assay_passing) AS rows_then WHERE {own_key} "
            f"GROUP BY {key} HAVING COUNT(*) > 1) AS twice"
        )[0]
        if twice:
            raise Refused(f"key_not_unique ({twice})")
        routes = ", ".join(
            f"COALESCE(SUM(CASE WHEN own._route = '{route}' THEN 1 ELSE 0 END), 0)"
            for route in ("admitted", "deduped", "quarantined")
        )
        return self.first(
            f"SELECT {routes}, (SELECT COUNT(*) FROM assay_passing AS own JOIN {self.stored} AS other ON {same}) "
            f"FROM assay_replayed AS own JOIN {self.reject} AS held ON held.source_relation = own._source "
            "AND held._source_row_id = own._source_row_id AND held._load_id = own._load_id "
            "AND held.resolved_at IS NULL"
        )

    def first(self, query):
        return self.adapter.fetchone(query)

    def write(self, counts):
        name, same = self.entity["name"], self.same
        at = f"'{self.at}'::TIMESTAMP"
        columns = ", ".join(f'"{column}"' for column in self.entity["columns"])
        judged_columns = ", ".join(f'"{column}"' for column in self.adapter.columns(self.judged))
        news = self.query(f"{name}__reject", **{f"{name}__judged": "assay_replayed"})
        delivery = " AND ".join(
            f"own.{own} = other.{other}"
            for own, other in (("_source", "_source"), ("_source_row_id", "_source_row_id"), ("_load_id", "_load_id"))
        )
        judged_now = f", _judged_at = {at}" if self.entity["is_ledger"] else ""
        statements = [
            f"UPDATE {self.reject} AS own SET failed_rules = other.failed_rules, stage = other.stage, "
            "key_values = other.key_values, mapping_version = other.mapping_version, "
            f"last_evaluated_at = {at} FROM ({news}) AS other WHERE own.reject_id = other.reject_id "
            "AND own.resolved_at IS NULL AND other.resolved_at IS NULL AND own.failed_rules <> other.failed_rules",
            f"DELETE FROM {self.stored} AS own USING assay_contest AS other WHERE {self.lost}",
            f"DELETE FROM {self.stored} AS own USING assay_passing AS other WHERE {same}",
            f"INSERT INTO {self.stored} ({columns}) SELECT {columns} FROM assay_passing",
            f"UPDATE {self.reject} AS own SET resolved_at = {at}, last_evaluated_at = {at}, resolution = "
            "CASE WHEN other._route = 'admitted' THEN 'replayed' ELSE 'superseded' END "
            "FROM assay_replayed AS other WHERE own.resolved_at IS NULL AND own.source_relation = other._source "
            "AND own._source_row_id = other._source_row_id AND own._load_id = other._load_id "
            "AND other._route <> 'quarantined'",
            f"UPDATE {self.judged} AS own SET _route = 'deduped'{judged_now} FROM assay_contest AS other "
            f"WHERE {self.lost}",
            f"DELETE FROM {self.judged} AS own USING assay_replayed AS other WHERE {delivery}",
            f"INSERT INTO {self.judged} ({judged_columns}) SELECT {judged_columns} FROM assay_replayed",
            *CREATE_RUNS,
            f"INSERT INTO {RUNS} (run_id, run_at, entity, relation, action, row_count, until) "
            f"SELECT 'replay', {at}, '{name}', '{self.stored}', 'replayed', {counts[0]}, NULL",
        ]
        for statement in statements:
            self.adapter.execute(statement)


[% if has_history %]def name(column):
    return '"' + column.replace('"', '""') + '"'


def text(value):
    return "'" + value.replace("'", "''") + "'"


def redeliver(adapter, reject, source, bronze, columns, dry_run):
    """How many rows were delivered again, and how many are there already and wait for a run."""
    known = {column: ty.sql(dialect=adapter.dialect) for column, ty in adapter.columns(bronze).items()}
    refused = f"held.resolved_at IS NULL AND held.source_relation = {text(source)}"
    is_there = (
        f"EXISTS (SELECT 1 FROM {bronze} AS delivered WHERE delivered._load_id::TEXT = '__replay__' "
        "AND delivered._source_row_id::TEXT = held._source_row_id "
        f"AND delivered._ingested_at::TEXT = ({columns['_ingested_at']}))"
    )
    count, there = adapter.fetchone(
        f"SELECT COUNT(*), COALESCE(SUM(CASE WHEN {is_there} THEN 1 ELSE 0 END), 0) "
        f"FROM {reject} AS held WHERE {refused}"
    )
    if not dry_run:
        values = {
            column: "'__replay__'" if column == "_load_id" else f"CAST({value} AS {known.get(column, 'TEXT')})"
            for column, value in columns.items()
        }
        due = f"FROM {reject} AS held WHERE {refused} AND NOT {is_there}"
        in_one_transaction(
            adapter,
            f"DELETE FROM {bronze} WHERE _load_id::TEXT = '__replay__' "
            f"AND _source_row_id::TEXT IN (SELECT held._source_row_id {due})",
            f"INSERT INTO {bronze} ({', '.join(map(name, values))}) SELECT {', '.join(values.values())} {due}",
        )
    return int(count - there), int(there)


def in_one_transaction(adapter, *statements):
    if adapter.SUPPORTS_TRANSACTIONS:
        with adapter.transaction():
            for statement in statements:
                adapter.execute(statement)
        return
    # On DuckDB SQLMesh's own transactions do nothing.
    adapter.execute("BEGIN")
    try:
        for statement in statements:
            adapter.execute(statement)
    except Exception:
        adapter.execute("ROLLBACK")
        raise
    adapter.execute("COMMIT")


def redeliver_all(context, entity, environment, dry_run):
    reject = f'{SILVER}."{entity["name"]}__reject"'
    held = context.table_name(reject, environment, prod=environment == "prod")
    for source, bronze, columns in entity["sources"]:
        again, there = redeliver(context.engine_adapter, held, source, bronze, columns, dry_run)
        what = "would be delivered again" if dry_run else "delivered again"
        print(f"assay: {entity['name']} from {source}: {again} {what}, {there} there already, waiting for a run")


[% endif %]def main():
    known = [entity["name"] for entity in ENTITIES]
    parser = argparse.ArgumentParser(description="Judge what was rejected again, and take in what passes.")
    parser.add_argument("entities", nargs="*", metavar="ENTITY", help="all of them, if none is named")
    parser.add_argument("--dry-run", action="store_true", help="say what would happen, and write nothing")
    parser.add_argument("--environment", default="prod")
    parser.add_argument("--project", default=Path(__file__).resolve().parents[2], help="the SQLMesh project")
    arguments = parser.parse_args()
    for name in arguments.entities:
        if name not in known:
            parser.error(f"nothing of `{name}` can be replayed; the entities with a reject relation are {', '.join(known)}")
    context = Context(paths=[str(arguments.project)])
    for entity in ENTITIES:
        if arguments.entities and entity["name"] not in arguments.entities:
            continue
[% if has_history %]        if "sources" in entity:
            redeliver_all(context, entity, arguments.environment, arguments.dry_run)
            continue
[% endif %]        try:
            Replay(context, entity, arguments.environment).run(arguments.dry_run)
        except Refused as problem:
            sys.exit(f"assay: nothing was replayed into {entity['name']}: {problem}")


if __name__ == "__main__":
    main()
