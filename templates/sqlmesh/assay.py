"""[[ marker ]]

Counts what each rule found, and asks the gates. `metadata_only`: a change here changes no model's data.
"""

[% if merges_by_index %]import hashlib
[% endif %][% if has_ledger %]from datetime import datetime, timedelta
[% else if has_reject %]from datetime import timedelta
[% endif %][% if merges_by_index || has_ledger || has_reject %]
[% endif %]from sqlglot import exp, parse_one

from sqlmesh import macro
[% if has_reject %]from sqlmesh.utils.date import to_datetime
[% endif %][% if has_ledger %]from sqlmesh.utils.errors import SQLMeshError
[% endif %]
COUNTS = "[[ gold ]].quality_counts"
[% if has_ledger || has_reject %]LOG = "[[ gold ]].quality_log"
[% endif %]GATES = "[[ gold ]].quality_gates"
CREATE = (
    "CREATE SCHEMA IF NOT EXISTS [[ gold ]]",
    f"CREATE TABLE IF NOT EXISTS {COUNTS} (run_id TEXT, run_at TIMESTAMP, entity TEXT, "
    "mapping TEXT, rule TEXT, disposition TEXT, rows_failed BIGINT, rows_undecided BIGINT, "
    "rows_evaluated BIGINT, rows_quarantined BIGINT, rows_deduped BIGINT)",
    f"CREATE TABLE IF NOT EXISTS {GATES} (run_id TEXT, run_at TIMESTAMP, asked_at TIMESTAMP, "
    "entity TEXT, relation TEXT, gate TEXT, outcome TEXT, measured BIGINT, out_of BIGINT, "
    "threshold TEXT, reason TEXT, rule_set TEXT)",
[% if has_ledger || has_reject %][% include "sqlmesh/create_log.py" %]
[% endif %])
[% if has_ledger %]ARRIVAL = '[[ arrival ]]'
ARRIVAL_KEPT = '[[ arrival_of_ledger ]]'
[% endif %]REJECT_COLUMNS = [
[% for column in reject_columns %]    "[[ column ]]",
[% endfor %]]
MASKS = {
    "fail": "_fail",
    "quarantine": "_quarantine",
    "flag": "_flag",
    "unknown_member": "_flag",
}


def parsed(*statements):
    return [parse_one(statement, dialect="[[ dialect ]]") for statement in statements]


def create(evaluator):
    """The tables of ours that no model makes, if they are not there."""
    for statement in CREATE:
[% if creations_collide %]        # Models run at the same time, and what one has just created is an error for the other.
        statement = (
            f"DO $create$ BEGIN {statement}; EXCEPTION WHEN unique_violation OR duplicate_table "
            "OR duplicate_schema THEN NULL; END $create$"
        )
[% endif %]        evaluator.engine_adapter.execute(statement)


def text(value):
    return exp.Literal.string(value).sql(dialect="[[ dialect ]]")


def bits(rules):
    """Where each rule's verdict is kept: rules of one disposition take the bits of its mask in
    order, 60 to a word; every rule takes a bit of `_undecided`."""
    taken = {"_fail": 0, "_quarantine": 0, "_flag": 0, "_undecided": 0}
    for rule in rules.expressions:
        name, disposition, mappings = rule.expressions
        places = []
        for mask in (MASKS[disposition.name], "_undecided"):
            at = taken[mask]
            taken[mask] = at + 1
            word = mask if at < 60 else f"{mask}_{at // 60 + 1}"
            places.append((word, 2 ** (at % 60)))
        yield name.name, disposition.name, [m.name for m in mappings.expressions], places


@macro(metadata_only=True)
def assay_prepare(evaluator):
    """The table of counts, which must stand before the mart that shows it."""
    if evaluator.runtime_stage not in ("creating", "evaluating"):
        return []
    create(evaluator)
    return []


def is_writing(evaluator):
    """Rows are really written; SQLMesh also renders models empty, to learn their shape."""
    return "snapshot" in evaluator.locals and evaluator.runtime_stage != "loading"


def own_table(evaluator):
    """The physical table of the model that is being written."""
    index = evaluator.locals.get("deployability_index")
    snapshot = evaluator.locals["snapshot"]
    return snapshot.table_name(is_deployable=index is None or index.is_deployable(snapshot))


def run_id(evaluator):
    correlation = evaluator.engine_adapter.correlation_id
    return text(correlation.job_id if correlation else "unknown")


def run_at(evaluator):
    return f"{text(str(evaluator.locals['execution_ts']))}::TIMESTAMP"


@macro(metadata_only=True)
def assay_measure(evaluator, entity, rules, is_ledger=None):
    """Counts every rule once, from the masks, before any audit can stop the run. A second try
    within one run replaces its rows. Of a ledger, only what the run has read."""
    if not is_writing(evaluator):
        return []
    judged = own_table(evaluator)
    run = run_id(evaluator)
    at = run_at(evaluator)
    seen = f"WHERE _judged_at = {at} AND _delivered IS NOT NULL " if is_ledger else ""
    name = text(entity.name)
    rules = list(bits(rules))
    masks = sorted({mask for *_, places in rules for mask, _ in places})
    keys = ", ".join(["_source", "_route", *masks])
    lines = [
        f"SELECT {run}, {at}, {name}, '(entity)', '(entity)', '(entity)', 0, 0, "
        "COALESCE(SUM(CASE WHEN _route <> 'deduped' THEN deliveries END), 0), "
        "COALESCE(SUM(CASE WHEN _route = 'quarantined' THEN deliveries END), 0), "
        "COALESCE(SUM(CASE WHEN _route = 'deduped' THEN deliveries END), 0) FROM verdicts"
    ]
    for rule, disposition, mappings, ((failed, bit), (undecided, undecided_bit)) in rules:
        for mapping in mappings:
            lines.append(
                f"SELECT {run}, {at}, {name}, {text(mapping)}, {text(rule)}, {text(disposition)}, "
                f"COALESCE(SUM(CASE WHEN {failed} & {bit} <> 0 THEN deliveries END), 0), "
                f"COALESCE(SUM(CASE WHEN {undecided} & {undecided_bit} <> 0 THEN deliveries END), 0), "
                f"0, 0, 0 FROM verdicts WHERE _route <> 'deduped' AND _source = {text(mapping)}"
            )
    create(evaluator)
    return parsed(
        f"DELETE FROM {COUNTS} WHERE run_id = {run} AND entity = {name}",
        f"INSERT INTO {COUNTS} WITH verdicts AS (SELECT {keys}, COUNT(*) AS deliveries "
        f"FROM {judged} {seen}GROUP BY {keys}) " + " UNION ALL ".join(lines),
    )
[% if has_checks %]

@macro(metadata_only=True)
def assay_count_check(evaluator, entity, kind, check, disposition, rule_set):
    """Counts what a check of finished relations has found, and leaves it in the record of gates, where one
    that only flags warns. A second try within one run replaces its rows."""
    if not is_writing(evaluator):
        return []
    run, at = run_id(evaluator), run_at(evaluator)
    mapping = text(f"({kind.name})")
    outcome = text("fail" if disposition.name == "fail" else "warn")
    gate, relation = text(check.name), own_table(evaluator)
    said = f"""
[[ check_verdict ]]
"""
    create(evaluator)
    return parsed(
        f"DELETE FROM {COUNTS} WHERE run_id = {run} AND mapping = {mapping} AND rule = {text(check.name)}",
        f"INSERT INTO {COUNTS} SELECT {run}, {at}, {text(entity.name)}, {mapping}, {text(check.name)}, "
        f"{text(disposition.name)}, "
        "COALESCE(SUM(CASE WHEN _outcome <> 'undecided' THEN 1 END), 0), "
        "COALESCE(SUM(CASE WHEN _outcome = 'undecided' THEN 1 END), 0), "
        f"0, 0, 0 FROM {own_table(evaluator)}",
    ) + record(evaluator, entity, said, text(rule_set.name))
[% endif %]

@macro(metadata_only=True)
def assay_carry(evaluator, judged):
    """Takes over what the table of the model's last version holds: a changed spec makes a new table,
    and what was rejected before, and since when, has to come with it. What the new spec admits is
    resolved on the way."""
    if not is_writing(evaluator):
        return []
    snapshot = evaluator.locals["snapshot"]
    previous = snapshot.previous_version
    if previous is None or previous.version == snapshot.version:
        return []
    held = snapshot.copy(update={"version": previous.version}).table_name()
    if not evaluator.engine_adapter.table_exists(held):
        return []
    own = own_table(evaluator)
    judged = judged.sql(dialect="[[ dialect ]]")
    at = run_at(evaluator)
    kept = ", ".join(f"held.{column}" for column in REJECT_COLUMNS[:-2])
    return parsed(
        f"UPDATE {own} AS own SET first_seen = held.first_seen FROM {held} AS held "
        "WHERE own.reject_id = held.reject_id AND held.first_seen < own.first_seen",
        f"INSERT INTO {own} ({', '.join(REJECT_COLUMNS)}) SELECT {kept}, "
        f"COALESCE(held.resolved_at, CASE WHEN settled.resolution <> '' THEN {at} END), "
        "COALESCE(held.resolution, settled.resolution) "
        f"FROM {held} AS held LEFT JOIN (SELECT _source, _source_row_id, "
        "CASE WHEN MAX(CASE WHEN _route = 'admitted' THEN 1 ELSE 0 END) = 1 THEN 'admitted' "
        f"ELSE 'superseded' END AS resolution FROM {judged} GROUP BY _source, _source_row_id) "
        "AS settled ON settled._source = held.source_relation "
        "AND settled._source_row_id = held._source_row_id "
        f"WHERE NOT EXISTS (SELECT 1 FROM {own} AS own WHERE own.reject_id = held.reject_id)",
    )
[% if !has_transactions %]

def aside(evaluator):
    """Where the rows of a table stand while it is written."""
    table = exp.to_table(own_table(evaluator), dialect="[[ dialect ]]")
    table.set("this", exp.to_identifier(f"{table.name}__aside", quoted=True))
    return table.sql(dialect="[[ dialect ]]")


@macro(metadata_only=True)
def assay_put_aside(evaluator):
    """SQLMesh deletes the rows that it merges and then inserts them, here in no transaction. What a run
    that was stopped in between has taken away is put back; nothing else remembers it."""
    if not is_writing(evaluator):
        return []
    own, kept = own_table(evaluator), aside(evaluator)
    adapter = evaluator.engine_adapter
    if not adapter.table_exists(own):
        return []
    statements = []
    if adapter.table_exists(kept):
        columns = ", ".join(REJECT_COLUMNS)
        statements.append(
            f"INSERT INTO {own} ({columns}) SELECT {columns} FROM {kept} AS kept "
            f"WHERE NOT EXISTS (SELECT 1 FROM {own} AS own WHERE own.reject_id = kept.reject_id)"
        )
    return parsed(*statements, f"CREATE OR REPLACE TABLE {kept} AS SELECT * FROM {own}")


@macro(metadata_only=True)
def assay_is_written(evaluator):
    """What was put aside is not needed any more."""
    if not is_writing(evaluator):
        return []
    return parsed(f"DROP TABLE IF EXISTS {aside(evaluator)}")
[% endif %][% if has_ledger %]

def has_run(evaluator):
    """This version of the model has rows of earlier runs, which a restatement has not taken back."""
    if not is_writing(evaluator):
        return False
    snapshot = evaluator.locals["snapshot"]
    index = evaluator.locals.get("deployability_index")
    is_deployable = index is None or index.is_deployable(snapshot)
    return bool(snapshot.intervals if is_deployable else snapshot.dev_intervals)


def first(evaluator, query):
    """The only row of a query."""
    return evaluator.engine_adapter.fetchone(parse_one(query, dialect="[[ dialect ]]"))


def is_recent(arrival, floor):
    """Whatever is not plainly older: a time that cannot be read is for the gates to find."""
    return f"COALESCE({arrival} >= {text(floor)} OR NOT {arrival} LIKE '____-__-__%', TRUE)"


def floor_of(evaluator, ledger, lag_hours, sources):
    """The day from which on a run reads bronze: that of the newest delivery that was judged, less the
    lag and a day for what time zones make of it. None where it has to read all of bronze: there is no
    ledger yet, a gate was left broken, or older deliveries came late; the counts tell."""
    last = first(
        evaluator,
        f"SELECT CAST(MAX(_judged_at) AS TEXT) FROM {ledger} WHERE _judged_at >= {run_at(evaluator)}",
    )[0]
    if last is not None:
        # SQLMesh's `plan` takes the beginning of the minute for its time.
        raise SQLMeshError(f"assay: {ledger} was judged at {last}, not before the time of this run; run again after that")
    newest = first(
        evaluator,
        f"SELECT CAST(MAX(_ingested_at) AS TEXT) FROM {ledger} WHERE _ingested_at <= {run_at(evaluator)}",
    )[0]
    if newest is None:
        return None
    floor = datetime.fromisoformat(newest[:10]) - timedelta(days=1, hours=lag_hours)
    floor = floor.strftime("%Y-%m-%d")
    delivered = " UNION ALL ".join(f"SELECT _ingested_at FROM {source}" for source in sources)
    older, judged, broken = first(
        evaluator,
        "SELECT "
        f"(SELECT COUNT(*) FROM ({delivered}) AS delivered WHERE NOT {is_recent(ARRIVAL, floor)}), "
        f"(SELECT COUNT(*) FROM {ledger} WHERE NOT {is_recent(ARRIVAL_KEPT, floor)}), "
        f"(SELECT COUNT(*) FROM {ledger} WHERE _gates <> 0 OR (_fail <> 0 AND _route <> 'deduped'))",
    )
    return None if older > judged or broken else floor


@macro()
def assay_arrived(evaluator, lag_hours, *sources):
    """The condition that picks what a run reads of a bronze relation."""
    floor = None
    if has_run(evaluator):
        names = [source.name for source in sources]
        floor = floor_of(evaluator, own_table(evaluator), int(lag_hours.name), names)
    if floor is None:
        return exp.true()
    return parse_one(is_recent(ARRIVAL, floor), dialect="[[ dialect ]]")


@macro()
def assay_is_kept(evaluator):
    """The rows of earlier runs stand."""
    return exp.convert(has_run(evaluator))


def since(evaluator):
    """The newest run whose rows this relation has taken over; None on its first."""
    if not has_run(evaluator):
        return None
    if not evaluator.engine_adapter.table_exists(LOG):
        return None
    return first(
        evaluator,
        f"SELECT CAST(MAX(until) AS TEXT) FROM {LOG} "
        f"WHERE action = 'published' AND relation = {text(own_table(evaluator))}",
    )[0]


@macro()
def assay_since(evaluator):
    """From when on judged rows are news to this relation."""
    until = since(evaluator) or "0001-01-01"
    return parse_one(f"{text(until)}::TIMESTAMP", dialect="[[ dialect ]]")


@macro(metadata_only=True)
def assay_forget(evaluator):
    """Rows that broke a gate and have gone from bronze: a run after such a one has read all of bronze."""
    if not is_writing(evaluator):
        return []
    return parsed(
        f"DELETE FROM {own_table(evaluator)} WHERE (_gates <> 0 OR (_fail <> 0 AND _route <> 'deduped')) AND _judged_at < {run_at(evaluator)}"
    )


@macro(metadata_only=True)
def assay_take_over(evaluator, entity, judged, identity=None):
    """Takes back rows whose delivery is admitted no longer, and remembers up to which run this relation
    has taken over what was judged."""
    if not is_writing(evaluator):
        return []
    own, judged = own_table(evaluator), judged.sql(dialect="[[ dialect ]]")
    create(evaluator)
    statements = []
    if identity is not None:
        same = " AND ".join(f"judged.{column.name} = own.{column.name}" for column in identity.expressions)
        until = since(evaluator) or "0001-01-01"
        statements.append(
            f"DELETE FROM {own} AS own WHERE EXISTS (SELECT 1 FROM {judged} AS judged "
            f"WHERE {same} AND judged._route <> 'admitted' AND judged._judged_at > {text(until)}::TIMESTAMP)"
        )
    at = run_at(evaluator)
[% if has_ceiling %]    if identity is not None:
        # Several environments can judge one entity, each into a table of its own.
        statements.append(
            f"INSERT INTO {LOG} (run_id, run_at, entity, relation, action, row_count, until) "
            f"SELECT {run_id(evaluator)} AS run_id, {at} AS run_at, {text(entity.name)} AS entity, "
            f"{text(evaluator.resolve_table(judged))} AS relation, 'settled' AS action, "
            f"0 AS row_count, MAX(_judged_at) AS until FROM {judged}"
        )
[% endif %]    statements.append(
        f"INSERT INTO {LOG} (run_id, run_at, entity, relation, action, row_count, until) "
        f"SELECT {run_id(evaluator)} AS run_id, {at} AS run_at, {text(entity.name)} AS entity, "
        f"{text(own)} AS relation, 'published' AS action, "
        f"SUM(CASE WHEN _judged_at = {at} THEN 1 ELSE 0 END) AS row_count, MAX(_judged_at) AS until "
        f"FROM {judged}"
    )
    return parsed(*statements)
[% endif %][% if merges_by_index %]

@macro(metadata_only=True)
def assay_index(evaluator, keyword, *columns):
    """Rows are looked up by these columns. The index is named after the table, so that each
    version of the model has its own."""
    if not is_writing(evaluator):
        return []
    own = own_table(evaluator)
    listed = ", ".join(exp.to_identifier(each.name, quoted=True).sql("[[ dialect ]]") for each in columns)
    name = "assay_" + hashlib.md5(f"{own} {listed}".encode()).hexdigest()
    return parsed(f"CREATE {keyword.name} INDEX IF NOT EXISTS {name} ON {own} ({listed})")
[% endif %]
[% if has_rails %]

@macro(metadata_only=True)
def assay_stands(evaluator, entity, columns):
    """The columns of an entity as readers of production see them: current versions, without the unknown
    member. NULL in place of a column that was not there yet; no row, where nothing is published."""
    name = f'[[ silver ]]."{entity.name}"'
    columns = [column.name for column in columns.expressions]
    known = ()
    if is_writing(evaluator) and evaluator.engine_adapter.table_exists(name):
        known = tuple(evaluator.engine_adapter.columns(name))
    listed = ", ".join(f'"{column}"' if column in known else f'NULL AS "{column}"' for column in columns)
    conditions = ["TRUE" if known else "FALSE"]
    if "_source_row_id" in known:
        conditions.append("_source_row_id IS DISTINCT FROM '__unknown__'")
    if "valid_to" in known and "valid_to" not in columns:
        conditions.append("valid_to IS NULL")
    source = f" FROM {name}" if known else ""
    query = f"SELECT {listed}{source} WHERE {' AND '.join(conditions)}"
    return parse_one(query, dialect="[[ dialect ]]").subquery("stands")


@macro(metadata_only=True)
def assay_allows_loss(evaluator, entity):
    """Whether the variable `assay_allow_loss` lets a run through that breaks a rail."""
    return exp.true() if entity.name in (evaluator.var("assay_allow_loss") or []) else exp.false()
[% endif %][% if has_history %]

@macro(metadata_only=True)
def assay_close(evaluator, key, judged=None, key_values=None):
    """Ends the versions of a type 2 entity that a newer one follows, and those whose key has a newer
    delivery that was quarantined. Interrupted anywhere, the next run completes it."""
    if not is_writing(evaluator):
        return []
    own = own_table(evaluator)
    key = [exp.column(part.name, quoted=True).sql(dialect="[[ dialect ]]") for part in key.expressions]
    same = " AND ".join(f"held.{part} = newest.{part}" for part in key)
    key = ", ".join(key)
    statements = [
        f"UPDATE {own} AS held SET valid_to = newest.valid_from FROM (SELECT {key}, "
        f"MAX(valid_from) AS valid_from FROM {own} WHERE valid_to IS NULL GROUP BY {key}) AS newest "
        f"WHERE held.valid_to IS NULL AND {same} AND held.valid_from < newest.valid_from"
    ]
    if judged is not None:
        judged = judged.sql(dialect="[[ dialect ]]")
        key_values = key_values.sql(dialect="[[ dialect ]]")
        statements += [
            f"UPDATE {own} AS held SET valid_to = judged._valid_from FROM {judged} AS judged "
            "WHERE judged._route = 'quarantined' AND held.valid_to IS NULL "
            "AND held.valid_from <= judged._valid_from "
            f"AND CAST({key_values} AS TEXT) = CAST(judged._key AS TEXT)",
        ]
    # A version that was refused in the instant in which it began was valid for no time.
    return parsed(*statements, f"DELETE FROM {own} WHERE valid_to <= valid_from")

[% endif %]
[% include "sqlmesh/gates.py" %]
