"""`aps undo`: put back what an operation did, where it is still as that left it."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from aps.commands import applying, choices, options, stores
from aps.commands.options import Reach
from aps.commands.request import Request
from aps.errors import Usage


def undo(
    operation: Annotated[
        str, typer.Argument(metavar="OPERATION", help="An operation's id, or how it starts.")
    ],
    yes: choices.Yes = False,
    reason: choices.Reason = None,
    ticket: choices.Ticket = None,
    retries: choices.Retries = 0,
    batch: choices.Batch = 100,
    store: stores.StoreOption = None,
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
    """Put back what an operation did, where it is still as that left it. Previews unless --yes.

    A publication is un-withdrawn only where its file is right again; a file leaves quarantine bit for bit as it was.
    """
    if not re.fullmatch(r"[0-9a-fA-F-]{4,36}", operation):
        raise Usage(f"{operation!r} is no operation id: at least four of its hexadecimal digits")
    from aps.planning import Selection

    applying.run(
        Request(
            command="undo",
            reach=Reach(dsn, pack, schema, tuple(parameters or ()), demo, show_sql, timeout),
            selection=Selection(),
            operation=operation,
            plan=None,
            plan_out=None,
            yes=yes,
            reason=reason,
            ticket=ticket,
            attested=(),
            retries=retries,
            batch_size=batch,
            format=format,
            quiet=quiet,
            store=store,
        )
    )
