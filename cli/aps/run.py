"""An operation while it runs: each batch to its outcome, whatever becomes of its session or of its COMMIT."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from aps import files, settlement
from aps import snapshot as snapshots
from aps.act import VICTIM
from aps.batch import Attempt, Batch, RolledBack
from aps.database import ConnectionLost, Database, QueryError, Row
from aps.errors import DatabaseError, Refused, StoreError
from aps.files import Sight
from aps.model import key
from aps.model.matrix import Matrix, Query, State
from aps.model.operation import Authority, Id, Outcome, Result
from aps.model.plan import Plan, PlannedJob
from aps.settlement import Commit
from aps.snapshot import Snapshot

BATCH_SIZE = 1000

# What is done in one transaction, up to its COMMIT.
Make = Callable[[Attempt, Sequence[PlannedJob]], Batch]
_TRIES = 3


def nothing(step: str) -> None:
    """The pause between named steps that a drill may put its own in place of."""


class NotApplied(Exception):
    """The session or its COMMIT was lost, and nothing of the batch stands."""


@dataclass
class Run:
    """One operation while it runs. `connect` opens a session to the same database each time; `sight` sees its files."""

    plan: Plan
    matrix: Matrix
    authority: Authority
    connect: Callable[[], Database]
    sight: Sight | None = None
    pause: Callable[[str], None] = nothing
    batch_size: int = BATCH_SIZE
    patience: float = settlement.PATIENCE_SECONDS
    results: dict[Id, Result] = field(default_factory=dict)
    transactions: list[str] = field(default_factory=list)
    rolled_back: str | None = None
    not_verified: list[str] = field(default_factory=list)
    interrupted: bool = False
    lost: bool = False

    @property
    def state(self) -> State:
        """The state that is acted upon. Raises Refused where the matrix does not have it."""
        state = self.matrix.state(self.plan.state)
        if state is None:
            why = dict.fromkeys(f"{job.job}: {job.reason}" for job in self.plan.refused)
            raise Refused("; ".join(why) or f"{self.plan.state}: the matrix has no such state")
        return state

    @property
    def undoes(self) -> bool:
        return self.plan.command == "undo"

    @property
    def stopped(self) -> bool:
        ended = self.rolled_back or self.not_verified or self.interrupted or self.lost
        return bool(ended) or any(result.outcome == "unknown" for result in self.results.values())

    def untold(self, jobs: Sequence[PlannedJob]) -> list[PlannedJob]:
        return [job for job in jobs if job.id not in self.results]

    def leave(self, jobs: Sequence[PlannedJob], outcome: Outcome, detail: str) -> None:
        """These jobs were not acted upon."""
        for job in jobs:
            self.results[job.id] = Result(job.job, outcome, detail, item=job.item)


def batch(run: Run, snapshot: Snapshot, jobs: Sequence[PlannedJob], make: Make) -> None:
    """One batch to its outcome, with its files looked at just before and, where the action has a verify, after."""
    if run.stopped:
        return run.leave(run.untold(jobs), "refused", "not tried: the operation had ended")
    try:
        seen = _looked(run, snapshot, jobs)
    except (StoreError, DatabaseError, QueryError) as error:
        run.lost = True
        return run.leave(jobs, "failed", f"its files could not be looked at: {error}")
    stands = transact(run, seen, jobs, make)
    return _after(run, seen, stands) if stands else None


def _looked(run: Run, snapshot: Snapshot, jobs: Sequence[PlannedJob]) -> Snapshot:
    """What is seen of the jobs' files now, no transaction open. Raises StoreError, QueryError, DatabaseError."""
    if run.sight is None or run.state.artifacts is None:
        return snapshot
    keys = [job.key for job in jobs]
    with run.connect() as database:
        claims = files.claims.of(replace(snapshot, database=database), keys, further=run.undoes)
    return snapshots.seeing(snapshot, run.sight.observe(files.claims.names(claims)))


def _again(run: Run, seen: Snapshot) -> Snapshot:
    """The same files, looked at once more. Raises StoreError."""
    if run.sight is None or not seen.observed.names:
        return seen
    return snapshots.seeing(seen, run.sight.observe(seen.observed.names))


def transact(run: Run, snapshot: Snapshot, jobs: Sequence[PlannedJob], make: Make) -> Batch | None:
    """One transaction to its outcome: where its session was lost once more, where it fell to a deadlock a few times.

    The batch where it stands.
    """
    victims, losses = 0, 0
    while True:
        try:
            return _try(run, snapshot, jobs, make)
        except QueryError as error:
            victims += 1
            if error.sqlstate not in VICTIM or victims == _TRIES:
                # 55P03: the whole table is locked, by a migration for example.
                outcome: Outcome = "locked" if error.sqlstate == "55P03" else "failed"
                run.leave(jobs, outcome, f"{error} ({error.sqlstate})")
                return None
        except NotApplied as reason:
            losses += 1
            if run.interrupted or losses == 2:
                _lost(run, jobs, reason)
                return None


def _lost(run: Run, jobs: Sequence[PlannedJob], reason: NotApplied) -> None:
    run.lost = not run.interrupted
    outcome: Outcome = "refused" if run.interrupted else "failed"
    run.leave(jobs, outcome, f"not applied: {reason} (08006)")


def _try(run: Run, snapshot: Snapshot, jobs: Sequence[PlannedJob], make: Make) -> Batch | None:
    """One transaction; the batch where it stands. Raises NotApplied where its session was lost, QueryError."""
    pid = None
    try:
        with run.connect() as database:
            pid = database.pid
            attempt = Attempt(
                run.plan,
                snapshot,
                database,
                run.authority,
                str(uuid.uuid4()),
                run.pause,
                run.results,
            )
            try:
                return _committed(run, make(attempt, jobs))
            except RolledBack as stop:
                run.rolled_back = str(stop)
                run.results |= stop.results
                return None
            finally:
                # Here, not by the end of the session, which the server notes later: the next try would meet its locks.
                database.rollback()
    except DatabaseError as error:
        # The COMMIT was not sent: the server rolls back what it never was told to keep.
        settlement.ended(pid, run.connect, run.patience)
        raise NotApplied(str(error)) from error


def _committed(run: Run, batch: Batch) -> Batch | None:
    """Commit, and settle where the answer is lost; the batch where it stands. Raises NotApplied, QueryError."""
    if batch.commit is None:
        run.results |= batch.results
        return None
    interrupts = settlement.Interrupts(batch.database.abandon)
    try:
        with interrupts:
            settled, words = _sent(run, batch, batch.commit, interrupts)
            if settled == "not applied":
                raise NotApplied(f"the answer to COMMIT was lost, and {words}")
            if settled == "unknown":
                run.results |= batch.unknown(words, run.plan.operation)
                return None
            run.results |= batch.results
            run.transactions.append(batch.commit.transaction)
            return batch
    finally:
        run.interrupted = run.interrupted or interrupts.count > 0


def _sent(
    run: Run, batch: Batch, commit: Commit, interrupts: settlement.Interrupts
) -> tuple[settlement.Settled, str]:
    # No timeout of the server ends a COMMIT that waits for a standby.
    patience = threading.Timer(run.patience, batch.database.abandon)
    patience.daemon = True
    patience.start()
    try:
        batch.send()
    except ConnectionLost:
        return settlement.settle(commit, run.connect, run.patience, lambda: interrupts.insist)
    finally:
        patience.cancel()
    return "applied", ""


def _after(run: Run, seen: Snapshot, batch: Batch) -> None:
    """Verify the commit: each row of the verify query is a violation; failing to look is one too.

    What an action left is no measure of its undo.
    """
    query = run.state.action.verify if run.state.action and not run.undoes else None
    try:
        run.pause("committed")
        rows = _violations(run, _again(run, seen), batch, query) if query else []
    except (DatabaseError, QueryError, StoreError) as error:
        run.not_verified.append(f"the verification could not be run: {error}")
        return
    except KeyboardInterrupt:
        run.not_verified.append("the verification was not run: interrupted")
        raise
    for row in rows:
        name = key.text([str(row.get(column)) for column in run.matrix.key])
        run.not_verified.append(f"job {name}: {row.get('reason') or 'no reason given'}")


def _violations(run: Run, snapshot: Snapshot, batch: Batch, query: Query) -> list[Row]:
    """On a new snapshot."""
    with run.connect() as database, database.look():
        now = snapshot.bound | {"clock": database.clock()}
        return database.rows(query.sql, {**batch.bound, **now})
