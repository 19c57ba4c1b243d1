"""Times without a zone: aps reads them as UTC, whatever the queue meant."""

from __future__ import annotations

from aps import statements
from aps.database import QueryError
from aps.model.examination import Check
from aps.snapshot import Snapshot

_NAIVE = "timestamp without time zone"


def naive(snapshot: Snapshot, path: str) -> Check:
    """Those of the table, and those that evidence returns as `since`."""
    schema, _, table = snapshot.matrix.table.rpartition(".")
    rows = snapshot.database.rows(
        statements.read("doctor/naive"), {"table": table, "schema": schema or path}
    )
    columns = [str(row["column_name"]) for row in rows]
    told = [f"{snapshot.matrix.table} ({', '.join(columns)})"] if columns else []
    aged = [state.title for state in snapshot.states if _type(snapshot, state.name) == _NAIVE]
    told += [f"the age of {', '.join(aged)}"] if aged else []
    if not told:
        return Check("times", "ok", "every time has its zone")
    zone = f"; sessions here begin with TimeZone {rows[0]['zone']}" if rows else ""
    return Check(
        "times",
        "warning",
        f"no time zone: {'; '.join(told)}. aps reads such times as UTC{zone}: where the queue writes local "
        "time, ages and verdicts are wrong by the difference",
        ("in the queries of the pack: COLUMN AT TIME ZONE 'the zone that the queue writes in'",),
    )


def _type(snapshot: Snapshot, name: str) -> str | None:
    state = snapshot.matrix.state(name)
    if state is None or "since" not in snapshot.columns.get(name, ()):
        return None
    sql = statements.read("doctor/since_type").format(evidence=state.evidence.sql)
    try:
        with snapshot.database.savepoint():
            return snapshot.database.rows(sql, snapshot.bound | {"aps": "aps"})[0]["type"]
    except QueryError:
        # What cannot be read at all is told by another check.
        return None
