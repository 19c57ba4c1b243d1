"""Standard output, standard error and the process: what a command prints and how it ends.

Either stream may be closed, full, narrow in its encoding, or a pipe that nobody reads: none of these is a bug.
"""

from __future__ import annotations

import codecs
import os
import shutil
import sys
from typing import TYPE_CHECKING, NoReturn, TextIO

import typer

from aps.errors import ApsError
from aps.exits import Exit

if TYPE_CHECKING:
    from aps.render import View


def out(text: str) -> None:
    """Data, on stdout, ending in one newline. Raises ApsError where it cannot be written."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.write(_encodable(text if text.endswith("\n") else text + "\n", sys.stdout))
        sys.stdout.flush()
    except BrokenPipeError:
        # `| head` has read enough: that is no error, and must not become the code of one.
        _discard(sys.stdout)
    except OSError as error:
        _discard(sys.stdout)
        raise ApsError(f"stdout cannot be written: {(error.strerror or '').lower()}") from error


def say(text: str) -> None:
    """Everything else, on stderr; nothing in it can control the terminal."""
    _tell("\n".join(_visible(line) for line in text.split("\n")) + "\n")


def _tell(text: str) -> None:
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


def _visible(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    from aps.render import visible

    return visible.text(text)


def _discard(stream: TextIO) -> None:
    """What is still in the buffer would fail again at the end of the process, with a code of its own."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _encodable(text: str, stream: TextIO) -> str:
    """What the stream's encoding does not have becomes `\\uXXXX`, which JSON reads back as the same."""
    encoding = stream.encoding or "ascii"
    if text.isascii() or encoding.lower().startswith("utf"):
        return text
    return text.encode(encoding, _ESCAPE).decode(encoding)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[n : n + 4]}" for n in range(0, len(units), 4)), error.end


_ESCAPE = "aps.escaped"
codecs.register_error(_ESCAPE, _escaped)


def leave(code: int) -> NoReturn:
    raise typer.Exit(int(code))


def width() -> int:
    """Columns of the terminal, at least 60; 100 where there is none."""
    return max(60, shutil.get_terminal_size((100, 24)).columns)


def colour() -> bool:
    """A terminal, and nobody asked for none."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def interactive() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def view(*, quiet: bool, listing: str | None = None, suffix: str = "", place: str = "") -> View:
    """How this terminal shows things."""
    from aps.render import View

    encoding = (sys.stdout.encoding if sys.stdout is not None else None) or ""
    return View(width(), colour(), "utf" in encoding.lower(), quiet, listing, suffix, place)


def confirm(question: str, answer: str) -> bool:
    """Ask on stderr; only the whole word counts."""
    try:
        _tell(_visible(question))
        return sys.stdin.readline().strip() == answer
    except UnicodeDecodeError:
        return False
    except KeyboardInterrupt:
        # The terminal has shown ^C behind the question: this begins a line.
        _tell("\n")
        say("interrupted: nothing was changed")
        leave(Exit.INTERRUPTED)
