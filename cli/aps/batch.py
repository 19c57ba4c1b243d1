"""One transaction over some jobs of a plan, up to its COMMIT, which the caller sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aps import hold
from aps.database import Database
from aps.hold import Held
from aps.model.operation import Authority, Id, Result
from aps.model.plan import Plan, PlannedJob
from aps.settlement import Commit
from aps.snapshot import Snapshot


class RolledBack(Exception):
    """A criterion was violated: nothing of this batch stands, and the operation ends."""

    def __init__(self, reason: str, results: Mapping[Id, Result]) -> None:
        super().__init__(reason)
        self.results = results


@dataclass(frozen=True, slots=True)
class Batch:
    """A transaction ready for its COMMIT; `commit` is None where it changed nothing and is over."""

    database: Database
    results: Mapping[Id, Result]
    bound: Mapping[str, Any]
    commit: Commit | None

    def send(self) -> None:
        self.database.commit()

    def unknown(self, words: str, operation: str) -> dict[Id, Result]:
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
            name: replace(result, outcome="unknown", detail=detail)
            if result.outcome == "applied"
            else result
            for name, result in self.results.items()
        }


@dataclass(frozen=True, slots=True)
class Attempt:
    """`number` is the batch's own id in the journal, new for each try; `told` what is known of other jobs by now.

    `seen` carries what was seen of files just before; no file is read while the transaction is open.
    """

    plan: Plan
    seen: Snapshot
    database: Database
    authority: Authority
    number: str
    pause: Callable[[str], None]
    told: Mapping[Id, Result]

    def begin(self) -> Snapshot:
        """Open the transaction. What was seen before it, bound to it."""
        self.database.begin_write()
        self.pause("begun")
        return replace(self.seen, database=self.database, unread={})

    def locked(self, jobs: Sequence[PlannedJob]) -> tuple[Snapshot, Held]:
        """Open the transaction and lock the rows; what they hold is judged by the clock of after. Raises QueryError."""
        snapshot = self.begin()
        held = hold.take(snapshot, self.plan, jobs)
        self.pause("locked")
        return replace(snapshot, clock=self.database.clock()), held

    def bound(self, snapshot: Snapshot, jobs: Sequence[PlannedJob]) -> dict[str, Any]:
        """What an action, its abort and its verify may name."""
        return (
            snapshot.bound
            | snapshot.keys([job.key for job in jobs])
            | {
                "items": [job.item for job in jobs],
                "operation": self.plan.operation,
                "reason": self.authority.reason,
                "actor": self.authority.user,
            }
        )

    def nothing(self, results: Mapping[Id, Result], bound: Mapping[str, Any]) -> Batch:
        """The end of a transaction that has nothing to do."""
        self.database.rollback()
        return Batch(self.database, results, bound, None)

    def close(
        self, transaction: str, results: Mapping[Id, Result], bound: Mapping[str, Any]
    ) -> Batch:
        """The journal is written: nothing is left but the COMMIT."""
        self.pause("journaled")
        commit = Commit(self.number, transaction, self.plan.identity, self.database.pid)
        return Batch(self.database, results, bound, commit)

    def recorded(self, results: Mapping[Id, Result]) -> list[Result]:
        """What this batch did, and what it and those before it left alone; theirs is recorded where they were."""
        before = (one for one in self.told.values() if one.outcome != "applied")
        return list({one.id: one for one in (*before, *results.values())}.values())
