"""A program: some parties, each a list of steps, and the queue that they find."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from aps.database import Database, QueryError, Row
from aps.drill.explore.party import Cue, Play
from aps.drill.explore.scene import Scene
from aps.model.matrix import Matrix

LEASE: Final = timedelta(minutes=10)


@dataclass
class Hand:
    """What a party acts with. Each method is one step, told as `PARTY STEP: ANSWER`. `worker` is the name it gives."""

    scene: Scene
    name: str
    worker: str
    session: Database
    cue: Cue
    holds: Row | None = None

    def tell(self, step: str, answer: str) -> None:
        self.scene.told.steps.append(f"{self.name} {step}: {answer}")
        self.scene.told.outcomes[f"{self.name} {step}: {answer}"] += 1

    def fault(self, invariant: str, detail: str) -> None:
        """Something was answered that must not be."""
        self.scene.told.faults.append((invariant, detail))

    def write(self, statement: str, step: str | None = None, **bound: Any) -> Row | None:
        """A statement of the worker's side. One that fails is a fault, for no order of steps explains it."""
        self.cue(step or statement)
        return self._told(
            step or statement, lambda: self.scene.call(self.session, statement, **bound)
        )

    def open(self, statement: str, **bound: Any) -> Row | None:
        """The same in a transaction that stays open, as a careless worker leaves it; `leave` ends it."""
        step = f"{statement}, not committed"
        self.cue(step)
        self.session.begin_write()
        sql = self.scene.statement(statement)
        return self._told(step, lambda: next(iter(self.session.rows(sql, bound)), None))

    def leave(self, *, commit: bool = True) -> None:
        """End the open transaction."""
        step = "commit" if commit else "rollback"
        self.cue(step)
        if commit:
            self.session.commit()
        else:
            self.session.rollback()
        self.tell(step, "done")

    def _told(self, step: str, call: Callable[[], Row | None]) -> Row | None:
        try:
            row = call()
        except QueryError as error:
            self.tell(step, error.sqlstate)
            self.fault("a statement of the queue does not fail", f"{step}: {error}")
            return None
        self.tell(step, _answer(row))
        return row

    def take(self, statement: str, **bound: Any) -> bool:
        """Claim or adopt; whether it got something."""
        self.holds = self.write(statement, worker=self.worker, lease=LEASE, **bound)
        return self.holds is not None

    def own(self, statement: str, step: str | None = None, **bound: Any) -> Row | None:
        """A statement under what it holds, as its owner, whether it still is or not."""
        held = self.holds or {}
        fence = {"job_id": int(held["job_id"] or 0), "epoch": int(held["epoch"] or 0)}
        return self.write(statement, step, worker=self.worker, **fence, **bound)

    def heartbeat(self, lease: timedelta = LEASE) -> None:
        self.own("heartbeat", lease=lease, progress=True)

    def publish(self) -> None:
        self.own("publish", digest=digest(self.worker))

    def fail(self) -> None:
        self.own("fail", reason="it broke", retry=True)

    def release(self) -> None:
        self.own("release")

    def cancel(self, job: int, epoch: int) -> None:
        self.write("cancel", job_id=job, epoch=epoch, reason="not needed")

    def end_leases(self, how: str = "end_leases") -> None:
        """A step of time itself: every lease that was given is over."""
        self.cue("leases end")
        self.scene.pass_time(self.session, how)
        self.tell("leases end", "over")


@dataclass(frozen=True, slots=True)
class Role:
    """One party of a program: what it does, as a member of which role, and by which name, else its own."""

    play: Callable[[Hand], object]
    role: str = "aps_work"
    worker: str | None = None


def _nothing(scene: Scene) -> Iterable[tuple[str, str]]:
    return ()


def _as_it_is(matrix: Matrix) -> Matrix:
    return matrix


@dataclass(frozen=True, slots=True)
class Program:
    """`setup` makes the queue that the parties find, and gives what each of them holds already.

    `check` tells what does not hold beside the invariants, after each step: its name, and what was seen. `matrix` makes
    the one that operators read the queue by. `broken` names invariants that a hand breaks on purpose.
    """

    name: str
    title: str
    parties: Mapping[str, Role]
    setup: Callable[[Scene], Mapping[str, Row]]
    check: Callable[[Scene], Iterable[tuple[str, str]]] = _nothing
    matrix: Callable[[Matrix], Matrix] = _as_it_is
    broken: tuple[str, ...] = ()

    def plays(self, scene: Scene) -> dict[str, tuple[int, Play]]:
        """Each party with its session, ready to be put in lockstep; the queue is as `setup` makes it."""
        scene.clear()
        scene.read_by(self.matrix)
        held = self.setup(scene)
        return {
            name: _player(scene, name, role, held.get(name)) for name, role in self.parties.items()
        }


def _player(scene: Scene, name: str, role: Role, held: Row | None) -> tuple[int, Play]:
    # The application's name tells the watch who changed a row.
    prefix = "operator/" if role.role == "aps_operate" else ""
    session = scene.session(f"{prefix}{name}", role.role)

    def play(cue: Cue) -> None:
        try:
            role.play(Hand(scene, name, role.worker or name, session, cue, held))
        finally:
            # Dismissed in the middle of a transaction it must hold nothing against the next interleaving.
            session.rollback()

    return session.pid, play


def digest(worker: str) -> str:
    """What that worker makes: other bytes than any other one's."""
    return f"sha256:{hashlib.sha256(worker.encode()).hexdigest()}"


def _answer(row: Row | None) -> str:
    """What the statement says of itself; of a claim or adoption, what was taken."""
    if row is None:
        return "nothing"
    return str(row["answer"]) if "answer" in row else f"job {row['job_id']} epoch {row['epoch']}"
