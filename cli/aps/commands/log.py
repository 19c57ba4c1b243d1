"""`aps log`: what was done here, by whom and why; and what became of one operation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from aps.commands import console, options, stores
from aps.commands.options import Format, Reach
from aps.errors import Refused, Usage
from aps.exits import Exit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aps.database import Database, QueryError, Row
    from aps.files import Sight


def log(
    operation: Annotated[
        str | None,
        typer.Argument(metavar="OPERATION", help="An operation's id, or how it starts."),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit",
            metavar="N",
            parser=options.whole("--limit", 1, 100_000),
            help="Most operations.",
        ),
    ] = 20,
    store: stores.StoreOption = None,
    dsn: options.Dsn = None,
    timeout: options.Timeout = "30s",
    format: options.FormatOption = "table",
    demo: options.Demo = False,
    show_sql: options.ShowSql = False,
    quiet: options.Quiet = False,
) -> None:
    """Show the journal of this database, or one operation and what it changed."""
    reach = Reach(dsn=dsn, demo=demo, show_sql=show_sql, timeout=timeout)
    if operation and not re.fullmatch(r"[0-9a-fA-F-]{4,36}", operation):
        raise Usage(f"{operation!r} is no operation id: at least four of its hexadecimal digits")
    from aps.database import QueryError

    with options.sessions("log", reach)() as database:
        try:
            if operation:
                sight = stores.sight(stores.given(store, demo=demo), None, "listed", None)
                console.leave(_one(database, operation, sight, format, quiet=quiet))
            _all(database, limit, format, quiet=quiet)
        except QueryError as error:
            raise Refused(_unreadable(database, error)) from error


def _unreadable(database: Database, error: QueryError) -> str:
    """Why the journal cannot be read; for a missing grant the statements that give it."""
    if error.sqlstate in ("3F000", "42P01"):
        return "no journal in this database: aps has changed nothing here (`aps init`)"
    if error.sqlstate != "42501":
        return f"the journal cannot be read: {error}"
    from aps import snapshot

    with database.look():
        role = database.probe().role
    name = snapshot.sql_name(role)
    return (
        f"the journal cannot be read as {role}: {error}: GRANT USAGE ON SCHEMA aps_journal TO {name}; "
        f"GRANT SELECT ON ALL TABLES IN SCHEMA aps_journal TO {name}"
    )


def _all(database: Database, limit: int, format: Format, *, quiet: bool) -> None:
    from aps import journal, render

    with database.look():
        rows = journal.operations(database, limit)
    console.out(render.log(rows, format, console.view(quiet=quiet)))


def _one(
    database: Database, operation: str, sight: Sight | None, format: Format, *, quiet: bool
) -> int:
    """One operation, settled: what the journal has was applied; what it does not have was not."""
    from aps import journal, render

    # First: what commits after this is in the journal by the next snapshot, so nothing falls between the two.
    with database.look():
        running = journal.running(database, operation)
    with database.look():
        batches = journal.batches(database, operation)
        entries = journal.entries(database, str(batches[0]["operation"])) if batches else []
    begun = [entry for entry in entries if entry["phase"] == "intent"]
    if begun:
        _placed(database, str(batches[0]["command"]), str(batches[0]["operation"]), begun, sight)
    notes = _notes(operation, batches, begun, running, sight)
    view = console.view(quiet=quiet)
    console.out(render.log_operation(batches, entries, notes, format, view))
    if running or begun:
        return Exit.UNKNOWN
    return Exit.CLEAR if batches else Exit.NOTHING_APPLIED


def _placed(
    database: Database, command: str, operation: str, begun: Sequence[Row], sight: Sight | None
) -> None:
    """Tell of each file of which no outcome is recorded where it lies. Raises StoreError."""
    if sight is None:
        return
    from aps import unfinished
    from aps.errors import StoreError
    from aps.files import known_store

    with database.look():
        fault = sight.fault(database.probe().identity, known_store(database))
    if fault:
        raise StoreError(fault)
    for entry in begun:
        place = unfinished.where(sight, command, operation, entry)
        entry["detail"] = f"{entry['detail']}: {place}"


def _notes(
    operation: str,
    batches: Sequence[Row],
    begun: Sequence[Row],
    running: Sequence[Row],
    sight: Sight | None,
) -> list[str]:
    notes = [
        f"backend {row['pid']} works on it right now ({row['application']}, {row['state'] or 'not visible'})"
        for row in running
    ]
    if not batches and not running:
        notes.append(
            f"the journal has no operation {operation}: nothing of it was applied in this database"
        )
    if not batches and running:
        notes.append("nothing of it is committed yet; ask again")
    if begun:
        seen = "" if sight else "; where they lie is told with --store URL"
        notes.append(
            f"{len(begun)} files were to be moved, and the outcome is not recorded{seen}; "
            "the next `aps reconcile ... --yes` of these jobs, or `aps undo` of this operation, settles it first"
        )
    return notes
