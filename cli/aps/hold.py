"""Inside a transaction that writes: which planned jobs are held, and which of them are still as planned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aps import dossier, evidence, fence, journal, statements
from aps.evidence import parse
from aps.model.operation import Id, Result
from aps.model.plan import Plan, PlannedJob
from aps.model.report import Evidence
from aps.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Held:
    """The rows of the jobs that are locked now, whole; and the outcomes of those that are not to be acted upon."""

    images: dict[Id, Evidence]
    results: dict[Id, Result]

    def waiting(self, jobs: Sequence[PlannedJob]) -> list[PlannedJob]:
        """Those of these jobs that are held and have no outcome yet."""
        return [job for job in jobs if job.id in self.images and job.id not in self.results]


def take(snapshot: Snapshot, plan: Plan, jobs: Sequence[PlannedJob]) -> Held:
    """Lock the rows without waiting. Left out: done by this operation, held elsewhere, gone. Raises QueryError."""
    sql = statements.rows(snapshot.matrix.table, snapshot.types, lock=True)
    rows = snapshot.database.rows(sql, snapshot.keys([job.key for job in jobs]))
    images: dict[Id, Evidence] = {
        jobs[int(row["ordinal"] or 0) - 1].id: parse(row["image"] or "{}") for row in rows
    }
    results = journal.tried(snapshot.database, plan.operation, jobs)
    missing = [job for job in jobs if job.id not in images and job.id not in results]
    return Held(images, results | _missing(snapshot, missing))


def _missing(snapshot: Snapshot, jobs: Sequence[PlannedJob]) -> dict[Id, Result]:
    if not jobs:
        return {}
    keys = [job.key for job in jobs]
    there = {int(row["ordinal"] or 0) - 1 for row in dossier.rows(snapshot, keys)}
    held = sorted(there)
    named = dossier.of_held(snapshot, [keys[place] for place in held])
    holders = {place: named.get(n, []) for n, place in enumerate(held)}
    return {
        job.id: Result(job.job, "locked", dossier.spoken(holders[place]), item=job.item)
        if place in there
        else Result(job.job, "gone", "no such row any more", item=job.item)
        for place, job in enumerate(jobs)
    }


def judge(
    snapshot: Snapshot, plan: Plan, jobs: Sequence[PlannedJob]
) -> tuple[list[PlannedJob], dict[Id, Result]]:
    """The jobs that are still in the planned state, as planned and with no refusal; and the others' outcomes."""
    if not jobs:
        return [], {}
    judged = evidence.judge(snapshot, [job.key for job in jobs])
    results: dict[Id, Result] = {}
    for job, judgement in zip(jobs, judged, strict=True):
        result = fence.compare(snapshot.matrix, plan.state, job, judgement)
        if result is not None:
            results[job.id] = replace(result, item=job.item)
    return [job for job in jobs if job.id not in results], results
