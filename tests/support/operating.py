"""An operator's plans and applies on a test's database, and what they left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from aps import action, planning
from aps import database as sessions
from aps.database import Limits
from aps.model.matrix import Matrix
from aps.model.operation import Authority, Operation
from aps.model.plan import Plan
from aps.planning import Selection
from aps.run import Run
from tests.support import looking
from tests.support.database import Database

STEPS = ("begun", "locked", "judged", "acted", "checked", "journaled", "committed")
BEFORE_COMMIT = STEPS[:-1]

Columns = dict[str, str | None]

# Jobs whose only worker's lease ran out long ago, under epoch 1.
_ABANDONED = b"""
WITH made AS (
  INSERT INTO aps.job (job_id, request_key, kind, state, worker, epoch, lease_until, candidate, ready_at, started_at)
  OVERRIDING SYSTEM VALUE
  SELECT n, 'request ' || n, 'export', 'running', 'w1', 1, clock_timestamp() - interval '1 h', n || '/1-a',
         clock_timestamp(), clock_timestamp()
    FROM generate_series(1, %s) AS n
  RETURNING job_id, epoch, worker, candidate
)
INSERT INTO aps.attempt (job_id, epoch, worker, candidate) SELECT job_id, epoch, worker, candidate FROM made
"""


def abandoned(database: Database, jobs: int = 1) -> None:
    """The jobs 1 to `jobs`, each to be reclaimed."""
    database.execute(_ABANDONED, [jobs])


def at(step: str, *calls: Callable[[], object]) -> Callable[[str], None]:
    """A pause that makes these calls, one each time the step is reached, none when they are used up."""
    left = list(calls)

    def pause(reached: str) -> None:
        if reached == step and left:
            left.pop(0)()

    return pause


def _nothing(_: str) -> None:
    pass


@dataclass(frozen=True)
class Operator:
    """Who applies; `dsn` where not straight to the database, `limits` where not the usual."""

    database: Database
    matrix: Matrix
    role: str = "aps_operate"
    dsn: str | None = None
    limits: Limits | None = None

    def session(self, operation: str = "plan") -> sessions.Database:
        return sessions.connect(
            self.dsn or self.database.dsn(self.role),
            application=f"aps/reclaim/{operation}",
            limits=self.limits,
            search_path=self.matrix.schema or "public",
        )

    def plan(self, *jobs: int | str, state: str | None = None, limit: int | None = None) -> Plan:
        """Of these jobs, else in bulk; straight to the database in any case."""
        chosen = Selection(jobs=tuple(map(str, jobs)), state=state, limit=limit)
        with replace(self, dsn=None).session() as session:
            return planning.plan(self.matrix, session, "reclaim", chosen)

    def run(
        self,
        plan: Plan,
        *,
        pause: Callable[[str], None] = _nothing,
        batch_size: int = 1000,
        patience: float = 30.0,
        attested: tuple[str, ...] = (),
    ) -> Run:
        return Run(
            plan=plan,
            matrix=self.matrix,
            authority=Authority("a test", attested=attested, user="tester", client_host="here"),
            connect=partial(self.session, plan.operation[:8]),
            pause=pause,
            batch_size=batch_size,
            patience=patience,
        )

    def apply(
        self,
        plan: Plan,
        *,
        retries: int = 0,
        rest: Callable[[], None] = lambda: None,
        **how: Any,
    ) -> Operation:
        return action.apply(self.run(plan, **how), retries=retries, rest=rest)

    def reclaim(self, *jobs: int | str, **how: Any) -> Operation:
        """Plan and apply."""
        return self.apply(self.plan(*jobs), **how)


def operator(database: Database, matrix: Matrix | None = None, **who: Any) -> Operator:
    return Operator(database, matrix or looking.reference(), **who)


def told(operation: Operation) -> tuple[str, str]:
    """The outcome and the detail of its only job."""
    (row,) = operation.rows
    return row.outcome, row.detail


def outcome(operation: Operation, job: int | str) -> tuple[str, str]:
    """The outcome and the detail of one of its jobs."""
    (row,) = [row for row in operation.rows if row.job == str(job)]
    return row.outcome, row.detail


def journal(database: Database) -> list[tuple[str, Columns, Columns | None]]:
    """Every entry: job, before, after."""
    rows = database.execute(
        b"SELECT job, before::text, after::text FROM aps_journal.entry ORDER BY job"
    )
    return [(job, json.loads(before), after and json.loads(after)) for job, before, after in rows]


def batches(database: Database) -> list[tuple[int, int]]:
    """Every batch in the journal, in order of time: planned and applied."""
    rows = database.execute(b"SELECT planned, applied FROM aps_journal.batch ORDER BY at")
    return [(planned, applied) for planned, applied in rows]


def standing(database: Database, job: int = 1) -> tuple[str, int]:
    """State and epoch of the row."""
    rows = database.execute(b"SELECT state, epoch FROM aps.job WHERE job_id = %s", [job])
    return rows[0][0], rows[0][1]


def untouched(database: Database, job: int = 1) -> bool:
    """The abandoned job is as it was, and the journal knows nothing."""
    return standing(database, job) == ("running", 1) and not journal(database)


def reclaimed_once(database: Database, job: int = 1) -> bool:
    """Exactly one step of the epoch, one entry of the job in the journal, one batch."""
    entries = [entry[0] for entry in journal(database)]
    return (
        standing(database, job) == ("ready", 2)
        and entries.count(str(job)) == 1
        and len(batches(database)) == 1
    )
