"""Create what aps needs in a database, each in one transaction, once: the reference queue, its roles, the journal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from aps import journal, packs, statements
from aps.database import Database, QueryError
from aps.errors import Refused, StoreError
from aps.files import known_store
from aps.model.report import Server
from aps.store import Binding, Store

Result = TypeVar("Result")

QUEUE_VERSION = 1


@dataclass(frozen=True, slots=True)
class Step:
    """What was found or made; `made` is False where it was there already."""

    what: str
    version: int
    made: bool


@dataclass(frozen=True, slots=True)
class Bound:
    """A store that this database publishes into; `done` says what it took."""

    store_id: str
    done: str


# Another init at the same moment: what it makes is there when it is over.
_AT_ONCE = ("23505", "42P06", "42P07", "42710", "40P01", "55P03", "XX000")
_TRIES = 3


def queue(database: Database, home: Path = packs.HOME) -> list[Step]:
    """The schema `aps`, the roles and the journal; `home` is the pack's folder. Idempotent. Raises Refused."""
    folder = home / "queries"
    steps = [_ensure(database, "aps", QUEUE_VERSION, folder / "schema.sql")]
    _again(lambda: _run(database, folder / "roles.sql"))
    return [*steps, *journal_only(database)]


def journal_only(database: Database) -> list[Step]:
    """The schema `aps_journal` alone, as in a queue that aps did not make, and the roles that its grants name.

    Who may not make roles makes the journal all the same; grants follow the roles that exist.
    """
    folder = Path(__file__).parent / "sql" / "journal"
    step = _ensure(database, "aps_journal", journal.VERSION, folder / "schema.sql")
    _again(lambda: _run(database, folder / "roles.sql"))
    _again(lambda: _run(database, folder / "grants.sql"))
    return [step]


def bind(database: Database, store: Store, *, rebind: bool = False) -> Bound:
    """This database publishes into that store, and the store knows it. Idempotent. Raises StoreError, Refused.

    The identity object first, then the row: between the two nothing is believed, and a second run ends it.
    """
    with database.look():
        server, known = database.probe(), known_store(database)
    if server.in_recovery:
        raise Refused("a store is bound on the primary; this is a standby")
    stands = _standing(store, rebind)
    if stands and stands.database == server.identity and known in (None, "", stands.store_id):
        if known == "":
            _name(database, stands.store_id)
        return Bound(stands.store_id, "bound" if known == "" else "bound already")
    if (stands or known) and not rebind:
        raise StoreError(_bound_elsewhere(store, stands, server, known))
    binding = Binding(stands.store_id if stands else str(uuid4()), server.identity)
    store.bind(binding, rebind=rebind)
    if known is not None:
        _name(database, binding.store_id)
    return Bound(binding.store_id, "bound anew" if stands or known else "bound")


def _standing(store: Store, rebind: bool) -> Binding | None:
    """What the store is bound to; one that is damaged is none, where it is to be replaced."""
    try:
        return store.binding()
    except StoreError:
        if rebind:
            return None
        raise


def _bound_elsewhere(
    store: Store, stands: Binding | None, server: Server, known: str | None
) -> str:
    where = f"store {store.url}"
    if stands is None:
        return f"{where}: not the one that {server.name} publishes into ({known}); is it mounted? {_ANEW}"
    if stands.database != server.identity:
        bound = stands.database
        return (
            f"{where}: bound to database {bound.database_oid} of system {bound.system_identifier}, "
            f"timeline {bound.timeline}, which is not {server.name}. {_ANEW}"
        )
    return f"{where}: it is store {stands.store_id}, {server.name} publishes into {known}. {_ANEW}"


_ANEW = "To bind it here all the same: --rebind"


def _name(database: Database, store_id: str) -> None:
    try:
        database.begin_write()
        database.rows(statements.read("store_bind"), {"store_id": store_id})
        database.commit()
    except QueryError as error:
        database.rollback()
        raise _told("aps.store", error) from error


def _ensure(database: Database, schema: str, version: int, file: Path) -> Step:
    return _again(lambda: _made(database, schema, version, file))


def _again(step: Callable[[], Result]) -> Result:
    """The step, a few times where another init gets in its way."""
    for _ in range(_TRIES - 1):
        with suppress(_AtOnce):
            return step()
    return step()


def _made(database: Database, schema: str, version: int, file: Path) -> Step:
    found = _version(database, schema)
    if found is None:
        _run(database, file)
        return Step(f"schema {schema}", version, made=True)
    if found != version:
        raise Refused(
            f"schema {schema} has version {found}, this aps knows {version}: use the aps that made it, or a newer one"
        )
    return Step(f"schema {schema}", version, made=False)


def _version(database: Database, schema: str) -> int | None:
    """The version that stands in the database; None where the schema has no version table."""
    sql = statements.read("versions").format(schema=statements.ident(schema))
    try:
        with database.look():
            where = {"schema": schema, "table": "version"}
            if database.rows(statements.read("version"), where)[0]["there"] != "t":
                return None
            return int(database.rows(sql, {"aps": "aps"})[0]["version"] or 0)
    except QueryError as error:
        raise _told(f"{schema}.version", error) from error


def _run(database: Database, file: Path) -> None:
    try:
        database.begin_write()
        database.run(file.read_text(encoding="utf-8"))
        database.commit()
    except QueryError as error:
        database.rollback()
        raise _told(file.name, error) from error


class _AtOnce(Refused):
    """Something is there now that was not there when it was looked for."""


def _told(what: str, error: QueryError) -> Refused:
    hint = ": run it as the owner of the database, or a superuser" * (error.sqlstate == "42501")
    kind = _AtOnce if error.sqlstate in _AT_ONCE else Refused
    return kind(f"{what}: {error} ({error.sqlstate}){hint}; nothing was changed")
