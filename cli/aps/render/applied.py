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


def text(operation: Operation, view: View, rest: str | None, log: str | None) -> str:
    """`rest` is the command for what was not applied, `log` the one that shows it all later."""
    blocks = [
        [_head(operation, view)],
        [_rows(operation, view)],
        _ended(operation, view),
        [_typed("rest:", rest, view), _typed("log:", log, view)],
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
    columns = [Column("JOB", whole=True), Column("OUTCOME", whole=True), Column("DETAIL")]
    table = grid.text(columns, [_row(row, view) for row in rows[: grid.SHOWN]], view)
    left = rows[grid.SHOWN :]
    if not left:
        return table
    alike = {row.outcome for row in left}
    kind = f" {view.words(left[0].outcome)}" if len(alike) == 1 else ""
    return f"{table}\nand {len(left)} more{kind}; --format json has all {len(rows)}"


def _row(row: Result, view: View) -> Row:
    return Row(
        (view.text(row.job), view.words(row.outcome), view.words(row.detail)),
        _MARKS.get(row.outcome, ""),
    )


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


def _typed(label: str, command: str | None, view: View) -> str:
    return labelled(label, prose.whole(view.words(command or "")), view, 7)
