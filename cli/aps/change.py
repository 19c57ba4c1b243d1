"""The change of rows by an action's statement: lock, judge again, act, check, journal.

The steps, by name, as `pause` is told them: begun, locked, judged, acted, checked, journaled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aps import dossier, fence, hold, journal
from aps.act import Act, Violated
from aps.batch import Attempt, Batch, RolledBack
from aps.errors import Refused
from aps.evidence import parse
from aps.model import key
from aps.model.matrix import Action, Query
from aps.model.operation import Id, Result
from aps.model.plan import PlannedJob
from aps.model.report import Evidence
from aps.snapshot import Snapshot


def change(attempt: Attempt, jobs: Sequence[PlannedJob]) -> Batch:
    """The plan's action on the jobs that are still as planned. Raises RolledBack, QueryError, DatabaseError."""
    snapshot, held = attempt.locked(jobs)
    kept, others = hold.judge(snapshot, attempt.plan, held.waiting(jobs))
    attempt.pause("judged")
    state = snapshot.matrix.state(attempt.plan.state)
    if state is None or state.action is None:
        raise Refused(f"{attempt.plan.state}: the matrix has no action")
    results = held.results | others
    return Change(attempt, snapshot, state.action, held.images).run(kept, results)


@dataclass(frozen=True, slots=True)
class Change:
    """One action's statement on rows that are held; `images` are these rows as they were."""

    attempt: Attempt
    snapshot: Snapshot
    action: Action
    images: Mapping[Id, Evidence]

    def run(self, kept: Sequence[PlannedJob], results: dict[Id, Result]) -> Batch:
        """Act, check, journal. Raises RolledBack, QueryError."""
        attempt = self.attempt
        bound = attempt.bound(self.snapshot, kept)
        if not kept:
            return attempt.nothing(results, bound)
        try:
            changed = Act(self.snapshot, self.action, attempt.bound).run(kept, results)
            attempt.pause("acted")
            bound = attempt.bound(self.snapshot, changed)
            if changed and self.action.abort:
                self._abort(self.action.abort, changed, bound)
        except Violated as violation:
            raise self._rolled_back(violation, kept, results) from None
        attempt.pause("checked")
        if not changed:
            return attempt.nothing(results, bound)
        results |= self._applied(changed)
        transaction = journal.write(
            attempt.database,
            attempt.plan,
            attempt.number,
            attempt.authority,
            attempt.recorded(results),
        )
        return attempt.close(transaction, results, bound)

    def _abort(self, query: Query, changed: Sequence[PlannedJob], bound: Mapping[str, Any]) -> None:
        """Each row is a violation, by the job of its key where it has one."""
        before = [json.dumps(self.images[job.id]) for job in changed]
        rows = self.attempt.database.rows(query.sql, {**bound, "before": before})
        if not rows:
            return
        jobs = {
            key.text([str(row[column]) for column in self.snapshot.matrix.key]): row.get("reason")
            or "its criterion is violated"
            for row in rows
            if set(self.snapshot.matrix.key) <= set(row)
        }
        first = rows[0].get("reason") or "its criterion is violated"
        raise Violated(f"{query.file}: {first} ({len(rows)} of {len(before)} jobs)", jobs)

    def _rolled_back(
        self, why: Violated, kept: Sequence[PlannedJob], results: Mapping[Id, Result]
    ) -> RolledBack:
        """The violators failed; the others of the batch were rolled back with them, through no fault of their own."""
        undone = {
            job.id: Result(job.job, "failed", f"rolled back: {why.jobs[job.job]}")
            if job.job in why.jobs
            else Result(job.job, "refused", f"rolled back with its batch: {why}")
            for job in kept
            if job.id not in results
        }
        return RolledBack(str(why), {**results, **undone})

    def _applied(self, changed: Sequence[PlannedJob]) -> dict[Id, Result]:
        """The applied outcomes, each with the columns that changed, before and after."""
        rows = dossier.rows(self.snapshot, [job.key for job in changed])
        after = {
            changed[int(row["ordinal"] or 0) - 1].id: parse(row["image"] or "{}") for row in rows
        }
        effect = self.action.effect
        return {
            job.id: fence.applied(job, self.images[job.id], after.get(job.id), effect)
            for job in changed
        }
