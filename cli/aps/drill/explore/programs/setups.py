"""Queues that a program finds."""

from __future__ import annotations

from collections.abc import Mapping

from aps.database import Row
from aps.drill.explore.program import LEASE
from aps.drill.explore.scene import Scene


def accept(scene: Scene, key: str = "r1") -> int:
    """A ready job."""
    caller = scene.session("setup", "aps_work")
    row = scene.call(
        caller, "accept", request_key=key, kind="export", input_name=None, input_digest=None
    )
    return int((row or {})["job_id"] or 0)


def claimed(scene: Scene, worker: str = "A") -> Row:
    """A job that this worker holds under epoch 1."""
    accept(scene)
    row = scene.call(scene.session("setup", "aps_work"), "claim", worker=worker, lease=LEASE)
    return row or {}


def held_by_a(scene: Scene) -> Mapping[str, Row]:
    return {"A": claimed(scene)}


def lost_by_a(scene: Scene) -> Mapping[str, Row]:
    """The same, its lease over."""
    held = held_by_a(scene)
    scene.pass_time(scene.session("clock", "postgres"), "end_leases")
    return held


def two_ready(scene: Scene) -> Mapping[str, Row]:
    accept(scene, "r1")
    accept(scene, "r2")
    return {}
