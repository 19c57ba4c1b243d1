"""One transaction over some jobs of a plan: lock, judge again, act, check, journal. The caller commits.

The steps, by name, as `pause` is told them: begun, locked, judged, acted, checked, journaled.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aps import dossier, evidence, fence, journal, statements
from aps.act import Act, Violated
from aps.database import Database
from aps.errors import Refused
from aps.evidence import parse
from aps.model import key
from aps.model.matrix import Action, Query
from aps.model.operation import Authority, Result
from aps.model.plan import Plan, PlannedJob
from aps.model.report import Evidence
from aps.settlement import Commit
from aps.snapshot import Snapshot


class RolledBack(Exception):
    """A criterion was violated: nothing of this batch stands, and the operation ends."""

    def __init__(self, reason: str, results: Mapping[str, Result]) -> None:
        super().__init__(reason)
        self.results = results


@dataclass(frozen=True, slots=True)
class Batch:
    """A transaction ready for its COMMIT; `commit` is None where it changed nothing and is over."""

    database: Database
    results: Mapping[str, Result]
    bound: Mapping[str, Any]
    commit: Commit | None

    def send(self) -> None:
        self.database.commit()

    def unknown(self, words: str, operation: str) -> dict[str, Result]:
        """The outcomes where the COMMIT was sent and could not be settled."""
        where = (
            f"transaction {self.commit.transaction}, backend {self.commit.pid}"
            if self.commit
            else ""
        )
        detail = (
            f"COMMIT was sent ({where}), its answer is lost: {words}; "
            f"`aps log {operation[:8]}` settles it"
        )
        return {
            job: replace(result, outcome="unknown", detail=detail)
            if result.outcome == "applied"
            else result
            for job, result in self.results.items()
        }


@dataclass(frozen=True, slots=True)
class Attempt:
    """`number` is the batch's own id in the journal, new for each try; `told` what is known of other jobs by now."""

    plan: Plan
    seen: Snapshot
    database: Database
    authority: Authority
    number: str
    pause: Callable[[str], None]
    told: Mapping[str, Result]

    def batch(self, jobs: Sequence[PlannedJob]) -> Batch:
        """Everything up to the COMMIT. Raises RolledBack, QueryError, DatabaseError."""
        self.database.begin_write()
        self.pause("begun")
        images, results = self._locked(jobs)
        self.pause("locked")
        held = [job for job in jobs if job.job in images and job.job not in results]
        snapshot = replace(
            self.seen, database=self.database, clock=self.database.clock(), unread={}
        )
        kept = self._judged(snapshot, held, results)
        self.pause("judged")
        bound = self._bound(snapshot, kept)
        if not kept:
            self.database.rollback()
            return Batch(self.database, results, bound, None)
        return self._changed(snapshot, kept, images, results)

    def _locked(self, jobs: Sequence[PlannedJob]) -> tuple[dict[str, Evidence], dict[str, Result]]:
        """The rows that are held now, and the outcomes of jobs that are done already, locked elsewhere, or gone."""
        keys = [job.key for job in jobs]
        arrays = self.seen.keys(keys)
        table, types = self.plan_table, self.seen.types
        rows = self.database.rows(statements.rows(table, types, lock=True), arrays)
        images: dict[str, Evidence] = {
            jobs[int(row["ordinal"] or 0) - 1].job: parse(row["image"] or "{}") for row in rows
        }
        done = journal.applied(self.database, self.plan.operation, [job.job for job in jobs])
        results = {
            job: Result(job, "already", f"this operation has done it: {said}")
            for job, said in done.items()
        }
        missing = [job for job in jobs if job.job not in images and job.job not in results]
        return images, results | self._missing(missing)

    @property
    def plan_table(self) -> str:
        return self.seen.matrix.table

    def _missing(self, jobs: Sequence[PlannedJob]) -> dict[str, Result]:
        if not jobs:
            return {}
        seen = replace(self.seen, database=self.database)
        keys = [job.key for job in jobs]
        there = {int(row["ordinal"] or 0) - 1 for row in dossier.rows(seen, keys)}
        held = sorted(there)
        named = dossier.of_held(seen, [keys[place] for place in held])
        holders = {place: named.get(n, []) for n, place in enumerate(held)}
        return {
            job.job: Result(job.job, "locked", dossier.spoken(holders[place]))
            if place in there
            else Result(job.job, "gone", "no such row any more")
            for place, job in enumerate(jobs)
        }

    def _judged(
        self, snapshot: Snapshot, held: Sequence[PlannedJob], results: dict[str, Result]
    ) -> list[PlannedJob]:
        """The jobs that are still in the planned state only, with the planned evidence and no refusal."""
        if not held:
            return []
        judged = evidence.judge(snapshot, [job.key for job in held])
        kept = []
        for job, judgement in zip(held, judged, strict=True):
            result = fence.compare(self.seen.matrix, self.plan.state, job, judgement)
            if result is None:
                kept.append(job)
            else:
                results[job.job] = result
        return kept

    def _bound(self, snapshot: Snapshot, jobs: Sequence[PlannedJob]) -> dict[str, Any]:
        return (
            snapshot.bound
            | snapshot.keys([job.key for job in jobs])
            | {
                "items": [],
                "operation": self.plan.operation,
                "reason": self.authority.reason,
                "actor": self.authority.user,
            }
        )

    def _changed(
        self,
        snapshot: Snapshot,
        kept: Sequence[PlannedJob],
        images: Mapping[str, Evidence],
        results: dict[str, Result],
    ) -> Batch:
        action = self._action()
        try:
            changed = Act(snapshot, action, self._bound).run(kept, results)
            self.pause("acted")
            bound = self._bound(snapshot, changed)
            if changed and action.abort:
                before = [json.dumps(images[job.job]) for job in changed]
                self._abort(action.abort, bound | {"before": before})
        except Violated as violation:
            raise self._rolled_back(violation, kept, results) from None
        self.pause("checked")
        if not changed:
            self.database.rollback()
            return Batch(self.database, results, bound, None)
        results |= self._images(snapshot, changed, images)
        transaction = journal.write(
            self.database, self.plan, self.number, self.authority, self._recorded(results)
        )
        self.pause("journaled")
        commit = Commit(self.number, transaction, self.plan.identity, self.database.pid)
        return Batch(self.database, results, bound, commit)

    def _recorded(self, results: Mapping[str, Result]) -> list[Result]:
        """What this batch did, and what it and those before it left alone; theirs is recorded where they were."""
        before = (one for one in self.told.values() if one.outcome != "applied")
        return [*{one.job: one for one in (*before, *results.values())}.values()]

    def _action(self) -> Action:
        state = self.seen.matrix.state(self.plan.state)
        if state is None or state.action is None or state.action.query is None:
            raise Refused(f"{self.plan.state}: the matrix has no statement for {self.plan.command}")
        return state.action

    def _abort(self, query: Query, bound: Mapping[str, Any]) -> None:
        """Each row is a violation, by the job of its key where it has one."""
        rows = self.database.rows(query.sql, bound)
        if not rows:
            return
        jobs = {
            key.text([str(row[column]) for column in self.seen.matrix.key]): row.get("reason")
            or "its criterion is violated"
            for row in rows
            if set(self.seen.matrix.key) <= set(row)
        }
        first = rows[0].get("reason") or "its criterion is violated"
        raise Violated(f"{query.file}: {first} ({len(rows)} of {len(bound['before'])} jobs)", jobs)

    def _rolled_back(
        self, why: Violated, kept: Sequence[PlannedJob], results: Mapping[str, Result]
    ) -> RolledBack:
        """The violators failed; the others of the batch were rolled back with them, through no fault of their own."""
        undone = {
            job.job: Result(job.job, "failed", f"rolled back: {why.jobs[job.job]}")
            if job.job in why.jobs
            else Result(job.job, "refused", f"rolled back with its batch: {why}")
            for job in kept
            if job.job not in results
        }
        return RolledBack(str(why), {**results, **undone})

    def _images(
        self, snapshot: Snapshot, changed: Sequence[PlannedJob], images: Mapping[str, Evidence]
    ) -> dict[str, Result]:
        """The applied outcomes, each with the columns that changed, before and after."""
        rows = dossier.rows(snapshot, [job.key for job in changed])
        after = {
            changed[int(row["ordinal"] or 0) - 1].job: parse(row["image"] or "{}") for row in rows
        }
        return {
            job.job: fence.applied(job, images[job.job], after.get(job.job), self._action().effect)
            for job in changed
        }
