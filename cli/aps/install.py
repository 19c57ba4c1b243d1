"""Create what aps needs in a database, each in one transaction, once: the reference queue, its roles, the journal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from aps import journal, packs, statements
from aps.database import Database, QueryError
from aps.errors import DatabaseError, Refused

QUEUE_VERSION = 1


@dataclass(frozen=True, slots=True)
class Step:
    """What was found or made; `made` is False where it was there already."""

    what: str
    version: int
    made: bool


def queue(database: Database) -> list[Step]:
    """The schema `aps`, the roles and the journal. Idempotent. Raises Refused, DatabaseError."""
    folder = packs.HOME / "queries"
    steps = [_ensure(database, "aps", QUEUE_VERSION, [folder / "schema.sql"])]
    _run(database, [folder / "roles.sql"])
    return [*steps, *journal_only(database)]


def journal_only(database: Database) -> list[Step]:
    """The schema `aps_journal` alone, as in a queue that aps did not make; grants follow the roles that exist."""
    folder = Path(__file__).parent / "sql" / "journal"
    step = _ensure(database, "aps_journal", journal.VERSION, [folder / "schema.sql"])
    _run(database, [folder / "grants.sql"])
    return [step]


def _ensure(database: Database, schema: str, version: int, files: list[Path]) -> Step:
    found = _version(database, schema)
    if found is None:
        _run(database, files)
        return Step(f"schema {schema}", version, made=True)
    if found != version:
        raise Refused(
            f"schema {schema} has version {found}, this aps knows {version}: use the aps that made it, or a newer one"
        )
    return Step(f"schema {schema}", version, made=False)


def _version(database: Database, schema: str) -> int | None:
    """The version that stands in the database; None where the schema has no version table."""
    with database.look():
        where = {"schema": schema, "table": "version"}
        if database.rows(statements.read("version"), where)[0]["there"] != "t":
            return None
        rows = database.rows(
            statements.read("versions").format(schema=statements.ident(schema)), {"aps": "aps"}
        )
        return int(rows[0]["version"] or 0)


def _run(database: Database, files: list[Path]) -> None:
    database.begin_write()
    try:
        for file in files:
            database.run(file.read_text(encoding="utf-8"))
        database.commit()
    except QueryError as error:
        database.rollback()
        hint = (
            ": run it as the owner of the database, or a superuser"
            if error.sqlstate == "42501"
            else ""
        )
        raise DatabaseError(
            f"{file.name}: {error} ({error.sqlstate}){hint}; nothing was changed"
        ) from error
