"""[[ marker ]]

Judges what the reject relations hold by today's specs and takes in what passes, parents first:

    python scripts/[[ folder ]]/replay.py [ENTITY …] [--dry-run] [--environment prod] [--project .]

The queries are those of the models, with what is held in the place of what bronze delivers. Each
entity is one transaction.
"""

from environment import SILVER, Refused, for_each
from sqlglot import exp, parse_one
from sqlmesh.utils.date import now, to_ts

DIALECT = "[[ dialect ]]"
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


class Replay:
    """One entity in one environment."""

    def __init__(self, environment, entity):
        self.environment = environment
        self.context = environment.context
        self.adapter = environment.adapter
        self.entity = entity
        self.at = to_ts(now())
        self.stored = self.environment.table(entity["name"])
        self.judged = self.environment.table(f"{entity['name']}__judged")
        self.reject = self.environment.table(f"{entity['name']}__reject")
        # Two rows of one delivery.
        self.same = " AND ".join(f"own.{column} = other.{column}" for column in entity["identity"])

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
            named = node.find_ancestor(exp.Alias)
            if named is not None and named.alias == "_delivered":
                # Of how many deliveries judged was made, which a replay does not change.
                return node
            if node.db == "[[ bronze ]]" and held is not None:
                rows = parse_one(self.statement(held), dialect=DIALECT)
                return exp.Subquery(this=rows, alias=node.args.get("alias") or exp.TableAlias(this="held"))
            if node.db != SILVER:
                return node
            table = tables.get(node.name) or self.environment.table(node.name)
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

    def run(self, dry_run):
        entity = self.entity
        name = entity["name"]
        deployed = sorted(self.adapter.columns(self.stored))
        if deployed != sorted(entity["columns"]):
            raise Refused(f"{self.stored} was built from another version of its specs; run `sqlmesh plan` first")
        with self.environment.transaction():
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

    def first(self, query):
        return self.adapter.fetchone(query)

    def judge(self):
        """What would become of each row."""
        entity, name = self.entity, self.entity["name"]
        stored, reject, same = self.stored, self.reject, self.same
        rows = self.query(f"{name}__judged")
        admitted = self.query(name, **{f"{name}__judged": "assay_replayed"})
        contest = self.statement(entity["contest"], passing="assay_passing")
        self.adapter.execute(
            f"""
[% include "sql/replay/judge.sql" %]
"""
        )
        broken, example = self.first(
            """
[% include "sql/replay/broken.sql" %]
"""
        )
        if broken:
            raise Refused(f"fail_rule ({broken}, for example {example})")
        key = ", ".join(entity["key"])
        key_and_identity = ", ".join([*entity["key"], *entity["identity"]])
        own_key = " AND ".join(f"{column} <> '__unknown__'" for column in entity["replaced"]) or "TRUE"
        twice = self.first(
            f"""
[% include "sql/replay/twice.sql" %]
"""
        )[0]
        if twice:
            raise Refused(f"key_not_unique ({twice})")
        return self.first(
            f"""
[% include "sql/replay/counts.sql" %]
"""
        )

    def write(self, counts):
        name = self.entity["name"]
        stored, judged, reject, same = self.stored, self.judged, self.reject, self.same
        now = f"'{self.at}'::TIMESTAMP"
        judged_now = f", _judged_at = {now}" if self.entity["is_ledger"] else ""
        columns = ", ".join(f'"{column}"' for column in self.entity["columns"])
        judged_columns = ", ".join(f'"{column}"' for column in self.adapter.columns(judged))
        news = self.query(f"{name}__reject", **{f"{name}__judged": "assay_replayed"})
        self.adapter.execute(
            f"""
[% include "sql/replay/write.sql" %]
"""
        )
        self.environment.record("replay", self.at, name, stored, "replayed", counts[0])


[% if has_history %]def name(column):
    return '"' + column.replace('"', '""') + '"'


def text(value):
    return "'" + value.replace("'", "''") + "'"


def redeliver(environment, reject, source, bronze, columns, dry_run):
    """How many rows were delivered again, and how many are there already and wait for a run."""
    adapter = environment.adapter
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
        with environment.transaction():
            adapter.execute(
                f"DELETE FROM {bronze} WHERE _load_id::TEXT = '__replay__' "
                f"AND _source_row_id::TEXT IN (SELECT held._source_row_id {due})"
            )
            adapter.execute(
                f"INSERT INTO {bronze} ({', '.join(map(name, values))}) SELECT {', '.join(values.values())} {due}"
            )
    return int(count - there), int(there)


def redeliver_all(environment, entity, dry_run):
    reject = environment.table(f"{entity['name']}__reject")
    for source, bronze, columns in entity["sources"]:
        again, there = redeliver(environment, reject, source, bronze, columns, dry_run)
        what = "would be delivered again" if dry_run else "delivered again"
        print(f"assay: {entity['name']} from {source}: {again} {what}, {there} there already, waiting for a run")


[% endif %]def replay(environment, entity, dry_run):
[% if has_history %]    if "sources" in entity:
        redeliver_all(environment, entity, dry_run)
        return
[% endif %]    Replay(environment, entity).run(dry_run)


if __name__ == "__main__":
    for_each(ENTITIES, replay, description="Judge what was rejected again, and take in what passes.", done="replayed")
