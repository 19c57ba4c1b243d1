"""Files on their way into quarantine or out of it, whose intents stand: moved, asked about, recorded.

See `aps.quarantine` for what holds between the steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace

from aps import evidence, fence, journal, settlement
from aps import run as running
from aps.batch import Attempt, Batch
from aps.database import QueryError
from aps.errors import DatabaseError, StoreError
from aps.files import Sight
from aps.model.operation import Id, Result
from aps.model.plan import PlannedJob
from aps.model.report import Evidence
from aps.run import Run
from aps.snapshot import Snapshot
from aps.store import QUARANTINE, Expected, Moved, NotMoved

Results = dict[Id, Result]


def expected(row: Evidence) -> Expected | None:
    """The file that the evidence speaks of; None where its bytes were not read."""
    size, digest = row.get("observed_size"), row.get("observed_digest")
    return None if size is None or digest is None else Expected(int(size), digest)


def intent(job: PlannedJob, detail: str) -> Result:
    """What is not known yet: until its outcome is recorded."""
    return Result(job.job, "unknown", detail, before=job.evidence[0], item=job.item)


def journaled(
    attempt: Attempt, files: Sequence[Result], told: Results, phase: journal.Phase
) -> Batch:
    """Record intents or outcomes of files, and what `told` has of others; ready for the COMMIT."""
    named = {one.id for one in files}
    left = [
        one for one in attempt.recorded(told) if one.id not in named and one.outcome != "applied"
    ]
    transaction = journal.write_files(
        attempt.database, attempt.plan, attempt.number, attempt.authority, files, left, phase=phase
    )
    return attempt.close(transaction, told, {})


@dataclass(frozen=True, slots=True)
class Into:
    """The way into quarantine; `operation` is the one whose folder it is.

    `resumed`: an earlier run had begun it, and what it moved is this operation's own.
    """

    sight: Sight
    operation: str
    resumed: bool = False

    def source(self, job: PlannedJob) -> str:
        return job.item

    def target(self, job: PlannedJob) -> str:
        return f"{QUARANTINE}/{self.operation}/{job.item}"

    def owns(self, job: PlannedJob, moved: Moved) -> bool:
        """Is it this operation that has moved it: in this run, or in another run of the same plan."""
        return moved.where == self.target(job)

    def effect(self, run: Run) -> str:
        return run.state.action.effect if run.state.action else "moved to quarantine"

    def go(self, job: PlannedJob) -> Moved:
        return self.sight.store.quarantine(job.item, self.operation, _proven(job))

    def asked(self, run: Run, seen: Snapshot, jobs: Sequence[PlannedJob]) -> Results:
        """The files that may not stay there, and why: judged as if they still had their names."""
        with run.connect() as database, database.look():
            again = replace(seen, database=database, clock=database.clock(), unread={})
            judged = evidence.judge(again, [job.key for job in jobs])
        found = (
            (job, fence.compare(run.matrix, run.plan.state, job, one))
            for job, one in zip(jobs, judged, strict=True)
        )
        return {job.id: result for job, result in found if result}

    def back(self, job: PlannedJob, why: Result) -> Result:
        try:
            self.sight.store.restore(job.item, self.operation, _proven(job))
        except StoreError as error:
            detail = f"{why.detail}; it must be moved back, but: {error}"
            return Result(job.job, "failed", detail, item=job.item)
        return Result(job.job, "changed", f"moved back: {why.detail}", item=job.item)


@dataclass(frozen=True, slots=True)
class OutOf:
    """The way back, out of the folder of the operation that is undone. Nothing is asked: it hides no file."""

    sight: Sight
    operation: str
    resumed: bool = False

    def source(self, job: PlannedJob) -> str:
        return f"{QUARANTINE}/{self.operation}/{job.item}"

    def target(self, job: PlannedJob) -> str:
        return job.item

    def owns(self, _job: PlannedJob, moved: Moved) -> bool:
        return self.resumed or not moved.already

    def effect(self, _run: Run) -> str:
        return "moved back to its name"

    def go(self, job: PlannedJob) -> Moved:
        return self.sight.store.restore(job.item, self.operation, _proven(job))

    def asked(self, _run: Run, _seen: Snapshot, _jobs: Sequence[PlannedJob]) -> Results:
        return {}

    def back(self, _job: PlannedJob, why: Result) -> Result:
        return why


Way = Into | OutOf


@contextmanager
def at_work(run: Run) -> Iterator[None]:
    """A session that stands idle from the first intent to the last outcome: by its name others see that this operation
    is at work, and settle nothing of it."""
    with ExitStack() as opening:
        with suppress(DatabaseError):
            opening.enter_context(run.connect())
        yield


def _proven(job: PlannedJob) -> Expected:
    found = expected(job.evidence[0])
    if found is None:
        raise NotMoved("failed", f"{job.item}: its size and digest are not in the evidence")
    return found


def move(run: Run, seen: Snapshot, jobs: Sequence[PlannedJob], way: Way) -> None:
    """Files whose intents stand: each moved, asked about, moved back where it must be, and its outcome recorded."""
    results, before = _moved(run, jobs, way)
    run.results |= results
    moved = [job for job in jobs if results[job.id].outcome == "applied"]
    try:
        unfit = way.asked(run, seen, moved) if moved else {}
    except (DatabaseError, QueryError) as error:
        run.lost = True
        return _open(run, results, moved, str(error))
    run.pause("asked")
    for job in moved:
        if job.id in unfit:
            results[job.id] = way.back(job, unfit[job.id])
            run.pause("returned")
    if close(run, seen, jobs, results):
        run.results |= {name: one for name, one in before.items() if name not in unfit}
        for job in moved:
            # Taken for dead and settled meanwhile: the journal says that the file lies where it lay.
            if job.id not in unfit and run.results[job.id].outcome == "refused":
                run.results[job.id] = way.back(job, run.results[job.id])
    return None


def _moved(run: Run, jobs: Sequence[PlannedJob], way: Way) -> tuple[Results, Results]:
    """What is to be recorded; and what is to be told where another run of this operation has moved the file.

    Ctrl-C ends it between two files; a second one within a file, which is then settled from its names.
    """
    results: Results = {}
    before: Results = {}

    def insisted() -> None:
        if interrupts.insist:
            raise KeyboardInterrupt

    with (interrupts := settlement.Interrupts(insisted)):
        for job in jobs:
            if interrupts.count:
                said = "not moved: interrupted"
                results[job.id] = Result(job.job, "refused", said, item=job.item)
                continue
            results[job.id], already = _one(run, job, way)
            if already:
                before[job.id] = already
            run.pause("moved")
    run.interrupted = run.interrupted or interrupts.count > 0
    return results, before


def _one(run: Run, job: PlannedJob, way: Way) -> tuple[Result, Result | None]:
    try:
        moved = way.go(job)
    except NotMoved as reason:
        return Result(job.job, reason.outcome, str(reason), item=job.item), None
    except StoreError as error:
        return Result(job.job, "failed", str(error), item=job.item), None
    already = Result(job.job, "already", f"it lies at {moved.where}", item=job.item)
    if not way.owns(job, moved):
        return already, None
    change = {"place": way.source(job)}, {"place": moved.where}
    applied = Result(job.job, "applied", way.effect(run), *change, item=job.item)
    return applied, already if moved.already and not way.resumed else None


def _open(run: Run, results: Results, moved: Sequence[PlannedJob], why: str) -> None:
    """What was moved, and could not be recorded."""
    operation = run.plan.operation[:8]
    for job in moved:
        detail = (
            f"{results[job.id].detail}, but that could not be recorded: {why}; "
            f"`aps log {operation} --store URL` settles it"
        )
        run.results[job.id] = Result(job.job, "unknown", detail, item=job.item)


def close(run: Run, seen: Snapshot, jobs: Sequence[PlannedJob], results: Results) -> bool:
    """Record the outcomes; what was moved stays unknown where that fails.

    What another run of this operation has recorded stands, and is told in place of ours.
    """
    run.results |= {job.id: results[job.id] for job in jobs}

    def make(attempt: Attempt, _: Sequence[PlannedJob]) -> Batch:
        attempt.begin()
        stands = journal.tried(attempt.database, run.plan.operation, jobs)
        told = {job.id: stands.get(job.id, results[job.id]) for job in jobs}
        ours = [one for name, one in told.items() if name not in stands]
        return journaled(attempt, ours, told, "applied")

    if running.transact(run, seen, jobs, make):
        run.pause("closed")
        return True
    moved = [job for job in jobs if results[job.id].outcome == "applied"]
    why = next((run.results[job.id].detail for job in moved), "")
    run.results |= {job.id: results[job.id] for job in jobs if job not in moved}
    _open(run, results, moved, why)
    return False
