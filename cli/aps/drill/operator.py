"""An operator in a rehearsal: looks, plans and applies by the engine of `aps inspect`, `reclaim` and `reconcile`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from aps import action, completion, planning, recorded, triage
from aps import store as stores
from aps.database import Database
from aps.drill.ground import Ground
from aps.files import Sight
from aps.model.completion import Asked, Completion
from aps.model.operation import Authority, Operation
from aps.model.plan import Plan
from aps.model.report import Job as JobReport
from aps.model.report import Report
from aps.planning import Selection
from aps.run import Run, nothing
from aps.store import LocalStore, Store
from aps.triage import Look

Pause = Callable[[str], None]


@dataclass(frozen=True)
class Operator:
    """`name` acts, in the journal; `pause` hears the steps of an apply, `moving` those within a move of a file."""

    ground: Ground
    name: str = "oncall"
    pause: Pause = nothing
    moving: Pause = nothing

    def session(self, name: str = "plan") -> Database:
        return self.ground.session("aps_operate", name)

    def sight(self, store: Store | None = None) -> Sight:
        """The store, looked at to the last byte."""
        return Sight(store or stores.open(str(self.ground.store)), rehash=True)

    def inspect(self, *jobs: int, files: bool = True) -> Report:
        with self.session() as session:
            look = Look(jobs=tuple(map(str, jobs)), limit=1000)
            return triage.inspect(
                self.ground.matrix, session, look, self.sight() if files else None
            )

    def state(self, job: int, *, files: bool = True) -> JobReport:
        """What one job is in, with its overlays."""
        return self.inspect(job, files=files).jobs[0]

    def plan(self, command: str, *jobs: int, state: str | None = None) -> Plan:
        """`reclaim` or `reconcile`, of these jobs, else of all in that state."""
        chosen = Selection(jobs=tuple(map(str, jobs)), state=state)
        sight = self.sight() if command == "reconcile" else None
        with self.session() as session:
            return planning.plan(self.ground.matrix, session, command, chosen, sight)

    def run(self, plan: Plan) -> Run:
        store = LocalStore(str(self.ground.store).encode(), pause=self.moving)
        return Run(
            plan=plan,
            matrix=self.ground.matrix,
            authority=Authority("a drill", user=self.name, client_host="drill"),
            connect=partial(self.session, f"{plan.command}/{plan.operation[:8]}"),
            sight=self.sight(store) if plan.command != "reclaim" else None,
            pause=self.pause,
        )

    def apply(self, plan: Plan) -> Operation:
        return action.apply(self.run(plan))

    def undo(self, operation: str) -> Operation:
        with self.session() as session:
            plan = recorded.undo(self.ground.matrix, session, operation)
        return self.apply(plan)

    def settle(self) -> list[Operation]:
        """Bring every operation on files that was interrupted to its end."""
        with self.session() as session:
            plans = recorded.unfinished(self.ground.matrix, session, None)
        return [action.settle(self.run(plan)) for plan in plans]

    def answer(self, job: int, asked: Asked) -> Completion:
        """What became of a completion, as `aps reconcile JOB --epoch N` says."""
        with self.session() as session:
            return completion.answer(self.ground.matrix, session, str(job), asked, self.sight())
