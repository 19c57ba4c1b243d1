"""What this role may and may not do here, and what stands in the way. Nothing is changed, and no action is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC

from aps import exits
from aps import snapshot as snapshots
from aps.database import Database, QueryError
from aps.doctor import commands, indexes, session, settings, standby, stores, times, versions
from aps.errors import DatabaseError
from aps.exits import Exit
from aps.model.examination import FORMAT_VERSION, Check, Examination
from aps.model.matrix import Matrix
from aps.model.report import PackRef, Server
from aps.snapshot import Snapshot
from aps.store import LocalStore

__all__ = ["Patient", "examine"]

_CODE = {"critical": Exit.CRITICAL, "warning": Exit.WARNING, "unknown": Exit.UNDETERMINED}


@dataclass(frozen=True, slots=True)
class Patient:
    """What is looked at. `application` is the name that the session was given, `pinned` what APS_PACK_SHA256 says;
    `more` are checks made elsewhere."""

    matrix: Matrix
    application: str
    pinned: str = ""
    store: LocalStore | None = None
    more: tuple[Check, ...] = ()


def examine(patient: Patient, database: Database) -> Examination:
    """Every check, each alone: one that fails is unknown, and the others go on. Raises DatabaseError."""
    matrix = patient.matrix
    pooler = _one("pooler", lambda: session.pooler(database, patient.application))
    with database.look():
        server = database.probe()
        clock = database.clock()
        checks = [
            versions.server(server),
            *_all(database, _of_session(patient, database, server)),
            pooler,
            *_of_queue(database, matrix, server),
            *_store(patient, database, server),
            *patient.more,
        ]
    return Examination(
        format_version=FORMAT_VERSION,
        system=matrix.system,
        pack=PackRef(matrix.name, matrix.sha256),
        as_of=clock.astimezone(UTC).isoformat(),
        database=server,
        checks=tuple(checks),
        exit_code=exit_code(checks),
    )


def exit_code(checks: Iterable[Check]) -> int:
    """By the worst; a store that was given and is out of reach or another one has a code of its own."""
    found = [check for check in checks if check.verdict in _CODE]
    if any(check.name == "store" and check.verdict == "critical" for check in found):
        return Exit.STORE
    return exits.of_look(_CODE[check.verdict] for check in found)


_Asked = tuple[str, Callable[[], Check]]


def _of_session(patient: Patient, database: Database, server: Server) -> Iterator[_Asked]:
    matrix, role = patient.matrix, server.role
    yield "standby", lambda: standby.standby(server)
    yield "lag", lambda: standby.lag(server)
    yield "clock", lambda: session.clock(database)
    yield "pack", lambda: versions.pack(matrix, patient.pinned)
    yield "schema", lambda: versions.queue(database, matrix, role)
    yield "journal", lambda: versions.journalled(database, role)
    yield "settings", lambda: settings.settings(database, server)


def _of_queue(database: Database, matrix: Matrix, server: Server) -> list[Check]:
    """What needs the queue's table; where that is not there, only that is told."""
    try:
        snapshot = snapshots.take(database, matrix, server)
    except DatabaseError as error:
        return [Check("queue", "critical", str(error))]
    return _all(database, _of_snapshot(snapshot, matrix.schema or "public"))


def _of_snapshot(snapshot: Snapshot, path: str) -> Iterator[_Asked]:
    yield "inspect", lambda: commands.inspect(snapshot, path)
    yield "reclaim", lambda: commands.acting(snapshot, "reclaim", path)
    yield "reconcile", lambda: commands.acting(snapshot, "reconcile", path)
    yield "lock holders", lambda: commands.holders(snapshot)
    yield "times", lambda: times.naive(snapshot, path)
    yield "indexes", lambda: indexes.indexes(snapshot, path)


def _store(patient: Patient, database: Database, server: Server) -> Sequence[Check]:
    return stores.stores(database, server, patient.store)


def _all(database: Database, asked: Iterable[_Asked]) -> list[Check]:
    checks = []
    for name, check in asked:

        def alone(check: Callable[[], Check] = check) -> Check:
            with database.savepoint():
                return check()

        checks.append(_one(name, alone))
    return checks


def _one(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except QueryError as error:
        return Check(name, "unknown", f"could not be looked at: {error} ({error.sqlstate})")
