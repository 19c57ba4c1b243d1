"""What an apply did: one outcome a job. Zero is never told as a success."""

from __future__ import annotations

from collections.abc import Mapping

from aps.model.operation import OUTCOMES, Operation, Result
from aps.render import grid, prose
from aps.render.grid import Column, Row
from aps.render.prose import labelled
from aps.render.view import Mark, View

_LABEL = 14
_MARKS: Mapping[str, Mark] = {"failed": "!!", "unknown": "?"}


def text(operation: Operation, view: View, typed: Mapping[str, str]) -> str:
    """`typed` has the command lines to go on with, by what they are for."""
    blocks = [
        [_head(operation, view)],
        [_rows(operation, view)],
        _ended(operation, view),
        [_typed(f"{name}:", command, view) for name, command in typed.items()],
    ]
    return prose.paragraphs(blocks)


def counts(operation: Operation) -> str:
    """`3 planned: 1 applied, 2 locked`; where nothing was applied it says so."""
    told = [
        f"{number} {name}" for name in _names(operation) if (number := operation.counts.get(name))
    ]
    if not operation.counts.get("applied"):
        told.insert(0, "none applied")
    return f"{len(operation.rows)} planned: {', '.join(told)}"


def _names(operation: Operation) -> list[str]:
    return list(dict.fromkeys([*OUTCOMES, *operation.counts]))


def _head(operation: Operation, view: View) -> str:
    parts = [
        f"operation {view.words(operation.operation[:8])}",
        view.words(operation.command),
        view.words(counts(operation)),
    ]
    return prose.line(parts, view, "  ")


def _rows(operation: Operation, view: View) -> str:
    if not operation.rows:
        return ""
    rows = operation.rows
    if len(rows) > grid.SHOWN:
        rows = tuple(sorted(rows, key=lambda row: row.outcome == "applied"))
    items = any(row.item for row in rows)
    columns = [
        Column("JOB", whole=True),
        *([Column("FILE")] if items else []),
        Column("OUTCOME", whole=True),
        Column("DETAIL"),
    ]
    table = grid.text(columns, [_row(row, view, items) for row in rows[: grid.SHOWN]], view)
    left = rows[grid.SHOWN :]
    if not left:
        return table
    alike = {row.outcome for row in left}
    kind = f" {view.words(left[0].outcome)}" if len(alike) == 1 else ""
    return f"{table}\nand {len(left)} more{kind}; --format json has all {len(rows)}"


def _row(row: Result, view: View, items: bool) -> Row:
    file = [view.text(row.item or None)] if items else []
    cells = (view.text(row.job), *file, view.words(row.outcome), view.words(row.detail))
    return Row(cells, _MARKS.get(row.outcome, ""))


def _ended(operation: Operation, view: View) -> list[str]:
    """How it ended, where that was not as planned."""
    stopped = "by a signal; the outcomes above hold"
    return [
        labelled("rolled back:", view.words(operation.rolled_back or ""), view, _LABEL),
        *(
            labelled("not verified:", view.words(said), view, _LABEL)
            for said in operation.not_verified
        ),
        labelled("interrupted:", stopped if operation.interrupted else "", view, _LABEL),
    ]


def _typed(label: str, command: str, view: View) -> str:
    return labelled(label, prose.whole(view.words(command)), view, 7)
