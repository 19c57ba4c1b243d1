"""`aps init`: what aps needs in a database."""

from __future__ import annotations

from typing import Annotated

import typer

from aps.commands import console, options
from aps.commands.options import Reach


def init(
    journal: Annotated[
        bool, typer.Option("--journal", help="Only the journal, in a database with another queue.")
    ] = False,
    dsn: options.Dsn = None,
    timeout: options.Timeout = "30s",
    show_sql: options.ShowSql = False,
) -> None:
    """Create the reference queue, its roles and the journal; what is there already is left as it is."""
    from aps import install

    reach = Reach(dsn=dsn, show_sql=show_sql, timeout=timeout)
    with options.sessions("init", reach)() as database:
        steps = install.journal_only(database) if journal else install.queue(database)
    for step in steps:
        done = "created" if step.made else "there already"
        console.out(f"{step.what}, version {step.version}: {done}")
