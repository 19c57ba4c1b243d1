"""Rows put back as they were before an operation, where they are still as that left them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aps.batch import Attempt, Batch
from aps.change import Change
from aps.errors import Refused
from aps.model.operation import Id, Result
from aps.model.plan import PlannedJob
from aps.model.report import Evidence
from aps.snapshot import Snapshot


def change(attempt: Attempt, jobs: Sequence[PlannedJob]) -> Batch:
    """The undo of the state's action. Raises RolledBack, QueryError, DatabaseError."""
    snapshot, held = attempt.locked(jobs)
    waiting = held.waiting(jobs)
    compared = ((job, _compare(job, held.images[job.id])) for job in waiting)
    results = held.results | {job.id: result for job, result in compared if result}
    kept = [job for job in waiting if job.id not in results]
    attempt.pause("judged")
    state = snapshot.matrix.state(attempt.plan.state)
    if state is None or state.action is None or state.action.undo is None:
        raise Refused(f"{attempt.plan.state}: the matrix has no undo")
    action = replace(
        state.action,
        query=state.action.undo,
        abort=None,
        verify=None,
        effect=attempt.plan.effect,
    )
    batch = Change(attempt, snapshot, action, held.images).run(kept, results)
    return replace(batch, results=_explained(snapshot, batch.results, held.images))


def _compare(job: PlannedJob, image: Evidence) -> Result | None:
    """None where the row is as the operation left it."""
    after, before = job.evidence
    moved = [name for name, value in after.items() if image.get(name) != value]
    if not moved:
        return None
    if all(image.get(name) == value for name, value in before.items()):
        return Result(job.job, "already", "it is as it was before the operation")
    told = "; ".join(f"{name} {after[name]} -> {image.get(name)}" for name in moved)
    return Result(job.job, "changed", f"not as the operation left it: {told}")


def _explained(
    snapshot: Snapshot, results: Mapping[Id, Result], images: Mapping[Id, Evidence]
) -> dict[Id, Result]:
    """Where the undo's own condition kept a row: what was seen of the files that the row names."""
    seen = snapshot.observed.spoken()
    told = {
        name: "; ".join(f"{value}: {seen[value]}" for value in image.values() if value in seen)
        for name, image in images.items()
    }
    return {
        name: replace(one, detail=f"not put back: {told[name]}")
        if one.outcome == "blocked" and told.get(name)
        else one
        for name, one in results.items()
    }
