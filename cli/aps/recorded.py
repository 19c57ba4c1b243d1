"""Plans made from the journal: to undo an operation, and to settle one that was interrupted between files."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, timedelta
from itertools import groupby

from aps import journal, planning, standing
from aps import snapshot as snapshots
from aps.database import Database, QueryError, Row
from aps.errors import Refused, Usage
from aps.model import key
from aps.model.matrix import Matrix, State
from aps.model.plan import FORMAT_VERSION, LIFETIME_SECONDS, Plan, PlannedJob
from aps.model.report import Evidence, PackRef
from aps.snapshot import Snapshot

_NOTED_SECONDS = 1.0
_UNREADABLE = ("3F000", "42P01", "42501")


def undo(matrix: Matrix, database: Database, operation: str) -> Plan:
    """What would be put back of that operation. Of each job: what was left of it, then how it was before.

    Raises Refused, Usage; changes nothing.
    """
    with _readable(database), database.look():
        server = database.probe()
        if server.in_recovery:
            raise Refused(f"{server.name} is a standby: plan and act on the primary")
        snapshot = snapshots.take(database, matrix, server)
        first = _first(database, operation)
        state = _undoable(matrix, first)
        rows = journal.undoable(database, str(first["operation"]))
    jobs = [_job(matrix, row) for row in rows]
    plan = _plan(snapshot, str(uuid.uuid4()), "undo", state, jobs)
    plan = replace(
        plan,
        effect=f"as before operation {str(first['operation'])[:8]}",
        criterion="it is no longer as the operation left it, or another has its name; nothing is overwritten",
        selection=f"operation {first['operation']}",
    )
    return _sealed(plan)


@contextmanager
def _readable(database: Database) -> Iterator[None]:
    """Around a look. Raises Refused where there is no journal or it may not be read, with what gives it."""
    try:
        yield
    except QueryError as error:
        if error.sqlstate in _UNREADABLE:
            with database.look():
                standing.check(database, database.probe().role)
        raise


def _sealed(plan: Plan) -> Plan:
    return replace(plan, fingerprint=planning.fingerprint(plan))


def _first(database: Database, operation: str) -> Row:
    rows = journal.batches(database, operation)
    if not rows:
        raise Refused(f"the journal has no operation {operation}: there is nothing to undo")
    return rows[0]


def _undoable(matrix: Matrix, first: Row) -> State:
    """The state that the operation acted upon. Raises Refused where there is no way back, Usage for another pack's."""
    name = f"operation {str(first['operation'])[:8]}"
    if first["system"] != matrix.system:
        raise Usage(f"{name} is of {first['system']}, not of {matrix.system}: name its pack")
    if first["command"] == "undo":
        raise Refused(f"{name} is an undo itself: what it put back is acted upon anew")
    state = matrix.state(str(first["state"]))
    if state is None or state.action is None:
        raise Refused(f"{name} acted upon {first['state']}, which this matrix has no action for")
    if state.rollback and state.rollback.irreversible:
        raise Refused(f"{name} cannot be undone: {state.rollback.irreversible}")
    return state


def _job(matrix: Matrix, row: Row) -> PlannedJob:
    before, after, intent = (journal.columns(row[name]) for name in ("before", "after", "intent"))
    evidence = ({**intent, "place": after.get("place")},) if row["item"] else (after, before)
    return _named(matrix, row, evidence)


def _named(matrix: Matrix, row: Row, evidence: tuple[Evidence, ...]) -> PlannedJob:
    name = str(row["job"])
    values = key.parse(name, len(matrix.key)) or ()
    return PlannedJob(name, values, evidence, str(row["item"]))


def unfinished(matrix: Matrix, database: Database, jobs: Sequence[str] | None) -> list[Plan]:
    """The operations on files that were interrupted, each with the files of which no outcome is known.

    Only the files of `jobs` where these are given. Left out is one whose session is seen: it is at work.
    """
    try:
        with database.look():
            snapshot = snapshots.take(database, matrix, database.probe())
            rows = journal.unfinished(database, matrix.system)
    except QueryError as error:
        # Without a journal nothing was begun; what is not permitted is told by whatever would be done.
        if error.sqlstate in _UNREADABLE:
            return []
        raise
    chosen = [row for row in rows if jobs is None or row["job"] in jobs]
    busy = _at_work(database, {str(row["operation"]) for row in chosen})
    return list(_interrupted(snapshot, (row for row in chosen if row["operation"] not in busy)))


def _at_work(database: Database, operations: set[str]) -> set[str]:
    """The server notes the end of a killed client a moment later, so it is asked for that long."""
    deadline = time.monotonic() + _NOTED_SECONDS
    while True:
        with database.look():
            busy = {one for one in operations if journal.running(database, one)}
        if not busy or time.monotonic() > deadline:
            return busy
        operations = busy
        time.sleep(_NOTED_SECONDS / 20)


def _interrupted(snapshot: Snapshot, rows: Iterable[Row]) -> Iterable[Plan]:
    for operation, group in groupby(rows, lambda row: str(row["operation"])):
        files = list(group)
        state = snapshot.matrix.state(str(files[0]["state"]))
        if state:
            named = [
                _named(snapshot.matrix, row, (journal.columns(row["before"]),)) for row in files
            ]
            yield _sealed(_plan(snapshot, operation, str(files[0]["command"]), state, named))


def _plan(
    snapshot: Snapshot, operation: str, command: str, state: State, jobs: Sequence[PlannedJob]
) -> Plan:
    matrix, server = snapshot.matrix, snapshot.server
    created = snapshot.clock.astimezone(UTC)
    return Plan(
        format_version=FORMAT_VERSION,
        operation=operation,
        command=command,
        system=matrix.system,
        pack=PackRef(matrix.name, matrix.sha256),
        identity=server.identity,
        database=server.name,
        role=server.role,
        host=server.host,
        state=state.name,
        effect=state.action.effect if state.action else "",
        irreversible=None,
        criterion=state.rollback.criterion if state.rollback else "",
        attest=None,
        parameters={name: str(value) for name, value in matrix.values.items()},
        selection="",
        created_at=created.isoformat(),
        expires_at=(created + timedelta(seconds=LIFETIME_SECONDS)).isoformat(),
        found=len(jobs),
        jobs=tuple(jobs),
        refused=(),
    )
