"""The one queue that a property test runs on, and the questions that it must always answer with nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aps import action, evidence, planning
from aps.model.matrix import Matrix
from aps.model.operation import Authority, Operation
from aps.model.plan import Plan
from aps.planning import Selection
from aps.run import Run
from aps.snapshot import Snapshot
from tests.support.database import Database
from tests.support.looking import connect
from tests.support.queue import Queue

Row = Mapping[str, str | None]

OPEN_WITHOUT_OWNER = b"""
SELECT a.job_id, a.epoch FROM aps.attempt a JOIN aps.job j USING (job_id)
 WHERE (a.ended_at IS NULL) <> (j.state = 'running' AND a.epoch = j.epoch)
 UNION ALL
SELECT j.job_id, j.epoch FROM aps.job j
 WHERE j.state = 'running' AND NOT EXISTS (SELECT FROM aps.attempt a WHERE (a.job_id, a.epoch) = (j.job_id, j.epoch))"""
WRONGLY_PUBLISHED = b"""
SELECT job_id, e.epoch FROM aps.event e LEFT JOIN aps.attempt a USING (job_id, epoch)
 WHERE e.kind = 'published'
 GROUP BY job_id, e.epoch HAVING count(*) > 1 OR bool_or(a.worker IS DISTINCT FROM e.worker)
 UNION ALL
SELECT j.job_id, j.epoch FROM aps.job j
 WHERE (j.state = 'complete') <> EXISTS (SELECT FROM aps.event e WHERE (e.job_id, e.kind) = (j.job_id, 'published'))"""
JOURNAL = b"""
SELECT job, before::text, after::text FROM aps_journal.entry WHERE operation = %s AND phase = 'applied'"""


@dataclass(frozen=True, slots=True)
class Ownership:
    """What a worker believes, for as long as it lives."""

    job: int
    worker: str
    epoch: int


@dataclass(frozen=True, slots=True)
class World:
    """What the machine runs on: sessions of a worker and of the superuser, and the engine's eyes."""

    database: Database
    queue: Queue
    ground: Queue
    snapshot: Snapshot

    @property
    def matrix(self) -> Matrix:
        return self.snapshot.matrix

    @property
    def limit(self) -> int:
        """So many lost workers make a job poisoned."""
        return int(str(self.matrix.values["abandon_limit"]))

    def clear(self) -> None:
        """An empty queue again; the guards of the schema let nobody else do that."""
        self.ground.connection.execute(
            b"SET session_replication_role = replica;"
            b"TRUNCATE aps.job, aps.attempt, aps.event, aps_journal.batch, aps_journal.entry RESTART IDENTITY;"
            b"SET session_replication_role = origin"
        )

    def planned(self, state: str) -> Plan:
        with connect(self.database) as session:
            return planning.plan(self.matrix, session, "reclaim", Selection(state=state))

    def applied(self, plan: Plan, pause: Callable[[str], None]) -> Operation:
        authority = Authority(reason="it ran out", user="someone", client_host="here")
        return action.apply(
            Run(plan, self.matrix, authority, lambda: connect(self.database), pause=pause)
        )

    def rows(self) -> dict[int, Row]:
        """Every job as the server writes it in UTC, by its id."""
        rows = self.ground.connection.execute(b"SELECT job_id, row_to_json(j)::text FROM aps.job j")
        return {int(row[0]): evidence.parse(row[1]) for row in rows}

    def entries(self, operation: str) -> dict[str, tuple[Row, Row]]:
        """What the journal says that the operation changed: by job, the columns before and after."""
        rows = self.ground.connection.execute(JOURNAL, [operation])
        return {row[0]: (evidence.parse(row[1]), evidence.parse(row[2])) for row in rows}

    def faults(self, query: bytes) -> list[object]:
        return list(self.ground.connection.execute(query))
