"""An operation on files that was interrupted, settled by what lies at both names of each file."""

from __future__ import annotations

from collections.abc import Sequence

from aps import journal, quarantine, transfer
from aps.files import Sight
from aps.model.operation import Outcome, Result
from aps.model.plan import PlannedJob
from aps.model.report import Evidence
from aps.run import Run
from aps.snapshot import Snapshot
from aps.transfer import Into, OutOf


def settle(run: Run, snapshot: Snapshot) -> None:
    """`run.plan` has the files whose intents stand without an outcome. Raises StoreError."""
    sight = quarantine.sight(run)
    with transfer.at_work(run):
        return _settle(run, snapshot, sight)


def _settle(run: Run, snapshot: Snapshot, sight: Sight) -> None:
    if run.undoes:
        way = OutOf(sight, quarantine.origin(run.plan.jobs), resumed=True)
        return transfer.move(run, snapshot, run.plan.jobs, way)
    jobs = run.plan.jobs
    begun = [job for job in jobs if _lies_there(sight, run.plan.operation, job)]
    if begun:
        seen = quarantine.planned(snapshot, begun, sight.level)
        transfer.move(run, seen, begun, Into(sight, run.plan.operation, resumed=True))
    left = [job for job in jobs if job not in begun]
    if left and not run.stopped:
        transfer.close(run, snapshot, left, _not_moved(sight, left))
    return None


def _lies_there(sight: Sight, operation: str, job: PlannedJob) -> bool:
    planned = transfer.expected(job.evidence[0])
    return bool(planned and sight.store.quarantined(job.item, planned, operation))


def where(sight: Sight, command: str, operation: str, entry: Evidence) -> str:
    """Where the file of an intent lies now, by both of its names. Raises StoreError; moves nothing."""
    name = str(entry["item"])
    planned = transfer.expected(journal.columns(entry["before"]))
    one = sight.look([name])[name]
    there = sight.store.quarantined(name, planned) if planned else None
    told = [f"{name} {one.error}"] if one.error else [name] if one.size is not None else []
    told += [there] if there else []
    if command == "undo" or not there or operation in there:
        return f"it lies at {' and at '.join(told)}" if told else "it lies at neither of its names"
    return f"it lies at {there}, by another operation"


def _not_moved(sight: Sight, jobs: Sequence[PlannedJob]) -> transfer.Results:
    """The move had not begun: the file is not touched, and whoever wants it moved plans again."""
    seen = sight.look([job.item for job in jobs])
    results: transfer.Results = {}
    for job in jobs:
        one = seen[job.item]
        gone = one.size is None and one.error is None
        detail = (
            "it lies neither at its name nor in quarantine"
            if gone
            else "interrupted before it was moved: it lies where it lay; plan again"
        )
        outcome: Outcome = "gone" if gone else "refused"
        results[job.id] = Result(job.job, outcome, detail, item=job.item)
    return results
