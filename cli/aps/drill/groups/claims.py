"""Groups 1 to 4: choosing a job and taking possession of it."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from aps.demo import actor
from aps.drill.ground import Ground
from aps.drill.script import Notes, Script

_LONG: Final = timedelta(minutes=14)


def two_claimers(ground: Ground, notes: Notes) -> None:
    workers = [ground.actor(actor.held_midway, _LONG) for _ in range(2)]
    with ground.session() as session, ground.session("aps_read") as reader:
        jobs = [ground.accept(session, f"r{number}") for number in (1, 2)]
        notes.did("two requests were accepted, and two worker processes claimed at once")
        for worker in workers:
            worker.cue()
        taken = [int(worker.news()) for worker in workers]
        notes.saw("the jobs that they took", sorted(taken), jobs)
        owners = [ground.job(reader, job)["worker"] for job in taken]
        notes.saw("the owners on the rows", owners, [worker.name for worker in workers])


SCRIPTS: Final = (
    Script(
        "two-claimers",
        "Two claimers get different jobs",
        "a claim skips what another holds, and takes possession in the same transaction",
        "any order or fairness between the two",
        two_claimers,
    ),
)
