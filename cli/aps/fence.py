"""The fence: is this job still what the plan saw? NULL equals NULL, values compare as the server's text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aps import permission
from aps.evidence import Judgement
from aps.model.matrix import Matrix, State
from aps.model.operation import Result
from aps.model.plan import PlannedJob
from aps.model.report import Evidence

# Told of the moment, never part of what is held to.
_NEVER_FENCED = ("locked", "refusal")


def compare(matrix: Matrix, planned: str, job: PlannedJob, now: Judgement) -> Result | None:
    """None where the job may be acted upon: still in the planned state, same evidence, no refusal. Else its outcome.

    Of a lifecycle state it must be in that one only; an overlay must lie on a job that is in one state.
    """
    state = matrix.state(planned)
    if matrix.state(now.state) is None:
        # In doubt: nobody's, two states' or unreadable. It has not moved on, it may not be acted upon.
        return Result(job.job, "refused", f"{now.state} now: {permission.refusal(now, None)}")
    if state is None or (state.kind == "lifecycle" and now.state != planned):
        return Result(job.job, "changed", _elsewhere(matrix, now))
    rows = [
        row for row in now.rows.get(planned, ()) if row.get("item") == (job.item or row.get("item"))
    ]
    if not rows:
        return Result(job.job, "changed", f"no longer {state.title}; {_elsewhere(matrix, now)}")
    moved = _moved(state, job.evidence, rows)
    if moved:
        return Result(
            job.job, "changed", f"{'; '.join(moved)}: still {state.title}, but not as planned"
        )
    refusal = next((row["refusal"] for row in rows if row.get("refusal")), None)
    return Result(job.job, "refused", refusal) if refusal else None


def applied(job: PlannedJob, before: Evidence, after: Evidence | None, effect: str) -> Result:
    """The outcome of a job that was changed: the columns that differ; `after` is None where the row is gone.

    What of the evidence took a new value is told with the effect.
    """
    if after is None:
        return Result(job.job, "applied", f"{effect} (the row is gone)", before, None)
    names = [name for name in after if after[name] != before.get(name)]
    told = [
        f"{name} {_spoken(before.get(name))} -> {after[name]}"
        for name in names
        if after[name] is not None and any(name in row for row in job.evidence)
    ]
    return Result(
        job.job,
        "applied",
        f"{effect} ({', '.join(told)})" if told else effect,
        before={name: before.get(name) for name in names},
        after={name: after[name] for name in names},
    )


def _moved(state: State, seen: Sequence[Evidence], now: Sequence[Evidence]) -> list[str]:
    """What differs, in words; columns of `reading` may move."""
    free = {*state.reading, *_NEVER_FENCED}
    if _held(seen, free) == _held(now, free):
        return []
    if len(seen) != 1 or len(now) != 1:
        return [f"{len(seen)} rows of evidence, now {len(now)}, or others"]
    names = [name for name in {**seen[0], **now[0]} if name not in free]
    return [
        f"{name} {_spoken(seen[0].get(name))} -> {_spoken(now[0].get(name))}"
        for name in names
        if seen[0].get(name) != now[0].get(name)
    ]


def _held(rows: Iterable[Evidence], free: set[str]) -> list[list[tuple[str, bool, str]]]:
    return sorted(
        sorted(
            (name, value is None, value or "") for name, value in row.items() if name not in free
        )
        for row in rows
    )


def _elsewhere(matrix: Matrix, now: Judgement) -> str:
    """The state that the job is in now, with its evidence."""
    shown = [
        f"{name} {value}"
        for name, value in now.rows[now.state][0].items()
        if value is not None and name not in (*matrix.key, *_NEVER_FENCED)
    ]
    state = matrix.state(now.state)
    return f"{state.title if state else now.state} now: {', '.join(shown)}"


def _spoken(value: str | None) -> str:
    return "nothing" if value is None else value
