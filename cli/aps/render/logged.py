"""The journal for people: which operations there were, and what one changed, from what to what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aps.model.report import Evidence
from aps.render import age, grid, logs, prose
from aps.render.grid import Column, Row
from aps.render.prose import labelled
from aps.render.view import View

_EMPTY = "there are no operations in this journal"
_NOTHING = "nothing of this operation stands in this journal"


def log(rows: Sequence[Evidence], view: View) -> str:
    if not rows:
        return _EMPTY
    columns = [
        Column("OPERATION", whole=True),
        Column("AT", whole=True),
        Column("COMMAND"),
        Column("STATE"),
        Column("APPLIED", whole=True),
        Column("BY"),
        Column("REASON"),
    ]
    return grid.text(columns, [_operation(row, view) for row in rows], view)


def _operation(row: Evidence, view: View) -> Row:
    return Row(
        (
            view.text((row.get("operation") or "")[:8]),
            _at(row, view),
            view.text(row.get("command")),
            view.text(_spaced(row.get("state"))),
            _applied(row, view),
            _by(row, view),
            view.text(row.get("reason")),
        )
    )


def _spaced(state: str | None) -> str | None:
    return state and state.replace("_", " ")


def _at(row: Evidence, view: View) -> str:
    return age.moment(row.get("at"), None) or view.text(row.get("at"))


def _applied(row: Evidence, view: View) -> str:
    applied, planned = (row.get(name) for name in ("applied", "planned"))
    told = f"{view.words(applied or 'unknown')} of {view.words(planned or 'unknown')}"
    left = row.get("open") or "0"
    return told if left == "0" else f"{told}, {view.words(left)} unknown"


def _by(row: Evidence, view: View) -> str:
    """The database role, and who asked as the client told it."""
    user, host = row.get("client_user"), row.get("client_host")
    client = "@".join(part for part in (user, host) if part)
    role = view.text(row.get("role"))
    return f"{role} ({view.words(client)})" if client else role


def operation(
    batches: Sequence[Evidence], entries: Sequence[Evidence], notes: Sequence[str], view: View
) -> str:
    told = [labelled("note:", view.words(note), view, 9) for note in notes]
    if not batches:
        return prose.paragraphs([[_NOTHING], [_entries(entries, view)], told])
    return prose.paragraphs(
        [
            [_head(batches[0], view), *_signed(batches[0], view)],
            [_batches(batches, view)],
            [_entries(entries, view)],
            told,
        ]
    )


def _head(first: Evidence, view: View) -> str:
    parts = [
        f"operation {view.text(first.get('operation'))}",
        view.text(first.get("command")),
        view.text(_spaced(first.get("state"))),
        f"by {_by(first, view)}",
    ]
    return prose.line(parts, view, "  ")


def _signed(first: Evidence, view: View) -> list[str]:
    fields = ("reason", "ticket", "attested")
    return [labelled(f"{name}:", view.words(first.get(name) or ""), view, 10) for name in fields]


def _batches(batches: Sequence[Evidence], view: View) -> str:
    columns = [
        Column("BATCH"),
        Column("AT", whole=True),
        Column("TRANSACTION"),
        Column("APPLIED", whole=True),
    ]
    rows = [
        Row(
            (
                view.text(row.get("batch")),
                _at(row, view),
                view.text(row.get("transaction_id")),
                _applied(row, view),
            )
        )
        for row in batches
    ]
    return grid.text(columns, rows, view)


def _entries(entries: Sequence[Evidence], view: View) -> str:
    if not entries:
        return "no job was changed"
    itemised = any(row.get("item") for row in entries)
    columns = [
        Column("JOB", whole=True),
        *([Column("ITEM")] if itemised else []),
        Column("OUTCOME"),
        Column("DETAIL"),
        Column("CHANGED"),
    ]
    rows = []
    for row in entries[: grid.SHOWN]:
        item = [view.text(row.get("item"))] if itemised else []
        cells = [view.text(row.get(name)) for name in ("outcome", "detail")]
        rows.append(Row((view.text(row.get("job")), *item, *cells, _changed(row, view))))
    left = len(entries) - grid.SHOWN
    more = f"\nand {left} more; --format json has all {len(entries)}" if left > 0 else ""
    return grid.text(columns, rows, view) + more


def _changed(row: Evidence, view: View) -> str:
    """`state running -> ready, epoch 3 -> 4`; `-` where the journal has no columns."""
    before = logs.columns(row.get("before")) or {}
    after = logs.columns(row.get("after")) or {}
    names = dict.fromkeys([*before, *after])
    return ", ".join(_change(name, before, after, view) for name in names) or "-"


def _change(
    name: str, before: Mapping[str, str | None], after: Mapping[str, str | None], view: View
) -> str:
    old, new = (view.text(side.get(name)) for side in (before, after))
    return f"{view.words(name)} {old} -> {new}"
