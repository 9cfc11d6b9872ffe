

def verdicts(gates, facts):
    """What gates say that count facts, one row a gate."""
    listed = ", ".join(f"({text(gate)})" for gate in gates)
    return f"""
[[ verdicts ]]
"""


def address(table):
    """A physical table, as the record names it."""
    return text(exp.to_table(table, dialect="[[ dialect ]]").sql(dialect="[[ dialect ]]", identify=True))


def record(evaluator, entity, said, rule_set):
    """Leaves what the gates of a relation say in the record, which its audit reads. A second try within
    one run replaces its rows."""
    run, own = run_id(evaluator), address(own_table(evaluator))
    create(evaluator)
    return parsed(
        f"DELETE FROM {GATES} WHERE run_id = {run} AND relation = {own}",
        f"INSERT INTO {GATES} SELECT {run} AS run_id, {run_at(evaluator)} AS run_at, "
        f"CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS asked_at, {text(entity.name)} AS entity, {own} AS relation, "
        f"gate, outcome, measured, out_of, threshold, reason, {rule_set} AS rule_set FROM ({said}) AS said",
    )


@macro(metadata_only=True)
def assay_broken(evaluator, relation):
    """What the newest record has against a relation. SQLMesh shows the query of an audit and not what it
    found, so what was found is written into the query."""
    if evaluator.runtime_stage != "auditing":
        return parse_one("(SELECT 1 AS gate) AS broken", into=exp.Table, dialect="[[ dialect ]]")
    own = address(relation)
    of_relation = f"FROM {GATES} WHERE relation = {own}"
    rows = evaluator.engine_adapter.fetchall(
        parse_one(
            f"SELECT gate, outcome, measured, out_of, reason {of_relation} AND "
            f"CASE WHEN EXISTS (SELECT 1 {of_relation} AND run_id = {run_id(evaluator)}) "
            f"THEN run_id = {run_id(evaluator)} ELSE asked_at = (SELECT MAX(asked_at) {of_relation}) END "
            "ORDER BY gate",
            dialect="[[ dialect ]]",
        )
    )
    told = [
        (gate, reason if out_of is not None else f"{measured}, {reason}" if reason else str(measured))
        for gate, outcome, measured, out_of, reason in rows
        if outcome == "fail"
    ]
    if not rows:
        told = [("not_asked", "its gates have not been asked; restate it")]
    query = " UNION ALL ".join(f"SELECT {text(gate)} AS gate, {text(reason)} AS reason" for gate, reason in told)
    return parse_one(query or "SELECT '' AS gate, '' AS reason WHERE FALSE", dialect="[[ dialect ]]").subquery("broken")
[% if has_judged %]

def facts_of_judged(judged, lost):
    """The facts that must stop a run, one row each."""
    return f"""
[[ gates ]]
"""


def rule_set_of(evaluator, judged):
    """The version of the rules by which the rows of a relation were judged."""
    own = address(evaluator.resolve_table(judged))
    newest = f"(SELECT MAX(asked_at) FROM {GATES} WHERE relation = {own})"
    return f"(SELECT MAX(rule_set) FROM {GATES} WHERE relation = {own} AND asked_at = {newest})"


@macro(metadata_only=True)
def assay_ask(evaluator, entity, rule_set[% if has_ledger %], is_ledger=None[% endif %][% if has_ceiling %], ceiling=None[% endif %][% if has_rails %], rails=None[% endif %]):
    """Asks every gate of judged."""
    if not is_writing(evaluator):
        return []
    judged = own_table(evaluator)
[% if has_ledger %]    same = "<" if is_ledger else "<>"
    facts = facts_of_judged(judged, f"COUNT(*) {same} MAX(_delivered)")
[% else %]    facts = facts_of_judged(judged, "COUNT(*) <> MAX(_delivered)")
[% endif %]    said = [verdicts(GATES_OF_JUDGED, facts)]
[% if has_ceiling %]    if ceiling is not None:
        said.append(verdict_of_ceiling(evaluator, judged, entity, ceiling[% if has_ledger %], is_ledger[% endif %]))
[% endif %][% if has_rails %]    if rails is not None:
        said.append(f"SELECT * FROM ({rails.sql(dialect='[[ dialect ]]')}) AS rails")
[% endif %]    return record(evaluator, entity, " UNION ALL ".join(said), text(rule_set.name))


GATES_OF_JUDGED = [
[% for gate in gates_of_judged %]    "[[ gate ]]",
[% endfor %]]
[% if let Some(ceiling) = ceiling %]

def verdict_of_ceiling(evaluator, judged, entity, ceiling[% if has_ledger %], is_ledger[% endif %]):
    """What the ceiling of an entity says of a run.[% if has_ledger %] Of a ledger it asks about rows that a run has read since
    the entity was last published: also a run that was stopped. A replay asks nobody, and does not count
    either.[% endif %]"""
    share, parts, whole = (part.name for part in ceiling.expressions)
    allowed = "TRUE" if entity.name in (evaluator.var("assay_allow_quarantine") or []) else "FALSE"
    entity = entity.name
    pending = ""
[% if has_ledger %]    if is_ledger:
        pending = (
            " AND _delivered IS NOT NULL AND _judged_at > COALESCE("
            f"(SELECT MAX(until) FROM {LOG} WHERE action = 'settled' AND relation = {address(judged)}), "
            "'0001-01-01'::TIMESTAMP) AND NOT _judged_at IN "
            f"(SELECT run_at FROM {LOG} WHERE action = 'replayed' AND entity = {text(entity)})"
        )
[% endif %]    return f"""
[[ ceiling ]]
"""
[% endif %]

[% if has_reject %]@macro(metadata_only=True)
def assay_ask_kept(evaluator, entity, judged[% if has_ledger %], is_ledger=None[% endif %]):
    """Every row that was diverted must be in the reject relation, unresolved[% if has_ledger %], unless retention has
    deleted it: a ledger remembers what it has judged for longer[% endif %]."""
    if not is_writing(evaluator):
        return []
    own, name = own_table(evaluator), judged.sql(dialect="[[ dialect ]]")
    facts = (
        "SELECT 'conservation' AS gate, judged._source_row_id "
        f"FROM {name} AS judged LEFT JOIN {own} AS held ON held.source_relation = judged._source "
        "AND held._source_row_id = judged._source_row_id AND held._load_id = judged._load_id "
        "AND held.resolved_at IS NULL WHERE judged._route = 'quarantined' AND held.reject_id IS NULL"
    )
[% if has_ledger %]    if is_ledger:
        facts += (
            f" AND NOT COALESCE(judged._ingested_at < (SELECT MAX(until) FROM {LOG} "
            f"WHERE action = 'retention' AND entity = {text(entity.name)}), FALSE)"
        )
[% endif %]    return record(evaluator, entity, verdicts(["conservation"], facts), rule_set_of(evaluator, name))


@macro(metadata_only=True)
def assay_retain(evaluator, entity, hours):
    """Deletes the rejected rows whose time is over, where the variable `assay_retention` asks for it. A
    resolved row is kept from its resolution on, another one from its newest delivery."""
    if not evaluator.var("assay_retention") or not is_writing(evaluator):
        return []
    own, at = own_table(evaluator), to_datetime(evaluator.locals["execution_ts"])
    until = text((at - timedelta(hours=int(hours.name))).strftime("%Y-%m-%d %H:%M:%S.%f"))
    expired = f"COALESCE(resolved_at, last_seen) < {until}::TIMESTAMP"
    return parsed(
        f"INSERT INTO {LOG} (run_id, run_at, entity, relation, action, row_count, until) "
        f"SELECT {run_id(evaluator)} AS run_id, {run_at(evaluator)} AS run_at, {text(entity.name)} AS entity, "
        f"{address(own)} AS relation, 'retention' AS action, COUNT(*) AS row_count, "
        f"{until}::TIMESTAMP AS until FROM {own} WHERE {expired}",
        f"DELETE FROM {own} WHERE {expired}",
    )
[% endif %][% endif %]

@macro(metadata_only=True)
def assay_ask_published(evaluator, entity, key[% if has_judged %], judged=None, known=None, members=None[% endif %]):
    """A key is there once, and of judged every admitted row, beside the unknown member. Orphans that point
    at that may share a key: they are not `known`."""
    if not is_writing(evaluator):
        return []
    own = own_table(evaluator)
    columns = ", ".join(exp.column(part.name, quoted=True).sql("[[ dialect ]]") for part in key.expressions)
[% if has_judged %]    known = known.sql(dialect="[[ dialect ]]") if known else "TRUE"
[% endif %]    gates = ["key_not_unique"]
    facts = (
        "SELECT 'key_not_unique' AS gate, COUNT(*)::TEXT || ' rows of one key' AS _source_row_id "
        f"FROM {own}[% if has_judged %] WHERE {known}[% endif %] GROUP BY {columns} HAVING COUNT(*) > 1"
    )
    rule_set = "NULL"
[% if has_judged %]    if judged is not None:
        judged = judged.sql(dialect="[[ dialect ]]")
        gates.append("conservation")
        facts += (
            " UNION ALL SELECT 'conservation' AS gate, COUNT(*)::TEXT || ' rows' AS _source_row_id "
            f"FROM {own} HAVING COUNT(*) <> {members.name if members else 0} + (SELECT COUNT(*) FROM {judged} WHERE _route = 'admitted')"
        )
        rule_set = rule_set_of(evaluator, judged)
[% endif %]    return record(evaluator, entity, verdicts(gates, facts), rule_set)
[% if let Some(history) = history %]

@macro(metadata_only=True)
def assay_ask_history(evaluator, entity, key, judged):
    """What no history may show, and that a bronze that came empty does not close one."""
    if not is_writing(evaluator):
        return []
    own, judged = own_table(evaluator), judged.sql(dialect="[[ dialect ]]")
    key = ", ".join(exp.column(part.name, quoted=True).sql("[[ dialect ]]") for part in key.expressions)
    allowed = "TRUE" if entity.name in (evaluator.var("assay_allow_empty") or []) else "FALSE"
    facts = f"""
[[ history.gates ]]
"""
    no_delivery = f"""
[[ history.no_delivery ]]
"""
    said = f"{verdicts(['version_without_time', 'versions_overlap'], facts)} UNION ALL {no_delivery}"
    return record(evaluator, entity, said, rule_set_of(evaluator, judged))
[% endif %]
