"""[[ marker ]]

Deletes the rejected rows whose time is over:

    python scripts/[[ folder ]]/retention.py [ENTITY …] [--dry-run] [--environment prod] [--project .]

Each entity is one transaction, with a row in `[[ gold ]].quality_log`.
"""

from datetime import timedelta

from environment import for_each
from sqlmesh.utils.date import now, to_ts

ENTITIES = [
[% for (entity, hours) in entities %]    {"name": [[ entity ]], "hours": [[ hours ]]},
[% endfor %]]


def delete(environment, entity, dry_run):
    name, adapter = entity["name"], environment.adapter
    reject = environment.table(f"{name}__reject")
    at = now()
    until = to_ts(at - timedelta(hours=entity["hours"]))
    # A resolved row is kept from its resolution on, another one from its newest delivery.
    expired = f"COALESCE(resolved_at, last_seen) < '{until}'::TIMESTAMP"
    with environment.transaction():
        rows = adapter.fetchone(f"SELECT COUNT(*) FROM {reject} WHERE {expired}")[0]
        if not dry_run:
            adapter.execute(f"DELETE FROM {reject} WHERE {expired}")
            environment.record("retention", to_ts(at), name, reject, "retention", rows, until)
    print(f"assay: {name}: {rows} {'would be deleted' if dry_run else 'deleted'}, kept since {until}")


if __name__ == "__main__":
    for_each(ENTITIES, delete, description="Delete the rejected rows whose time is over.", done="deleted")
