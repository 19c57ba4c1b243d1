"""The command line: wiring only. What a command does lies in aps.commands."""

from __future__ import annotations

import sys

import typer

from aps import __version__, exits
from aps.commands.init import init
from aps.commands.inspect import inspect
from aps.commands.log import log
from aps.commands.reclaim import reclaim
from aps.errors import ApsError

_CODES = "\n".join(f"{code.value:>4}  {meaning}" for code, meaning in exits.MEANING.items())

app = typer.Typer(
    name="aps",
    help="Failure triage for job queues in PostgreSQL: what is wrong, what may be done, by whom.",
    epilog=f"Exit codes:\n\n\b\n{_CODES}",
    no_args_is_help=True,
    add_completion=False,
    # Both cost more start-up than a whole look at the database.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for command in (inspect, reclaim, log, init):
    app.command()(command)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"aps {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


def main() -> None:
    """The process: errors that a person can act on are one sentence on stderr; a bug keeps its traceback."""
    try:
        app()
    except ApsError as error:
        print(f"aps: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
