"""Apply a plan: the plan or less, never more; in batches of one transaction each (DESIGN sections 6 and 7)."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from aps import exits, planning, settlement, standing
from aps import snapshot as snapshots
from aps.act import VICTIM
from aps.batch import Attempt, Batch, RolledBack
from aps.database import ConnectionLost, Database, QueryError
from aps.errors import DatabaseError, Refused
from aps.exits import Exit
from aps.model.matrix import Matrix
from aps.model.operation import FORMAT_VERSION, OUTCOMES, Authority, Operation, Outcome, Result
from aps.model.plan import Plan, PlannedJob
from aps.snapshot import Snapshot

BATCH_SIZE = 1000
_TRIES = 3


def nothing(step: str) -> None:
    """The pause between named steps that a drill may put its own in place of."""


@dataclass
class Run:
    """One operation while it runs. `connect` opens a session to the same database each time."""

    plan: Plan
    matrix: Matrix
    authority: Authority
    connect: Callable[[], Database]
    pause: Callable[[str], None] = nothing
    batch_size: int = BATCH_SIZE
    patience: float = settlement.PATIENCE_SECONDS
    results: dict[str, Result] = field(default_factory=dict)
    transactions: list[str] = field(default_factory=list)
    rolled_back: str | None = None
    not_verified: list[str] = field(default_factory=list)
    interrupted: bool = False

    @property
    def stopped(self) -> bool:
        return bool(self.rolled_back or self.not_verified or self.interrupted) or any(
            result.outcome == "unknown" for result in self.results.values()
        )


def apply(run: Run, *, retries: int = 0, rest: Callable[[], None] = lambda: None) -> Operation:
    """Do the plan. Locked jobs are tried `retries` times more, with a `rest` before each; it never waits for a lock.

    Raises PlanError, Refused before anything was tried; what happens after is told in the Operation.
    """
    with run.connect() as database, database.look():
        snapshot = _checked(run, database)
    for refused in run.plan.refused:
        run.results[refused.job] = Result(refused.job, "refused", refused.reason)
    waiting: Sequence[PlannedJob] = run.plan.jobs
    for round_number in range(retries + 1):
        if round_number and waiting:
            rest()
        for start in range(0, len(waiting), run.batch_size):
            _batch(run, snapshot, waiting[start : start + run.batch_size])
        waiting = [job for job in run.plan.jobs if run.results[job.job].outcome == "locked"]
        if run.stopped or not waiting:
            break
    return _told(run)


def _checked(run: Run, database: Database) -> Snapshot:
    """Everything that must hold before the first lock is taken."""
    server = database.probe()
    snapshot = snapshots.take(database, run.matrix, server)
    planning.check(run.plan, run.matrix, server, snapshot.clock)
    if run.plan.attest and run.plan.attest not in run.authority.attested:
        raise Refused(
            f"{run.plan.state}: the matrix asks for the attestation {run.plan.attest!r}; "
            f"where it is true, say --attest {run.plan.attest}"
        )
    standing.check(database, server.role)
    return snapshot


def _batch(run: Run, snapshot: Snapshot, jobs: Sequence[PlannedJob]) -> None:
    """One batch to its outcome: where its COMMIT was not applied once more, where it fell to a deadlock a few times."""
    if run.stopped:
        _leave(run, jobs, "refused", "not tried: the operation had ended")
        return
    lost = victim = 0
    while True:
        try:
            reason, code = _try(run, snapshot, jobs)
        except QueryError as error:
            victim += 1
            if error.sqlstate in VICTIM and victim < _TRIES:
                continue
            _leave(run, jobs, "failed", f"{error} ({error.sqlstate})")
            return
        if reason is None:
            return
        lost += 1
        if lost > 1:
            _leave(run, jobs, "failed", f"{reason} ({code})")
            return


def _try(run: Run, snapshot: Snapshot, jobs: Sequence[PlannedJob]) -> tuple[str | None, str]:
    """One transaction. None where its outcomes stand, else why nothing of it was applied and its SQLSTATE."""
    try:
        with run.connect() as database:
            attempt = Attempt(
                run.plan, snapshot, database, run.authority, str(uuid.uuid4()), run.pause
            )
            try:
                return _committed(run, snapshot, attempt.batch(jobs))
            except RolledBack as stop:
                database.rollback()
                run.rolled_back = str(stop)
                run.results |= stop.results
            except KeyboardInterrupt:
                database.rollback()
                run.interrupted = True
                _leave(run, jobs, "refused", "not applied: interrupted before the commit")
            return None, ""
    except DatabaseError as error:
        # The COMMIT was not sent: the server rolls back what it never was told to keep.
        return f"not applied, the session ended: {error}", "08006"


def _committed(run: Run, snapshot: Snapshot, batch: Batch) -> tuple[str | None, str]:
    """Commit, settle where the answer is lost, verify."""
    if batch.commit is None:
        run.results |= batch.results
        return None, ""
    settled, words = "applied", ""
    try:
        batch.send()
    except KeyboardInterrupt:
        run.interrupted = True
        settled, words = settlement.settle(batch.commit, run.connect, run.patience)
    except ConnectionLost:
        settled, words = settlement.settle(batch.commit, run.connect, run.patience)
    if settled == "not applied":
        return f"not applied: {words}", "08006"
    run.results |= batch.results if settled == "applied" else batch.unknown(words)
    if settled == "applied":
        run.pause("committed")
        run.transactions.append(batch.commit.transaction)
        _verify(run, snapshot, batch)
    return None, ""


def _verify(run: Run, snapshot: Snapshot, batch: Batch) -> None:
    """After the commit, on a new snapshot: each row of the verify query is a violation; failing to look is one too."""
    state = run.matrix.state(run.plan.state)
    query = state.action.verify if state and state.action else None
    if query is None:
        return
    try:
        with run.connect() as database, database.look():
            bound = {**batch.bound, "clock": database.clock()}
            rows = database.rows(query.sql, snapshot.bound | bound)
    except (DatabaseError, QueryError) as error:
        run.not_verified.append(f"{query.file} could not be run: {error}")
        return
    key = run.matrix.key
    for row in rows:
        name = "/".join(str(row.get(column)) for column in key)
        run.not_verified.append(f"job {name}: {row.get('reason') or query.file}")


def _leave(run: Run, jobs: Sequence[PlannedJob], outcome: Outcome, detail: str) -> None:
    for job in jobs:
        run.results[job.job] = Result(job.job, outcome, detail)


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
