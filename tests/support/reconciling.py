"""An operator who reconciles a test's database with its store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from aps import action, planning, recorded
from aps import database as sessions
from aps.model.matrix import Matrix
from aps.model.operation import Authority, Operation
from aps.model.plan import Plan
from aps.planning import Selection
from aps.run import Run
from aps.store import LocalStore
from tests.support.artifacts import Artifacts
from tests.support.looking import hasty

# One file, from the look that its move is decided on to the record of what became of it.
GRACELESS = ("--set", "orphan_grace=0s", "--set", "materialization_grace=0s")
STEPS = ("begun", "locked", "judged", "journaled", "committed", "moved", "asked", "closed")

Pause = Callable[[str], None]


def _nothing(_: str) -> None:
    pass


@dataclass(frozen=True)
class Reconciler:
    """`pause` is told the steps of an operation, `moving` those of the store within one move."""

    held: Artifacts
    role: str = "aps_operate"
    pause: Pause = _nothing
    moving: Pause = _nothing

    @property
    def matrix(self) -> Matrix:
        return hasty()

    def session(self, operation: str = "plan") -> sessions.Database:
        name = f"aps/reconcile/{operation}"
        return sessions.connect(self.held.database.dsn(self.role), application=name)

    def plan(self, *jobs: int, state: str | None = None, limit: int | None = None) -> Plan:
        chosen = Selection(jobs=tuple(map(str, jobs)), state=state, limit=limit)
        with self.session() as session:
            return planning.plan(self.matrix, session, "reconcile", chosen, self.held.sight())

    def run(self, plan: Plan, *, batch_size: int = 100) -> Run:
        store = LocalStore(str(self.held.root).encode(), pause=self.moving)
        return Run(
            plan=plan,
            matrix=self.matrix,
            authority=Authority("a test", user="tester", client_host="here"),
            connect=partial(self.session, plan.operation[:8]),
            sight=self.held.sight(store),
            pause=self.pause,
            batch_size=batch_size,
        )

    def apply(self, plan: Plan, **how: Any) -> Operation:
        return action.apply(self.run(plan, **how))

    def reconcile(self, *jobs: int, state: str | None = None, **how: Any) -> Operation:
        """Plan and apply."""
        return self.apply(self.plan(*jobs, state=state), **how)

    def undo(self, operation: Operation) -> Operation:
        with self.session() as session:
            plan = recorded.undo(self.matrix, session, operation.operation)
        return self.apply(plan)

    def settle(self) -> list[Operation]:
        """Bring every interrupted operation to its end."""
        with self.session() as session:
            plans = recorded.unfinished(self.matrix, session, None)
        return [action.settle(self.run(plan)) for plan in plans]


def told(operation: Operation) -> dict[tuple[str, str], str]:
    """Job and item to outcome."""
    return {row.id: row.outcome for row in operation.rows}
