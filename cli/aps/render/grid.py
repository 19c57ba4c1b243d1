"""Tables that fit: whole where there is room, then with cells wrapped, else one record a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aps.render import prose
from aps.render.view import Mark, View

# More rows are counted, not shown: a person reads the first, a program takes another format.
SHOWN = 50

_GAP = 2
_MARK = 2
# A column of text is not made narrower than this.
_READABLE = 12


@dataclass(frozen=True, slots=True)
class Column:
    """A `whole` column is never wrapped: it holds something to paste.

    Where rows become records, a column that is not `named` stands there without its title.
    """

    title: str
    right: bool = False
    whole: bool = False
    named: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """Cells fit for a terminal already."""

    cells: tuple[str, ...]
    mark: Mark = ""


def text(columns: Sequence[Column], rows: Sequence[Row], view: View) -> str:
    """The table, without an empty end to any line."""
    marked = any(row.mark for row in rows)
    room = view.columns - (_MARK + _GAP if marked else 0)
    widths = _fit(columns, rows, room)
    if widths is None:
        return _records(columns, rows, view, marked)
    lines = [[column.title for column in columns], *(row.cells for row in rows)]
    body = [
        [_wrap(cell, width) for cell, width in zip(line, widths, strict=True)] for line in lines
    ]
    if marked:
        marks = [" " * _MARK, *(_mark(row, view) for row in rows)]
        body = [[prose.whole(mark), *line] for mark, line in zip(marks, body, strict=True)]
    sides = ["left", *_sides(columns)] if marked else _sides(columns)
    return _tabulate(body, sides)


def _tabulate(body: Sequence[Sequence[str]], sides: Sequence[str]) -> str:
    from tabulate import tabulate

    # The titles are a row like the others: tabulate would pad a header by two more columns.
    table = tabulate(body, tablefmt="plain", disable_numparse=True, colalign=tuple(sides))
    return "\n".join(line.replace(prose.GLUE, " ").rstrip() for line in table.split("\n"))


def _sides(columns: Sequence[Column]) -> list[str]:
    return ["right" if column.right else "left" for column in columns]


def _mark(row: Row, view: View) -> str:
    return view.paint(row.mark.ljust(_MARK), row.mark)


def _fit(columns: Sequence[Column], rows: Sequence[Row], room: int) -> list[int] | None:
    """The widths of the columns, wide titles narrowed first; None where they do not fit at all."""
    cells = [[column.title, *(row.cells[n] for row in rows)] for n, column in enumerate(columns)]
    widths = [max(map(len, column)) for column in cells]
    filled = [max(map(len, column[1:]), default=0) for column in cells]
    least = [_least(column, texts) for column, texts in zip(columns, cells, strict=True)]
    while sum(widths) + _GAP * (len(widths) - 1) > room:
        slack = [n for n, width in enumerate(widths) if width > least[n]]
        if not slack:
            return None
        widths[max(slack, key=lambda n: (widths[n] > filled[n], widths[n]))] -= 1
    return widths


def _least(column: Column, texts: Sequence[str]) -> int:
    title, *cells = texts
    widest = max((len(word) for word in title.split(" ")), default=0)
    for cell in cells:
        words = max((len(word) for word in cell.split(" ")), default=0)
        widest = max(widest, len(cell) if column.whole else max(words, min(len(cell), _READABLE)))
    return widest


def _wrap(cell: str, width: int) -> str:
    return cell if len(cell) <= width else "\n".join(prose.wrapped(cell, width))


def _records(columns: Sequence[Column], rows: Sequence[Row], view: View, marked: bool) -> str:
    indent = " " * (_MARK + 1) if marked else ""
    told = []
    for row in rows:
        parts = [
            f"{column.title.lower() if column.named else ''} {cell}".strip()
            for column, cell in zip(columns, row.cells, strict=True)
        ]
        record = prose.line(parts, view, indent or "  ", first=indent)
        told.append(f"{_mark(row, view)}{record[_MARK:]}" if marked else record)
    return "\n".join(told)
