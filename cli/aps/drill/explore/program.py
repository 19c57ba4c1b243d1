"""A program: some parties, each a list of steps, and the queue that they find."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from aps.database import Database, QueryError, Row
from aps.drill.explore.party import Cue, Play
from aps.drill.explore.scene import Scene

LEASE: Final = timedelta(minutes=10)


@dataclass
class Hand:
    """What a party acts with. Each method is one step, told as `PARTY STEP: ANSWER`."""

    scene: Scene
    name: str
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
        try:
            row = self.scene.call(self.session, statement, **bound)
        except QueryError as error:
            self.tell(step or statement, error.sqlstate)
            self.fault("a statement of the queue does not fail", f"{statement}: {error}")
            return None
        self.tell(step or statement, _answer(row))
        return row

    def take(self, statement: str, **bound: Any) -> bool:
        """Claim or adopt; whether it got something."""
        self.holds = self.write(statement, worker=self.name, lease=LEASE, **bound)
        return self.holds is not None

    def own(self, statement: str, step: str | None = None, **bound: Any) -> Row | None:
        """A statement under what it holds, as its owner, whether it still is or not."""
        held = self.holds or {}
        fence = {"job_id": int(held["job_id"] or 0), "epoch": int(held["epoch"] or 0)}
        return self.write(statement, step, worker=self.name, **fence, **bound)

    def end_leases(self, how: str = "end_leases") -> None:
        """A step of time itself: every lease that was given is over."""
        self.cue("leases end")
        self.scene.pass_time(self.session, how)
        self.tell("leases end", "over")

    def heartbeat(self) -> Row | None:
        return self.own("heartbeat", lease=LEASE, progress=True)

    def publish(self) -> Row | None:
        return self.own("publish", digest=digest(self.name))


@dataclass(frozen=True, slots=True)
class Role:
    """One party of a program: what it does, and as a member of which role."""

    play: Callable[[Hand], None]
    role: str = "aps_work"


@dataclass(frozen=True, slots=True)
class Program:
    """`setup` makes the queue that the parties find, and gives what each of them holds already."""

    name: str
    title: str
    parties: Mapping[str, Role]
    setup: Callable[[Scene], Mapping[str, Row]]

    def plays(self, scene: Scene) -> dict[str, tuple[int, Play]]:
        """Each party with its session, ready to be put in lockstep; the queue is as `setup` makes it."""
        scene.clear()
        held = self.setup(scene)
        return {
            name: _player(scene, name, role, held.get(name)) for name, role in self.parties.items()
        }


def _player(scene: Scene, name: str, role: Role, held: Row | None) -> tuple[int, Play]:
    # The application's name tells the watch who changed a row.
    prefix = "operator/" if role.role == "aps_operate" else ""
    session = scene.session(f"{prefix}{name}", role.role)
    return session.pid, lambda cue: role.play(Hand(scene, name, session, cue, held))


def digest(worker: str) -> str:
    """What that worker makes: other bytes than any other one's."""
    return f"sha256:{hashlib.sha256(worker.encode()).hexdigest()}"


def _answer(row: Row | None) -> str:
    """What the statement says of itself; of a claim or adoption, what was taken."""
    if row is None:
        return "nothing"
    return str(row["answer"]) if "answer" in row else f"job {row['job_id']} epoch {row['epoch']}"
