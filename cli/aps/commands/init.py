"""`aps init`: what aps needs in a database."""

from __future__ import annotations

from typing import Annotated

import typer

from aps.commands import console, options
from aps.commands.options import Reach
from aps.errors import Usage


def init(
    journal: Annotated[
        bool, typer.Option("--journal", help="Only the journal, in a database with another queue.")
    ] = False,
    store: Annotated[
        str | None,
        typer.Option(
            "--store", metavar="URL", help="Bind the folder of the artifacts to this database."
        ),
    ] = None,
    rebind: Annotated[
        bool,
        typer.Option(
            "--rebind", help="Bind it anew: after a restore, a failover, or a move of the store."
        ),
    ] = False,
    dsn: options.Dsn = None,
    timeout: options.Timeout = "30s",
    show_sql: options.ShowSql = False,
) -> None:
    """Create the reference queue, its roles and the journal; what is there already is left as it is."""
    if rebind and store is None:
        raise Usage("--rebind needs --store: name the store that is bound anew")
    from aps import install
    from aps import store as stores

    opened = None if store is None else stores.open(store)
    reach = Reach(dsn=dsn, show_sql=show_sql, timeout=timeout)
    with options.sessions("init", reach)() as database:
        steps = install.journal_only(database) if journal else install.queue(database)
        bound = opened and install.bind(database, opened, rebind=rebind)
    for step in steps:
        done = "created" if step.made else "there already"
        console.out(f"{step.what}, version {step.version}: {done}")
    if opened and bound:
        for told in opened.told:
            console.say(told)
        console.out(f"store {opened.url}, id {bound.store_id}: {bound.done}")
