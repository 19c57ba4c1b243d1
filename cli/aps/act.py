"""Run an action on locked, judged rows, and hold it to what it may change."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aps import statements
from aps.database import QueryError
from aps.errors import Refused
from aps.model.matrix import Action, Query
from aps.model.operation import Id, Outcome, Result
from aps.model.plan import PlannedJob
from aps.snapshot import Key, Snapshot

# A victim of another transaction, not of its own rows: the whole batch is tried again.
VICTIM = ("40P01", "40001")
# A statement that was cancelled or ran out of time: its parts would run out of theirs, one after the other.
_CANCELLED = "57014"
# Looking for the bad rows goes on no longer, for all the others stay locked; what is not found by then fails with them.
_ISOLATION_SECONDS = 10.0


class Violated(Exception):
    """A criterion inside the transaction does not hold: nothing of the batch may stand.

    `jobs` are those that violate it, each with the reason; empty where it cannot be said which.
    """

    def __init__(self, text: str, jobs: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.jobs = jobs or {}


@dataclass(frozen=True, slots=True)
class Act:
    """One action in one transaction; `bind` gives the parameters for some of its jobs."""

    snapshot: Snapshot
    action: Action
    bind: Callable[[Snapshot, Sequence[PlannedJob]], dict[str, Any]]
    deadline: float = field(default_factory=lambda: time.monotonic() + _ISOLATION_SECONDS)

    def run(
        self,
        jobs: Sequence[PlannedJob],
        results: dict[Id, Result],
    ) -> list[PlannedJob]:
        """Run the action; where it raises, halve the jobs until only the bad rows are left out."""
        try:
            with self.snapshot.database.savepoint():
                return self._counted(jobs, results)
        except QueryError as error:
            if error.sqlstate in VICTIM:
                raise
            if len(jobs) == 1 or self._spent(error):
                results |= {job.id: Result(job.job, *_failure(error)) for job in jobs}
                return []
        middle = len(jobs) // 2
        return [
            *self.run(jobs[:middle], results),
            *self.run(jobs[middle:], results),
        ]

    def _spent(self, error: QueryError) -> bool:
        return error.sqlstate == _CANCELLED or time.monotonic() > self.deadline

    def _counted(
        self,
        jobs: Sequence[PlannedJob],
        results: dict[Id, Result],
    ) -> list[PlannedJob]:
        """The action, and the table's own count of what it changed: a trigger that touched another row shows here."""
        query = _query(self.action)
        before = self._changes()
        rows = self.snapshot.database.rows(query.sql, self.bind(self.snapshot, jobs))
        self.snapshot.database.run(statements.read("constraints"))
        by_key = {job.key: job for job in jobs}
        returned = [
            tuple(str(row.get(column)) for column in self.snapshot.matrix.key) for row in rows
        ]
        self._only_given(query, returned, by_key)
        self._held_to(query, self._changes() - before, len(returned))
        done = set(returned)
        for key, job in by_key.items():
            if key not in done:
                results[job.id] = Result(
                    job.job,
                    "blocked",
                    "the action left it as it was: a trigger, rule or policy kept the row",
                )
        return [job for key, job in by_key.items() if key in done]

    def _only_given(
        self, query: Query, returned: Sequence[Key], given: Mapping[Key, PlannedJob]
    ) -> None:
        if len(set(returned)) < len(returned) or not set(returned) <= set(given):
            raise Violated(f"{query.file} returned jobs that it was not given, or one twice")

    def _held_to(self, query: Query, rose: int, returned: int) -> None:
        expected = returned * self.action.changes_per_job
        if rose == expected:
            return
        # With track_counts off the server counts nothing, and then nothing can be held to its count.
        uncounted = "the server does not count (track_counts)"
        why = "a trigger or rule touched others" if rose else uncounted
        table = self.snapshot.matrix.table
        raise Violated(f"{query.file} changed {rose} rows of {table}, not {expected}: {why}")

    def _changes(self) -> int:
        row = self.snapshot.database.rows(
            statements.read("counter"), {"table": statements.table(self.snapshot.matrix.table)}
        )[0]
        return int(row["changes"] or 0)


def _query(action: Action) -> Query:
    if action.query is None:
        raise Refused(f"a {action.run} action has no statement")
    return action.query


def _failure(error: QueryError) -> tuple[Outcome, str]:
    """What an error on one job alone means: class 23 is a constraint or a sibling, 55P03 a lock."""
    words = f"{error} ({error.sqlstate})"
    if error.sqlstate.startswith("23"):
        return "blocked", words
    return ("locked" if error.sqlstate == "55P03" else "failed"), words
