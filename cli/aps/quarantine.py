"""Files moved into quarantine, and back (DESIGN section 9). No transaction is open while a file is read or moved.

What holds of one file after each step, as `pause` is told it:

- `journaled`, then `committed`: the intent stands in the journal, with the evidence, size and digest that were judged
  under the lock of the job's row. The file has not been touched.
- `moved`: it lies in quarantine, under the operation's id, with its old name gone; or it is as it was, and why is
  known. What holds within the move is told in `aps.store.quarantine`.
- `asked`: the rows were read again after the move. Nothing names the file; or something does, or it cannot be told.
- `returned`: then it has its old name back.
- `journaled`, then `closed`: the outcome stands in the journal, beside the intent.

Killed anywhere, the file has at least one of its two names, and whoever reads the journal knows both: an intent without
an outcome is `unknown`, and `aps.unfinished` settles it from the names, unless a session of the operation is seen: then
it is at work. One that was taken for dead all the same moves back what the journal says was not moved. Whatever is
moved twice is moved once: of two runs one takes the name away, the other finds the file in quarantine and says
`already`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aps import hold, journal, transfer
from aps import run as running
from aps import snapshot as snapshots
from aps.batch import Attempt, Batch
from aps.errors import StoreError
from aps.files import Sight
from aps.model.operation import Result
from aps.model.plan import PlannedJob
from aps.observed import Observed
from aps.run import Run
from aps.snapshot import Snapshot
from aps.store import QUARANTINE, Observation
from aps.transfer import Into, OutOf, Results


def units(jobs: Sequence[PlannedJob]) -> list[PlannedJob]:
    """Each file for itself: one planned job a row of evidence, of which each names its file."""
    return [
        replace(job, evidence=(row,), item=str(row["item"])) for job in jobs for row in job.evidence
    ]


def batch(run: Run, snapshot: Snapshot, jobs: Sequence[PlannedJob]) -> None:
    """These files into quarantine, each to its outcome."""
    if run.stopped:
        return run.leave(run.untold(jobs), "refused", "not tried: the operation had ended")
    store = sight(run)
    try:
        seen, done = _seen(store, snapshot, jobs)
    except StoreError as error:
        run.lost = True
        return run.leave(jobs, "failed", f"the store could not be looked at: {error}")
    run.results |= done
    left = [job for job in jobs if job.id not in done]
    with transfer.at_work(run):
        stands = running.transact(run, seen, left, _intend) if left else None
        if stands is None:
            return None
        run.pause("committed")
        kept = [job for job in left if stands.results[job.id].outcome == "unknown"]
        return transfer.move(run, seen, kept, Into(store, run.plan.operation))


def sight(run: Run) -> Sight:
    """Raises StoreError where none was given."""
    if run.sight is None:
        raise StoreError("no store was given: name it with --store URL")
    return run.sight


def _seen(sight: Sight, snapshot: Snapshot, jobs: Sequence[PlannedJob]) -> tuple[Snapshot, Results]:
    """What is seen of the files now; and the outcome of those that lie in quarantine as planned. Raises StoreError."""
    seen = sight.look(dict.fromkeys(job.item for job in jobs))
    done: Results = {}
    for job in jobs:
        one, planned = seen[job.item], transfer.expected(job.evidence[0])
        if planned and one.size is None and one.error is None:
            place = sight.store.quarantined(job.item, planned)
            if place:
                done[job.id] = Result(job.job, "already", f"it lies in {place}", item=job.item)
    return snapshots.seeing(snapshot, Observed.of(seen.values(), sight.level)), done


def planned(snapshot: Snapshot, jobs: Sequence[PlannedJob], level: str) -> Snapshot:
    """What was seen of these files when they were planned, while they have lost their names."""
    files = ((job.item, transfer.expected(job.evidence[0])) for job in jobs)
    seen = [Observation(name, file.size, file.digest) for name, file in files if file]
    return snapshots.seeing(snapshot, Observed.of(seen, level))


def _intend(attempt: Attempt, jobs: Sequence[PlannedJob]) -> Batch:
    """The intents of the files that are still as planned, judged under the locks of their rows."""
    snapshot, held = attempt.locked(jobs)
    kept, others = hold.judge(snapshot, attempt.plan, held.waiting(jobs))
    attempt.pause("judged")
    results = held.results | others
    if not kept:
        return attempt.nothing(results, {})
    place = f"{QUARANTINE}/{attempt.plan.operation}"
    intents = [transfer.intent(job, f"to be moved to {place}") for job in kept]
    return transfer.journaled(
        attempt, intents, results | {one.id: one for one in intents}, "intent"
    )


def restore(run: Run, snapshot: Snapshot, jobs: Sequence[PlannedJob]) -> None:
    """These files out of the quarantine of another operation, each to its outcome."""
    if run.stopped:
        return run.leave(run.untold(jobs), "refused", "not tried: the operation had ended")
    with transfer.at_work(run):
        stands = running.transact(run, snapshot, jobs, _intend_back)
        if stands is None:
            return None
        run.pause("committed")
        kept = [job for job in jobs if stands.results[job.id].outcome == "unknown"]
        return transfer.move(run, snapshot, kept, OutOf(sight(run), origin(kept)))


def origin(jobs: Sequence[PlannedJob]) -> str:
    """The operation in whose quarantine these files lie."""
    place = str(jobs[0].evidence[0].get("place"))
    return place.removeprefix(f"{QUARANTINE}/").partition("/")[0]


def _intend_back(attempt: Attempt, jobs: Sequence[PlannedJob]) -> Batch:
    """No row is judged: a file that has its name back can be judged again, and nothing else changes."""
    snapshot = attempt.begin()
    done = journal.tried(snapshot.database, attempt.plan.operation, jobs)
    intents = [
        transfer.intent(job, "to be moved back to its name") for job in jobs if job.id not in done
    ]
    if not intents:
        return attempt.nothing(done, {})
    told = done | {one.id: one for one in intents}
    return transfer.journaled(attempt, intents, told, "intent")
