"""Half a file: of a worker that was killed while it wrote, and of a publication that lost its end."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Final

from aps.demo import actor
from aps.demo.export import digest
from aps.drill import rows
from aps.drill.ground import Ground
from aps.drill.operator import Operator
from aps.drill.script import Notes, Script

_SHORT: Final = timedelta(milliseconds=800)
_LONG: Final = timedelta(minutes=14)
_MANY: Final = 99


def truncated(ground: Ground, notes: Notes) -> None:
    writer = ground.actor(actor.held_midway, _SHORT)
    adopter = ground.actor(actor.all_jobs, _LONG, _MANY)
    with ground.session() as session, ground.session("aps_read") as reader:
        job = ground.accept(session, "r1")
        writer.holds()
        partial = str(ground.job(reader, job)["candidate"])
        writer.kill()
        notes.did("a worker was killed while it wrote its file")
        left = (ground.store / partial).read_bytes()
        notes.held("what it left", bool(left), f"{len(left)} bytes", "some of the file")
        ground.overdue(reader, job)
        notes.saw("the job when the lease is over", _state(ground, job)[0], "adoption")
        notes.saw("its results", ground.ask(reader, "results", job_id=job), [])
        adopter.cue()
        adopter.news()
        notes.did("the lease ended, and another worker took the job over")
        (result,) = ground.ask(reader, "results", job_id=job)
        whole = ground.store / str(result["name"])
        content = whole.read_bytes()
        told = (result["epoch"], result["digest"])
        notes.saw("the result, by epoch and digest", told, ("2", digest(content)))
        notes.held("the file of the result", len(content) > len(left), len(content), "all of it")
        known = [*_state(ground, job), (ground.store / partial).read_bytes() == left]
        expected = ["confirmed_publication", "orphan_candidate", True]
        notes.saw("the job, and whether the first file is as it was", known, expected)
        notes.saw("what does not fit together", rows.unfitting(ground), [])
        _cut(ground, notes, job, whole)
        notes.saw("its results after that", ground.ask(reader, "results", job_id=job), [])


def _state(ground: Ground, job: int) -> list[str]:
    seen = Operator(ground).state(job)
    return [seen.state, *seen.overlays]


def _cut(ground: Ground, notes: Notes, job: int, file: Path) -> None:
    """The published file loses its last byte, then all of them; the operator withdraws it."""
    for size in (file.stat().st_size - 1, 0):
        os.truncate(file, size)
        seen = _state(ground, job)
        notes.saw(f"the job with {size} bytes of its file", seen[0], "missing_artifact")
    operator = Operator(ground)
    told = operator.apply(operator.plan("reconcile", job, state="missing_artifact"))
    notes.did("the published file was cut off, and its publication withdrawn")
    notes.saw("the withdrawal", [row.outcome for row in told.rows], ["applied"])


SCRIPTS: Final = (
    Script(
        "storage-truncated",
        "A worker is killed while it writes, and a published file loses its end",
        "half a file is never published; the lost end of a published one is seen, to the byte, where the file is read",
        "that a consumer sees it before the publication is withdrawn: the queue itself does not read files",
        truncated,
    ),
)
