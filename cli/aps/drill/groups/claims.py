"""Groups 1 to 4: choosing a job and taking possession of it."""

from __future__ import annotations

from typing import Final

from aps.demo import actor
from aps.drill import rows
from aps.drill.ground import Ground
from aps.drill.groups import parts
from aps.drill.operator import Operator
from aps.drill.scene import scene
from aps.drill.script import Notes, Script
from aps.drill.waiting import until


def two_claimers(ground: Ground, notes: Notes) -> None:
    workers = [ground.actor(actor.held_midway, parts.LEASE) for _ in range(2)]
    with scene(ground, notes) as seen:
        jobs = [seen.accept(f"r{number}") for number in (1, 2)]
        notes.did("two requests were accepted, and two worker processes claimed at once")
        for worker in workers:
            worker.cue()
        taken = [int(worker.news()) for worker in workers]
        notes.saw("the jobs that they took", sorted(taken), jobs)
        owners = [seen.row(job)["worker"] for job in taken]
        notes.saw("the owners on the rows", owners, [worker.name for worker in workers])
        notes.saw("the epochs", [seen.row(job)["epoch"] for job in jobs], ["1", "1"])
        seen.fits()


def one_transaction(ground: Ground, notes: Notes) -> None:
    dying = ground.actor(parts.claims_openly(ground, "dying"), parts.LEASE, name="dying")
    other = ground.actor(parts.tries(ground, "other"), parts.LEASE, name="other")
    with scene(ground, notes) as seen:
        job = seen.accept("r1")
        before = seen.row(job)
        dying.cue()
        notes.saw("what the claim returned to its worker", dying.news(), f"job {job} epoch 1")
        notes.did("a worker claimed in a transaction, and was killed before its COMMIT")
        notes.saw("the row while it was not committed", seen.row(job), before)
        dying.kill()
        until(lambda: not _held(ground, job), "the server to notice that the worker is gone")
        notes.saw("the row after the crash", seen.row(job), before)
        notes.saw("what happened to the job", seen.kinds(job), ["accepted"])
        other.cue()
        notes.saw("what the next worker got", other.news(), f"job {job} epoch 1 at try 1")
        seen.fits()


def _held(ground: Ground, job: int) -> bool:
    detail = Operator(ground).state(job, files=False).detail
    return bool(detail and detail.holders)


def empty_claim(ground: Ground, notes: Notes) -> None:
    worker = ground.actor(parts.tries(ground, "w1"), parts.LEASE, name="w1")
    with scene(ground, notes) as seen:
        job = seen.accept("r1")
        with rows.row_held(ground, job):
            notes.did("somebody's transaction held the only ready job, and a worker claimed")
            worker.cue()
            notes.held(
                "the claim", (told := worker.news()).startswith(parts.NOT_NOW), told, parts.NOT_NOW
            )
            looked = Operator(ground).inspect(files=False)
            ready = next(one for one in looked.states if one.state == "ready")
            notes.saw("jobs that are ready, as `aps inspect` counts", ready.jobs, 1)
            one = Operator(ground).state(job, files=False)
            notes.saw("its state, as `aps inspect JOB` says", one.state, "ready")
            holders = one.detail.holders if one.detail else None
            names = [holder.application for holder in holders or ()]
            notes.saw("who holds it", names, ["drill/holder"])
        worker.cue()
        notes.saw("the claim after that", worker.news(), f"job {job} epoch 1 at try 1")


def bounded_retry(ground: Ground, notes: Notes) -> None:
    worker = ground.actor(parts.tries(ground, "w1"), parts.LEASE, name="w1")
    with scene(ground, notes) as seen:
        worker.cue()
        notes.saw("with no job at all", worker.news(), f"{parts.NOTHING} at try 1")
        job = seen.accept("r1")
        with rows.row_held(ground, job):
            worker.cue()
            told = f"{parts.NOT_NOW} after {parts.TRIES} tries"
            notes.saw("with one job that is held", worker.news(), told)
        worker.cue()
        notes.saw("with the job let go", worker.news(), f"job {job} epoch 1 at try 1")
        worker.cue()
        notes.saw("with that job taken", worker.news(), f"{parts.NOTHING} at try 1")
        notes.did(
            f"a worker tried {parts.TRIES} times at most, and after each empty claim asked without a lock whether any "
            "job is ready"
        )


SCRIPTS: Final = (
    Script(
        "two-claimers",
        "Two claimers get different jobs",
        "a claim skips what another one holds, and two claims at once take a job each",
        "any order or fairness between the two",
        two_claimers,
    ),
    Script(
        "one-transaction",
        "Choosing and possession are one transaction",
        "a worker that dies before its COMMIT leaves the job as it was: ready, no epoch spent, no attempt",
        "what a worker does that acts outside the database before its COMMIT",
        one_transaction,
    ),
    Script(
        "empty-claim",
        "An empty claim is not an empty queue",
        "a claim that returns nothing says only that it got nothing; the job is seen, ready, its holder named",
        "for how long the holder will keep it",
        empty_claim,
    ),
    Script(
        "bounded-retry",
        "Bounded retry tells nothing eligible from not available now",
        "a look without locks beside the claim tells the two apart, and the number of tries is bounded",
        "that a job which is not available now will be soon",
        bounded_retry,
    ),
)
