"""`aps matrix explain STATE`: one page of the runbook."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Annotated

import typer

from aps.commands import console, options
from aps.commands.matrix.show import runbook
from aps.commands.options import Reach
from aps.errors import Usage

if TYPE_CHECKING:
    from aps.model.runbook import Page, Runbook


def explain(
    state: Annotated[str, typer.Argument(metavar="STATE", help="A state of the matrix.")],
    pack: options.Pack = "aps",
    schema: options.Schema = None,
    parameters: options.Set = None,
    format: options.FormatOption = "table",
    quiet: options.Quiet = False,
) -> None:
    """Explain one state: what it means and does not, what shows it, what may be done, by whom. Needs no database."""
    reach = Reach(pack=pack, schema=schema, parameters=tuple(parameters or ()))
    book = runbook(reach)
    page = _page(book, state)
    from aps.render import runbook as render

    view = console.view(quiet=quiet, suffix=options.suffix(reach))
    console.out(render.explain(book, page, format, view))


def _page(book: Runbook, state: str) -> Page:
    """The page of the state, written with `_`, `-` or spaces. Raises Usage naming the known ones."""
    asked = state.strip().lower().replace(" ", "_").replace("-", "_")
    page = book.page(asked)
    if page:
        return page
    absent = next((one for one in book.absent if one.state == asked), None)
    if absent:
        raise Usage(f"{asked} is no state of {book.system}: {absent.why}")
    known = [page.state for page in book.states]
    close = difflib.get_close_matches(asked, known, n=1)
    hint = f" did you mean {close[0]}?" if close else ""
    raise Usage(f"no state {state!r} in {book.system};{hint} there are: {', '.join(known)}")
