"""[[ marker ]]

Counts what each rule found. `metadata_only`: a change here changes no model's data.
"""

from sqlglot import exp, parse_one

from sqlmesh import macro

COUNTS = "[[ gold ]].quality_counts"
CREATE = (
    "CREATE SCHEMA IF NOT EXISTS [[ gold ]]",
    f"CREATE TABLE IF NOT EXISTS {COUNTS} (run_id TEXT, run_at TIMESTAMP, entity TEXT, "
    "mapping TEXT, rule TEXT, disposition TEXT, rows_failed BIGINT, rows_undecided BIGINT, "
    "rows_evaluated BIGINT, rows_quarantined BIGINT, rows_deduped BIGINT)",
)
REJECT_COLUMNS = [
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
    """The table of counts, if it is not there."""
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


@macro(metadata_only=True)
def assay_measure(evaluator, entity, rules):
    """Counts every rule once, from the masks, before any audit can stop the run. A second try
    within one run replaces its rows."""
    # Only here rows are really written; SQLMesh also renders models empty, to learn their shape.
    if "snapshot" not in evaluator.locals or evaluator.runtime_stage == "loading":
        return []
    judged = evaluator.locals["this_model"]
    judged = judged if isinstance(judged, str) else judged.sql(dialect="[[ dialect ]]")
    correlation = evaluator.engine_adapter.correlation_id
    run = text(correlation.job_id if correlation else "unknown")
    at = f"{text(str(evaluator.locals['execution_ts']))}::TIMESTAMP"
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
        f"FROM {judged} GROUP BY {keys}) " + " UNION ALL ".join(lines),
    )


@macro(metadata_only=True)
def assay_carry(evaluator, judged):
    """Takes over what the table of the model's last version holds: a changed spec makes a new table,
    and what was rejected before, and since when, has to come with it. What the new spec admits is
    resolved on the way."""
    snapshot = evaluator.locals.get("snapshot")
    if snapshot is None or evaluator.runtime_stage == "loading":
        return []
    previous = snapshot.previous_version
    if previous is None or previous.version == snapshot.version:
        return []
    held = snapshot.copy(update={"version": previous.version}).table_name()
    if not evaluator.engine_adapter.table_exists(held):
        return []
    own = evaluator.locals["this_model"]
    own = own if isinstance(own, str) else own.sql(dialect="[[ dialect ]]")
    judged = judged.sql(dialect="[[ dialect ]]")
    at = f"{text(str(evaluator.locals['execution_ts']))}::TIMESTAMP"
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
