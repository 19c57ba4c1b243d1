"""The engine's apply, each time without one of its steps, or without one column of its fence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

from aps import fence, hold, journal, run, statements, transfer
from aps.act import Act
from aps.batch import Attempt
from aps.change import Change
from aps.drill.explore.program import Program
from aps.drill.explore.programs import files, guarded, operators
from aps.drill.explore.scene import Scene
from aps.drill.mutants.mutation import Mutation, replaced
from aps.evidence import Judgement
from aps.hold import Held
from aps.model.matrix import Matrix
from aps.model.operation import Result
from aps.model.plan import Plan, PlannedJob
from aps.snapshot import Snapshot

Without = Callable[[Scene], AbstractContextManager[None]]


def steps() -> Iterator[Mutation]:
    """Each step of an apply left out."""
    yield _step("lock", _unlocked(), operators.STEP_BY_STEP)
    yield _step(
        "clock after the lock",
        _patched(Attempt, "locked", _by_an_old_clock),
        operators.STEP_BY_STEP,
        operators.ONE_OPERATOR,
        redundant="an older clock sees fewer leases over and fewer graces past: the apply then does less, never more; "
        "the new one keeps `changed` from being told of a job that may be acted upon",
    )
    yield _step("judgement under the lock", _patched(hold, "judge", _unjudged), operators.OLD_PLAN)
    of_any_state = partial(_of_any_state, fence.compare)
    yield _step("one state only", _patched(fence, "compare", of_any_state), guarded.TWO_STATES)
    not_refused = partial(_not_refused, fence.compare)
    yield _step("refusal", _patched(fence, "compare", not_refused), guarded.REFUSED)
    yield _step("whole fence", _patched(fence, "_moved", lambda *_: []), operators.OLD_PLAN)
    yield _step("jobs that were given", _patched(Act, "_only_given", _nothing), guarded.GREEDY)
    yield _step("counter of the table", _patched(Act, "_held_to", _nothing), guarded.MEDDLED)
    yield _step("constraints at once", _undeferred(), guarded.MEDDLED_LATE)
    yield _step("abort", _patched(Change, "_abort", _nothing), guarded.SPARING)
    yield _step("journal", _patched(journal, "write", lambda *_: "0"), operators.ONE_OPERATOR)
    yield _step("what was tried", _patched(journal, "tried", lambda *_: {}), operators.ONE_PLAN)
    yield _step("verify", _patched(run, "_after", _nothing), guarded.UNRECORDED)
    unasked = _patched(transfer.Into, "asked", lambda *_: {})
    yield Mutation("move", "question after the move", (files.NEEDED_AGAIN,), unasked)
    unopened = _patched(journal, "write_files", _unwritten)
    yield Mutation("move", "intent and outcome", (files.NEEDED_AGAIN,), unopened)


def _step(removed: str, without: Without, *programs: Program, redundant: str = "") -> Mutation:
    return Mutation("apply", removed, programs, without, redundant)


def _patched(owner: Any, name: str, value: Any) -> Without:
    return lambda _scene: replaced(owner, name, value)


def _nothing(*_: object) -> None:
    """In place of a check."""


def _unlocked() -> Without:
    rows = statements.rows
    return _patched(statements, "rows", lambda table, types, **_: rows(table, types, lock=False))


def _undeferred() -> Without:
    read = statements.read
    empty = ""
    return _patched(statements, "read", lambda name: empty if name == "constraints" else read(name))


def _by_an_old_clock(attempt: Attempt, jobs: Sequence[PlannedJob]) -> tuple[Snapshot, Held]:
    snapshot = attempt.begin()
    held = hold.take(snapshot, attempt.plan, jobs)
    attempt.pause("locked")
    return snapshot, held


def _unjudged(
    _snapshot: Snapshot, _plan: Plan, jobs: Sequence[PlannedJob]
) -> tuple[list[PlannedJob], dict[Any, Result]]:
    return list(jobs), {}


Compare = Callable[[Matrix, str, PlannedJob, Judgement], Result | None]


def _of_any_state(
    compare: Compare, matrix: Matrix, planned: str, job: PlannedJob, now: Judgement
) -> Result | None:
    """As if no other state claimed the job."""
    alone = replace(now, lifecycle=(planned,)) if planned in now.lifecycle else now
    return compare(matrix, planned, job, alone)


def _not_refused(
    compare: Compare, matrix: Matrix, planned: str, job: PlannedJob, now: Judgement
) -> Result | None:
    rows = {
        name: tuple({**row, "refusal": None} for row in found) for name, found in now.rows.items()
    }
    return compare(matrix, planned, job, replace(now, rows=rows))


def _unwritten(*_: object, **__: object) -> str:
    return "0"
