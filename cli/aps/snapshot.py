"""A matrix bound to a transaction: one clock for every query, and what could not be read, with the reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from aps import packs, statements
from aps.database import Database, QueryError, Row
from aps.errors import DatabaseError
from aps.matrix import zones
from aps.model.matrix import Matrix, State
from aps.model.report import Holder, Server, Versions
from aps.observed import NOBODY_LOOKED, Observed

Key = tuple[str, ...]

BEGINNING = datetime(1, 1, 1, tzinfo=UTC)


@dataclass
class Snapshot:
    """A matrix bound to a transaction: the clock and the window that every query gets, and what could not be read."""

    database: Database
    matrix: Matrix
    server: Server
    types: Mapping[str, str]
    clock: datetime
    finished_since: datetime = BEGINNING
    columns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    observed: Observed = NOBODY_LOOKED
    versions: Versions | None = None

    @property
    def bound(self) -> dict[str, Any]:
        """What every query of a pack may name."""
        return self.matrix.values | {
            "clock": self.clock,
            "finished_since": self.finished_since,
            "max_lease": self.matrix.max_lease,
            **self.observed.bound,
        }

    @property
    def states(self) -> list[State]:
        return [state for state in self.matrix.states if state.name not in self.unread]

    @property
    def lifecycle_unread(self) -> dict[str, str]:
        """The lifecycle states that could not be read: while there are any, no job's state is certain."""
        return {
            name: reason
            for name, reason in self.unread.items()
            if (state := self.matrix.state(name)) and state.kind == "lifecycle"
        }

    def keys(self, jobs: Sequence[Key]) -> dict[str, list[str]]:
        """The key columns as the parallel arrays that queries over given jobs bind."""
        return {column: [key[n] for key in jobs] for n, column in enumerate(self.matrix.key)}


def take(
    database: Database, matrix: Matrix, server: Server, *, window: timedelta | None = None
) -> Snapshot:
    """Inside a transaction: read the clock, and learn which states can be read at all and what they return."""
    clock = database.clock()
    snapshot = Snapshot(
        database,
        matrix,
        server,
        _key_types(database, matrix, server),
        clock,
        BEGINNING if window is None else clock - window,
    )
    snapshot.versions = _versions(snapshot)
    naive = _naive(snapshot)
    for state in matrix.states:
        if server.in_recovery and state.liveness in ("lease", "heartbeat", "session"):
            snapshot.unread[state.name] = "a standby cannot tell: it lags and sees no locks"
            continue
        if zoneless := _zoneless(state, naive):
            snapshot.unread[state.name] = zoneless
            continue
        try:
            with database.savepoint():
                snapshot.columns[state.name] = _described(snapshot, state)
        except QueryError as error:
            reason = explain(error, state.evidence.sql, server.role)
            snapshot.unread[state.name] = (
                _locked_out(snapshot) or reason if _is_lock(error) else reason
            )
    return snapshot


def _naive(snapshot: Snapshot) -> list[str]:
    schema, _, name = snapshot.matrix.table.rpartition(".")
    named = {"table": name, "schema": schema or None}
    return [str(row["name"]) for row in snapshot.database.rows(statements.read("naive"), named)]


def _zoneless(state: State, naive: Sequence[str]) -> str | None:
    """Why a verdict by the clock cannot be told: a time without a zone is another instant in another session."""
    file = state.evidence.file
    column = zones.undeclared(file, state.evidence.sql, naive) if naive else None
    if column is None:
        return None
    return (
        f"{column} holds times without a zone, and {file} compares it with the clock: "
        f"say there which zone, ({column} AT TIME ZONE 'UTC') or another"
    )


def _versions(snapshot: Snapshot) -> Versions | None:
    """Is the queue here one that the pack is for? A version covers itself and what continues it after a dot."""
    tried, query = snapshot.matrix.versions, snapshot.matrix.version
    if not tried or query is None:
        return Versions(tried) if tried else None
    pack = f"the pack {snapshot.matrix.name} is for {snapshot.matrix.system} {', '.join(tried)}"
    try:
        with snapshot.database.savepoint():
            rows = snapshot.database.rows(query.sql, snapshot.bound)
    except QueryError as error:
        why = explain(error, query.sql, snapshot.server.role)
        return Versions(tried, fault=f"{pack}; which one this is could not be read: {why}")
    found = next(iter(rows[0].values()), None) if rows else None
    if found is not None and any(f"{found}.".startswith(f"{one}.") for one in tried):
        return Versions(tried, found)
    return Versions(tried, found, f"{pack}, and this is {found or 'of no version'}")


def _is_lock(error: QueryError) -> bool:
    return error.sqlstate == "55P03"


def _locked_out(snapshot: Snapshot) -> str | None:
    """Who keeps readers out, in words; and from here on nobody is waited for any more."""
    snapshot.database.hurry()
    rows = snapshot.database.rows(statements.read("table_holders"), {"aps": "aps"})
    return "; ".join(holder(row).holding(str(row["relation"])) for row in rows) or None


def holder(row: Row) -> Holder:
    """Who holds something, as pg_locks and pg_stat_activity tell it."""
    return Holder(
        pid=None if row["pid"] is None else int(row["pid"]),
        application=row["application"] or None,
        user=row["role"],
        state=row["state"],
        seconds=None if row["seconds"] is None else float(row["seconds"]),
    )


def again(snapshot: Snapshot) -> Snapshot:
    """Inside another transaction: the same queries under its own clock; what cannot be read is kept in one place."""
    return replace(snapshot, clock=snapshot.database.clock())


def seeing(snapshot: Snapshot, observed: Observed) -> Snapshot:
    """The same snapshot, with what was seen of files."""
    return replace(snapshot, observed=observed)


def _key_types(database: Database, matrix: Matrix, server: Server) -> dict[str, str]:
    """Column to SQL type, in the order of the key. Raises DatabaseError where table or column is not there."""
    schema, _, name = matrix.table.rpartition(".")
    found = database.rows(
        statements.read("key_types"),
        {"key": list(matrix.key), "table": name, "schema": schema or None},
    )
    types = {str(row["name"]): str(row["type"]) for row in found}
    missing = [column for column in matrix.key if column not in types]
    if missing:
        what = f"column {', '.join(missing)} in table" if types else "table"
        raise DatabaseError(
            f"database {server.name} has no {what} {matrix.table}: {_remedy(matrix)}"
        )
    return types


def _remedy(matrix: Matrix) -> str:
    """Where the table may be; aps itself makes none but the reference queue's."""
    if matrix.name == packs.DEFAULT:
        return "run `aps init` there, or name another database (--dsn) or pack (--pack)"
    elsewhere = "" if "." in matrix.table and not matrix.schema else " or schema (--schema)"
    return f"name another database (--dsn), pack (--pack){elsewhere}"


def _described(snapshot: Snapshot, state: State) -> tuple[str, ...]:
    sql = statements.describe(state.evidence)
    columns = snapshot.database.columns(sql, snapshot.bound | {"aps_limit": 0})
    missing = [column for column in snapshot.matrix.key if column not in columns]
    if missing and not (state.kind == "overlay" and "item" in columns):
        raise QueryError(f"{state.evidence.file} returns no column {', '.join(missing)}", "")
    return columns


def explain(error: QueryError, sql: str, role: str) -> str:
    """The server's words, and for a missing grant the statement that gives it."""
    message = str(error)
    # The server writes the name as it is, without quotes; it may hold spaces.
    denied = re.match(r"permission denied for (table|view|schema|sequence) (.+)", message)
    if error.sqlstate != "42501" or denied is None:
        return f"{message} ({error.sqlstate})" if error.sqlstate else message
    kind, name = denied.groups()
    role = sql_name(role)
    if kind == "schema":
        return f"{message}: GRANT USAGE ON SCHEMA {sql_name(name)} TO {role}"
    # The server's message has no schema; the query that was refused has.
    written = re.escape(sql_name(name))
    qualified = re.search(
        rf'(?<![\w".])((?:\w+|"(?:[^"]|"")+")\.{written})(?![\w"])', sql.replace("%%", "%")
    )
    return f"{message}: GRANT SELECT ON {qualified[1] if qualified else sql_name(name)} TO {role}"


def sql_name(name: str) -> str:
    """The name as SQL takes it."""
    return name if re.fullmatch(r"[a-z_][a-z0-9_]*", name) else '"' + name.replace('"', '""') + '"'
