"""Queues that a program finds. Beside the job that it is about stands another one that nobody may touch."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from aps.database import Row
from aps.drill.explore.program import LEASE, digest
from aps.drill.explore.scene import Scene

# Over before long, and longer than a step takes; where it is not, a write is refused that need not be.
SHORT: Final = timedelta(milliseconds=40)
INPUT: Final = {"input_name": "inputs/r1.csv", "input_digest": digest("input")}


def call(scene: Scene, statement: str, **bound: Any) -> Row:
    """A statement of the worker's side, before anybody else comes."""
    return scene.call(scene.session("setup", "aps_work"), statement, **bound) or {}


def accept(scene: Scene, key: str = "r1", **more: Any) -> int:
    """A ready job; with an input one that waits for it."""
    given = {"kind": "export", "input_name": None, "input_digest": None} | more
    return int(call(scene, "accept", request_key=key, **given)["job_id"] or 0)


def end_leases(scene: Scene) -> None:
    scene.pass_time(scene.session("clock", "postgres"), "end_leases")


def held_by_a(scene: Scene, lease: timedelta = LEASE) -> Mapping[str, Row]:
    """Job 1, which A holds under epoch 1; and job 2, ready."""
    accept(scene)
    held = {"A": call(scene, "claim", worker="A", lease=lease)}
    accept(scene, "bystander")
    return held


def held_alone(scene: Scene) -> Mapping[str, Row]:
    """Job 1 alone, which A holds under epoch 1."""
    accept(scene)
    return {"A": call(scene, "claim", worker="A", lease=LEASE)}


def held_shortly(scene: Scene) -> Mapping[str, Row]:
    return held_by_a(scene, SHORT)


def held_by_many(scene: Scene) -> Mapping[str, Row]:
    """Job 1, which A holds, as others know who act as A, or in its place."""
    held = held_by_a(scene)["A"]
    return dict.fromkeys(("A", "D", "E", "I"), held)


def lost_by_a(scene: Scene) -> Mapping[str, Row]:
    """Job 1, whose lease is over."""
    held = held_by_a(scene)
    end_leases(scene)
    return held


def lost_twice(scene: Scene) -> Mapping[str, Row]:
    """Job 1, which A and another one lost."""
    lost_by_a(scene)
    call(scene, "adopt", worker="Z", lease=LEASE, abandon_limit=9)
    end_leases(scene)
    return {}


def lost_by_many(scene: Scene) -> Mapping[str, Row]:
    """The same, as others know it who act as A."""
    return dict.fromkeys(("A", "D", "E"), lost_by_a(scene)["A"])


def two_ready(scene: Scene) -> Mapping[str, Row]:
    accept(scene, "r1")
    accept(scene, "r2")
    return {}


def waiting(scene: Scene) -> Mapping[str, Row]:
    """Job 1, which waits for its input; and job 2, which waits for another one."""
    accept(scene, **INPUT)
    accept(scene, "bystander", input_name="inputs/r2.csv", input_digest=digest("input 2"))
    return {}


def forged(scene: Scene) -> Mapping[str, Row]:
    """Jobs that are ready or overdue and inconsistent, and nothing else."""
    scene.forge()
    return {}


def empty(_scene: Scene) -> Mapping[str, Row]:
    return {}
