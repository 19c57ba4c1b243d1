"""A runbook in, text out: one module a format. `show` is the overview, `explain` one page, `book` what is printed."""

from __future__ import annotations

from importlib import import_module
from typing import Literal, Protocol, cast, get_args

from aps.model.runbook import Page, Runbook
from aps.render import Format
from aps.render.view import View

__all__ = ["BOOKS", "Book", "book", "explain", "show"]

Book = Literal["markdown", "html", "mermaid"]
BOOKS: tuple[Book, ...] = get_args(Book)


class _Shows(Protocol):
    def show(self, runbook: Runbook, view: View) -> str: ...

    def explain(self, runbook: Runbook, page: Page, view: View) -> str: ...


class _Binds(Protocol):
    def book(self, runbook: Runbook) -> str: ...


def show(runbook: Runbook, format: Format, view: View) -> str:
    """The whole matrix on one screen."""
    return cast(_Shows, _format(format)).show(runbook, view)


def explain(runbook: Runbook, page: Page, format: Format, view: View) -> str:
    """All that the matrix says of one state, with the SQL that shows it."""
    return cast(_Shows, _format(format)).explain(runbook, page, view)


def book(runbook: Runbook, format: Book) -> str:
    """The picture of the states, then a page a state."""
    return cast(_Binds, _format(format)).book(runbook)


def _format(format: str) -> object:
    return import_module(f"{__name__}.{format}")
