"""Rows of evidence for people: columns in the order of the query, without those told elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from aps.model import key
from aps.model.report import Evidence, Job
from aps.render.view import View

# One row of evidence with the values of its job's key.
Keyed = tuple[Sequence[str], Evidence]
# How a timestamp is told, given the present; None for a text that is none.
Timed = Callable[[str | None, datetime | None], str | None]

_TOLD_ELSEWHERE = frozenset({"refusal"})
_DIGEST = re.compile(r"[a-z0-9]+:[0-9a-f]{32,}")
_SHORT = len("sha256:") + 12
_KEY_NAMES = ("id", "key")


def keyed(job: Job, rows: Sequence[Evidence]) -> list[Keyed]:
    parts = key.parse(job.job, job.job.count("/") + 1) or ()
    first = {next(iter(row.values()), None) for row in rows}
    return [((job.job,) if first == {job.job} else parts, row) for row in rows]


def columns(rows: Sequence[Keyed]) -> list[str]:
    """The columns of these rows that are worth showing."""
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    return [name for name in names if name not in _TOLD_ELSEWHERE and not _repeats(name, rows)]


def _repeats(name: str, rows: Sequence[Keyed]) -> bool:
    """Whether it says only what stands beside it: the job's key, or `since` under its own name."""
    having = [(of_job, row) for of_job, row in rows if name in row]
    if name == "since":
        return all(row[name] in _others(row, name) for _, row in having)
    return all(
        (place := list(row).index(name)) < len(of_job)
        and row[name] == of_job[place]
        and (name.endswith(_KEY_NAMES) or _leads(of_job, row))
        for of_job, row in having
    )


def _leads(of_job: Sequence[str], row: Evidence) -> bool:
    """Whether the row begins with all of a composite key, whatever its columns are called."""
    return len(of_job) > 1 and list(row.values())[: len(of_job)] == list(of_job)


def _others(row: Evidence, name: str) -> list[str | None]:
    return [value for other, value in row.items() if other != name]


def title(column: str, view: View) -> str:
    return view.words(column.replace("_", " ")) or "?"


def value(row: Evidence, column: str, view: View, now: datetime | None, timed: Timed) -> str:
    """One value; `-` where the row has NULL or no such column. Of a digest its beginning: the data formats have all."""
    raw = row.get(column)
    if raw and _DIGEST.fullmatch(raw):
        return view.text(f"{raw[:_SHORT]}...")
    return timed(raw, now) or view.text(raw)


def parts(rows: Sequence[Keyed], view: View, now: datetime | None, timed: Timed) -> list[str]:
    """`worker w1`, `epoch 3`: one text a value, NULL left out."""
    shown = columns(rows)
    return [
        f"{title(column, view)} {value(row, column, view, now, timed)}"
        for _, row in rows
        for column in shown
        if row.get(column) is not None
    ]
