"""Standard output, standard error and the process: what a command prints and how it ends."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, NoReturn

import typer

from aps.exits import Exit

if TYPE_CHECKING:
    from aps.render import View


def out(text: str) -> None:
    """Data, on stdout, ending in one newline."""
    try:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # `| head` has read enough: that is no error, and must not become the code of one.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(text: str) -> None:
    """Everything else, on stderr."""
    print(text, file=sys.stderr, flush=True)


def leave(code: int) -> NoReturn:
    raise typer.Exit(int(code))


def width() -> int:
    """Columns of the terminal, at least 60; 100 where there is none."""
    return max(60, shutil.get_terminal_size((100, 24)).columns)


def colour() -> bool:
    """A terminal, and nobody asked for none."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def interactive() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def view(*, quiet: bool, listing: str | None = None, suffix: str = "") -> View:
    """How this terminal shows things."""
    from aps.render import View

    plain = "utf" not in (sys.stdout.encoding or "").lower()
    return View(width(), colour(), not plain, quiet, listing, suffix)


def confirm(question: str, answer: str) -> bool:
    """Ask on stderr; only the whole word counts."""
    sys.stderr.write(question)
    sys.stderr.flush()
    try:
        return sys.stdin.readline().strip() == answer
    except KeyboardInterrupt:
        say("")
        leave(Exit.INTERRUPTED)
