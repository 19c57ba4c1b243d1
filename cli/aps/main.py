"""The command line: wiring only. What a command does lies in aps.commands."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from typing import Any

import typer

from aps import __version__, exits
from aps.commands import console, demo, matrix
from aps.commands.doctor import doctor
from aps.commands.drill import drill
from aps.commands.init import init
from aps.commands.inspect import inspect
from aps.commands.log import log
from aps.commands.reclaim import reclaim
from aps.commands.reconcile import reconcile
from aps.commands.undo import undo
from aps.errors import ApsError, DatabaseError, MatrixError, Usage
from aps.exits import Exit

_CODES = "\n".join(f"{code.value:>4}  {meaning}" for code, meaning in exits.MEANING.items())

# The root of the parser's own errors has no public name in every version of typer.
_Misuse: type[Exception] = typer.BadParameter.__mro__[1]
# How alike a suggestion is to what was typed, of 1.
_SLIP = 0.8

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
for command in (inspect, reclaim, reconcile, undo, log, doctor, init, drill):
    app.command()(command)
app.add_typer(demo.app)
app.add_typer(matrix.app)


def _version(asked: bool) -> None:
    if asked:
        console.out(f"aps {__version__}")
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
        _readable(sys.argv[1:])
        # Without its standalone mode the parser raises what it would print, and returns the exit code.
        sys.exit(app(prog_name="aps", standalone_mode=False))
    except _Misuse as error:
        _misused(error)
        sys.exit(Exit.USAGE)
    except ApsError as error:
        console.say(f"aps: {_sentence(error)}")
        sys.exit(error.exit_code)
    except SystemExit as end:
        # Whoever read the help has read enough (`| head`): to typer that is a failure.
        if isinstance(end.__context__, BrokenPipeError):
            sys.exit(Exit.CLEAR)
        raise


def _misused(error: Any) -> None:
    """The parser's own error in one sentence; a bare `aps` gets the help."""
    if len(sys.argv) == 1:
        error.show()
        return
    # Some of these errors do not know their command; it is the first word then.
    words = ["aps", *(word for word in sys.argv[1:2] if word.isalpha())]
    command = error.ctx.command_path if error.ctx else " ".join(words)
    told = _one_line(_of_parser(error))
    console.say(f"aps: {told[:1].lower()}{told[1:].rstrip('.')}; see `{command} --help`")


def _of_parser(error: Any) -> str:
    """Of the options that the parser would suggest only one that is a slip of the fingers away."""
    if not hasattr(error, "possibilities"):
        return str(error.format_message()).partition(". Did you mean ")[0]
    close = difflib.get_close_matches(
        error.option_name, error.possibilities or (), n=1, cutoff=_SLIP
    )
    return f"{error.message}{''.join(f' (did you mean {name}?)' for name in close)}"


def _readable(words: Sequence[str]) -> None:
    """Raises Usage for an argument that neither a database nor a report could hold."""
    for word in words:
        if not word.isascii() and word.encode(errors="replace").decode() != word:
            raise Usage(f"{word!a} is not text in the encoding of this terminal")


def _sentence(error: ApsError) -> str:
    """One line, but for the errors that hold several: the faults of a matrix, the last words of a server."""
    text = str(error)
    return text if isinstance(error, MatrixError | DatabaseError) else _one_line(text)


def _one_line(text: str) -> str:
    return text.replace("\n", r"\n")
