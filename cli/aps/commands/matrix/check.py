"""`aps matrix check`: is the matrix true of its queue, before an incident asks?"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from aps.commands import console, options
from aps.commands.options import Reach
from aps.errors import Usage
from aps.exits import Exit

if TYPE_CHECKING:
    from pathlib import Path

    from aps.check import Checked
    from aps.database import Database
    from aps.model.matrix import Matrix

_SCHEMA = "queries/schema.sql"


def check(
    scratch: Annotated[
        bool,
        typer.Option(
            "--scratch", help=f"On a private, empty PostgreSQL with the pack's own {_SCHEMA}."
        ),
    ] = False,
    dsn: options.Dsn = None,
    pack: options.Pack = "aps",
    schema: options.Schema = None,
    parameters: options.Set = None,
    timeout: options.Timeout = "30s",
    format: options.FormatOption = "table",
    demo: options.Demo = False,
    show_sql: options.ShowSql = False,
    quiet: options.Quiet = False,
) -> None:
    """Check a pack: its files, then each of its queries against a database, in a transaction that is rolled back."""
    if scratch and (demo or (dsn is not None and dsn != os.environ.get("APS_DSN"))):
        raise Usage("--scratch starts a database of its own; leave --dsn and --demo out")
    from aps import packs, render
    from aps.check import files

    reach = Reach(dsn, pack, schema, tuple(parameters or ()), demo, show_sql, timeout)
    checked = files(packs.find(pack)) or (_on_scratch(reach) if scratch else _on_database(reach))
    console.out(render.check(checked, format, console.view(quiet=quiet)))
    console.leave(checked.exit_code)


def _on_database(reach: Reach) -> Checked:
    from aps import check

    target = options.target("check", reach)
    with target.session() as session:
        return check.database(target.matrix, session)


def _on_scratch(reach: Reach) -> Checked:
    """A server of our own, of which nothing is left, also after Ctrl-C."""
    from aps import check

    target = options.target("check", reach)
    file = target.matrix.path / _SCHEMA
    if not file.is_file():
        name = target.matrix.name
        raise Usage(f"--scratch: pack {name} has no {_SCHEMA}; write it, or give --dsn instead")
    try:
        with _private() as dsn:
            there = options.sessions("check", replace(reach, dsn=dsn), target.matrix.schema)
            with there() as session:
                failed = _create(session, target.matrix, file)
                return failed or check.database(target.matrix, session, scratch=True)
    except KeyboardInterrupt:
        console.say("interrupted: the private PostgreSQL is gone")
        console.leave(Exit.INTERRUPTED)


@contextmanager
def _private() -> Iterator[str]:
    from aps.demo import cluster
    from aps.demo.binaries import Binaries

    with ExitStack() as started:
        try:
            with _whole():
                server = started.enter_context(cluster.temporary(Binaries.find()))
            yield server.dsn()
        finally:
            with _whole():
                started.close()


@contextmanager
def _whole() -> Iterator[None]:
    """Ctrl-C waits for the end of it: of a server half started, or half removed, something would stay."""
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed:
            raise KeyboardInterrupt


def _create(session: Database, matrix: Matrix, file: Path) -> Checked | None:
    """The pack's own tables; what the server says against them is a fault of the pack."""
    from aps import check, statements
    from aps.database import QueryError

    try:
        session.begin_write()
        if matrix.schema:
            made = statements.read("check/schema").format(schema=statements.ident(matrix.schema))
            session.run(made)
        session.run(file.read_text(encoding="utf-8-sig"))
        session.commit()
    except QueryError as error:
        session.rollback()
        return check.unmade(matrix, _SCHEMA, f"{error} ({error.sqlstate})")
    return None
