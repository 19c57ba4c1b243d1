"""The server crashed at each step of a reclaim, under an operator whose engine settles what it was told."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Final

from aps import action, journal, settlement
from aps.database import Database
from aps.drill import rows
from aps.drill.ground import Ground
from aps.drill.operator import Operator
from aps.drill.script import Notes, Script
from aps.drill.trials import crashing
from aps.drill.trials.crashing import AFTER, BEFORE, Blow
from aps.model.operation import Operation
from aps.model.plan import Plan
from aps.run import Run

_MOMENT: Final = timedelta(milliseconds=50)
_LONG: Final = timedelta(minutes=14)
# In milliseconds: so long the drill may hold a COMMIT.
_LOCK_WAIT: Final = 20_000

_BEFORE_COMMIT: Final = ("begun", "locked", "judged", "acted", "checked", "journaled")
NOT_DONE: Final = "its COMMIT sent, not done"
NOT_ANSWERED: Final = "its COMMIT done, not answered"
_IN_COMMIT: Final = {NOT_DONE: BEFORE, NOT_ANSWERED: AFTER}
_COMMITTED: Final = "committed"
_STEPS: Final = (*_BEFORE_COMMIT, *_IN_COMMIT, _COMMITTED)

LEFT_ALONE: Final = "running at epoch 1, 0 in the journal"
RECLAIMED: Final = "ready at epoch 2, 1 in the journal"


@dataclass
class Watched:
    """One apply of the real engine, to be crashed `times` at that step; `left` is the job as the first crash left it.

    `patience` is how long the engine asks a server that is away, in seconds; a server that the blow leaves away is
    started again when the engine is done.
    """

    ground: Ground
    plan: Plan
    job: int
    step: str
    blow: Blow
    times: int = 1
    patience: float = settlement.PATIENCE_SECONDS
    tries: int = 0
    pids: list[int] = field(default_factory=list)
    left: str = ""

    def run(self) -> Run:
        operator = Operator(self.ground, pause=self._pause)
        run = operator.run(self.plan)
        run.connect = self._connect
        run.patience = self.patience
        return run

    def _connect(self) -> Database:
        name = f"reclaim/{self.plan.operation[:8]}"
        session = self.ground.session("aps_operate", name, lock=_LOCK_WAIT)
        self.pids.append(session.pid)
        return session

    def _pause(self, step: str) -> None:
        self.tries += step == "begun"
        if step == self.step and self.times:
            self.times -= 1
            self._strike(step)
            if not self.left and self.ground.server.pid:
                self.left = _seen(self.ground, self.job, self.plan)

    def _strike(self, step: str) -> None:
        if step == _COMMITTED:
            # The engine has no session then: the blow meets somebody else's.
            with self.ground.session(name="bystander") as other:
                self.blow(self.ground, other.pid)
        else:
            self.blow(self.ground, self.pids[-1])

    def apply(self) -> Operation:
        event = _IN_COMMIT.get(self.step)
        told = self._in_commit(event) if event else action.apply(self.run())
        crashing.stand(self.ground)
        return told

    def _in_commit(self, event: str) -> Operation:
        """The engine waits for the answer to its COMMIT, so it does so in a thread."""
        with ThreadPoolExecutor(1) as pool:
            with crashing.commits_held(self.ground, event):
                applying = pool.submit(action.apply, self.run())
                rows.waits(self.ground, f"drill/reclaim/{self.plan.operation[:8]}", event)
                self.blow(self.ground, self.pids[-1])
                if not self.ground.server.pid:
                    wait([applying])
                    crashing.stand(self.ground)
            return applying.result()


def _seen(ground: Ground, job: int, plan: Plan) -> str:
    with ground.session("aps_operate", "look") as session:
        row = ground.job(session, job)
        with session.look():
            batches = journal.batches(session, plan.operation)
    return f"{row['state']} at epoch {row['epoch']}, {len(batches)} in the journal"


def abandoned(ground: Ground, count: int) -> list[int]:
    """So many jobs whose lease is over."""
    with ground.session() as session:
        jobs = [ground.accept(session, f"r{number}") for number in range(count)]
        for _ in jobs:
            ground.worker(session, "claim", worker="lost", lease=_MOMENT)
        for job in jobs:
            ground.overdue(session, job)
    return jobs


def reclaim(ground: Ground, notes: Notes, blow: Blow) -> None:
    crashing.plant(ground)
    jobs = abandoned(ground, len(_STEPS))
    notes.did(f"{len(jobs)} jobs were claimed, and their leases ended")
    with crashing.standing(ground):
        for job, step in zip(jobs, _STEPS, strict=True):
            _crashed(ground, notes, job, step, blow)
        _goes_on(ground, notes, jobs)


def _crashed(ground: Ground, notes: Notes, job: int, step: str, blow: Blow) -> None:
    watched = Watched(ground, Operator(ground).plan("reclaim", job), job, step, blow)
    told = watched.apply()
    whose = ", when the operator has no session: another's was met" if step == _COMMITTED else ""
    notes.did(f"job {job} was reclaimed; the crash came at: {step}{whose}")
    stands = step in (_COMMITTED, NOT_ANSWERED)
    if step not in _IN_COMMIT:
        left = RECLAIMED if stands else LEFT_ALONE
        notes.saw(f"{step}: the job as the crash left it", watched.left, left)
    tries = 1 if stands else 2
    notes.saw(f"{step}: what the operator was told", words(told), "applied, verified")
    notes.saw(f"{step}: how often it was tried", watched.tries, tries)
    agrees(ground, notes, step, watched, RECLAIMED)


def agrees(ground: Ground, notes: Notes, step: str, watched: Watched, expected: str) -> None:
    seen = _seen(ground, watched.job, watched.plan)
    notes.saw(f"{step}: the job and the journal", seen, expected)
    notes.saw(f"{step}: what does not fit together", rows.unfitting(ground), [])


def words(told: Operation) -> str:
    outcomes = " ".join(row.outcome for row in told.rows)
    return f"{outcomes}, {'verified' if not told.not_verified else '; '.join(told.not_verified)}"


def _goes_on(ground: Ground, notes: Notes, jobs: list[int]) -> None:
    with ground.session() as session:
        taken = [ground.worker(session, "claim", worker="later", lease=_LONG) or {} for _ in jobs]
    found = sorted((int(one.get("job_id") or 0), one.get("epoch")) for one in taken)
    notes.saw("the jobs that the next claims take", found, [(job, "3") for job in jobs])


_PROVES: Final = (
    "a reclaim that met the crash is whole or not there, and happens once, as the operator was told"
)
SCRIPTS: Final = (
    Script(
        "reclaim-server-crashed",
        "The server is stopped at once at each step of a reclaim",
        _PROVES,
        crashing.NO_POWER_LOSS,
        partial(reclaim, blow=crashing.stopped),
    ),
    Script(
        "reclaim-backend-killed",
        "The operator's own backend is killed at each step of a reclaim",
        _PROVES,
        crashing.NO_POWER_LOSS,
        partial(reclaim, blow=crashing.killed),
    ),
)
