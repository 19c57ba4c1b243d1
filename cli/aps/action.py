"""Apply a plan: the plan or less, never more; in batches of one transaction each (DESIGN sections 6 and 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from aps import (
    change,
    exits,
    gathering,
    permission,
    planning,
    quarantine,
    standing,
    undo,
    unfinished,
)
from aps import run as running
from aps import snapshot as snapshots
from aps.database import Database
from aps.errors import Refused
from aps.exits import Exit
from aps.model.operation import FORMAT_VERSION, OUTCOMES, Operation, Outcome, Result
from aps.model.plan import PlannedJob
from aps.run import Run
from aps.snapshot import Snapshot

# One batch of a plan, each of its jobs to an outcome.
_Work = Callable[[Run, Snapshot, Sequence[PlannedJob]], None]


def apply(run: Run, *, retries: int = 0, rest: Callable[[], None] = lambda: None) -> Operation:
    """Do the plan. Locked jobs are tried `retries` times more, with a `rest` before each; it never waits for a lock.

    Raises PlanError, Refused, StoreError before anything was tried; what happens after is told in the Operation.
    """
    for refused in run.plan.refused:
        state = run.matrix.state(refused.state)
        title = state.title if state else refused.state
        result = Result(refused.job, "refused", f"{title}: {refused.reason}")
        run.results[result.id] = result
    try:
        snapshot = _begun(run)
        if _moves_files(run):
            run.plan = replace(run.plan, jobs=tuple(quarantine.units(run.plan.jobs)))
        _rounds(run, snapshot, retries, rest)
    except KeyboardInterrupt:
        run.interrupted = True
    run.leave(run.untold(run.plan.jobs), "refused", "not applied: interrupted before its commit")
    return _told(run)


def settle(run: Run) -> Operation:
    """Bring an operation on files to its end that was interrupted: by what lies at both names of each.

    Raises Refused, StoreError. Of two runs at once each file is settled by one.
    """
    try:
        unfinished.settle(run, _begun(run))
    except KeyboardInterrupt:
        run.interrupted = True
    return _told(run)


def _moves_files(run: Run) -> bool:
    return run.state.artifacts == "listed"


def _work(run: Run) -> _Work:
    if _moves_files(run):
        return quarantine.restore if run.undoes else quarantine.batch
    make = undo.change if run.undoes else change.change
    return partial(running.batch, make=make)


def _rounds(run: Run, snapshot: Snapshot, retries: int, rest: Callable[[], None]) -> None:
    work = _work(run)
    waiting: Sequence[PlannedJob] = run.plan.jobs
    for round_number in range(retries + 1):
        if round_number:
            rest()
        for start in range(0, len(waiting), run.batch_size):
            work(run, snapshot, waiting[start : start + run.batch_size])
        waiting = [job for job in waiting if run.results[job.id].outcome == "locked"]
        if run.stopped or not waiting:
            break


def _begun(run: Run) -> Snapshot:
    """Everything that must hold before the first lock is taken, and the first file is read."""
    with run.connect() as database:
        with database.look():
            snapshot = _checked(run, database)
        if run.sight:
            gathering.trust(run.sight, snapshot)
        elif run.state.artifacts and run.plan.jobs:
            raise Refused(f"{run.plan.state} depends on files: name their store with --store URL")
    return snapshot


def _checked(run: Run, database: Database) -> Snapshot:
    server = database.probe()
    snapshot = snapshots.take(database, run.matrix, server)
    planning.check(run.plan, run.matrix, server, snapshot.clock)
    permission.suits(snapshot)
    if run.plan.attest and run.plan.attest not in run.authority.attested:
        raise Refused(permission.attest(run.plan))
    permission.seen_twice(run.plan, snapshot.clock)
    standing.check(database, server.role)
    return snapshot


def _told(run: Run) -> Operation:
    order = {outcome: place for place, outcome in enumerate(OUTCOMES)}
    rows = sorted(run.results.values(), key=lambda result: order[result.outcome])
    counts = Counter(result.outcome for result in rows)
    return Operation(
        format_version=FORMAT_VERSION,
        operation=run.plan.operation,
        command=run.plan.command,
        state=run.plan.state,
        transactions=tuple(run.transactions),
        rows=tuple(rows),
        counts={outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]},
        rolled_back=run.rolled_back,
        not_verified=tuple(run.not_verified),
        interrupted=run.interrupted,
        exit_code=exit_code(counts, run),
    )


_CODE: Mapping[Outcome, Exit] = {
    "applied": Exit.CLEAR,
    "already": Exit.CLEAR,
    "changed": Exit.NOTHING_APPLIED,
    "locked": Exit.LOCKED,
    "blocked": Exit.NOTHING_APPLIED,
    "refused": Exit.REFUSED,
    "gone": Exit.NOTHING_APPLIED,
    "failed": Exit.ROW_FAILED,
    "unknown": Exit.UNKNOWN,
}


def exit_code(counts: Mapping[Outcome, int], run: Run) -> int:
    """The worst of what was met, by the rank of DESIGN section 10; an interrupt tells itself unless it left doubt."""
    met = [_CODE[outcome] for outcome, count in counts.items() if count]
    if counts.get("applied") and any(code is not Exit.CLEAR for code in met):
        met.append(Exit.IN_PART)
    if run.rolled_back:
        met.append(Exit.ROLLED_BACK)
    if run.not_verified:
        met.append(Exit.NOT_VERIFIED)
    worst = exits.of_operation(met)
    return Exit.INTERRUPTED if run.interrupted and worst is not Exit.UNKNOWN else worst
