"""`aps matrix render`: the runbook to print, to read on a phone, or to put beside the code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from aps.commands import console, options
from aps.commands.matrix.show import runbook
from aps.commands.options import Reach
from aps.errors import Usage

if TYPE_CHECKING:
    from aps.model.runbook import Runbook
    from aps.render.runbook import Book

# As aps.render.runbook.BOOKS, which the help must not load.
_BOOKS = ("markdown", "html", "mermaid")


def _book(given: str) -> str:
    if given not in _BOOKS:
        raise Usage(f"--format {given}: write one of {', '.join(_BOOKS)}")
    return given


def render(
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(_BOOKS),
            parser=_book,
            help="A page for a browser, a document, or the picture alone.",
        ),
    ] = "markdown",
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Write to a new file, not to stdout."),
    ] = None,
    pack: options.Pack = "aps",
    schema: options.Schema = None,
    parameters: options.Set = None,
) -> None:
    """Write the runbook: a picture of the states and what leads where, then a page a state. Needs no database."""
    reach = Reach(pack=pack, schema=schema, parameters=tuple(parameters or ()))
    book = runbook(reach)
    text = _rendered(book, format)
    if output is None:
        console.out(text)
        return
    _write(output, f"{text}\n")
    console.say(f"runbook saved: {output}")


def _rendered(book: Runbook, format: str) -> str:
    from aps.render import runbook as render

    return render.book(book, cast("Book", format))


def _write(file: Path, text: str) -> None:
    """A new file; one that is there is never overwritten. Raises Usage."""
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError as error:
        raise Usage(f"--output {file}: there is a file already; name a new one") from error
    except OSError as error:
        raise Usage(f"--output {file}: {(error.strerror or '').lower()}") from error
