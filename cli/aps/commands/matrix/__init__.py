"""`aps matrix`: read a matrix, without a database but for `check`."""

from __future__ import annotations

import typer

from aps.commands.matrix.check import check
from aps.commands.matrix.explain import explain
from aps.commands.matrix.list import known
from aps.commands.matrix.new import new
from aps.commands.matrix.render import render
from aps.commands.matrix.schema import schema
from aps.commands.matrix.show import show

app = typer.Typer(
    name="matrix",
    help="Read a matrix: on one screen, one page a state, or the runbook to print.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
for command in (check, show, explain, render, schema, new):
    app.command()(command)
app.command("list")(known)
