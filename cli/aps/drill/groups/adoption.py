"""Groups 5 to 8: a lease ends, another worker takes over, and the one before goes on."""

from __future__ import annotations

from typing import Final

from aps.demo import actor
from aps.demo.actor import Actor
from aps.drill.ground import Ground
from aps.drill.groups import parts
from aps.drill.scene import Scene, changed, scene
from aps.drill.script import Notes, Script

# What an adoption writes, and nothing else.
_WRITTEN: Final = ["candidate", "epoch", "lease_until", "started_at", "updated_at", "worker"]


def too_early(ground: Ground, notes: Notes) -> None:
    owner = ground.actor(actor.held_midway, parts.LEASE)
    heir = ground.actor(parts.adopts_once(ground, "heir"), parts.LEASE, name="heir")
    with scene(ground, notes) as seen:
        job = seen.accept("r1")
        owner.holds()
        before = seen.row(job)
        heir.cue()
        notes.did(
            "a worker had the job under a lease that lives, and another one tried to adopt it"
        )
        notes.saw("what it got", heir.news(), "nothing")
        notes.saw("what of the row is another", changed(before, seen.row(job)), {})
        owner.cue()
        told = owner.news().split()[:3]
        notes.saw("how the owner ended", told, ["published", str(job), "1"])


def at_the_end(ground: Ground, notes: Notes) -> None:
    owner = ground.actor(actor.held_midway, parts.SHORT)
    steady = ground.actor(actor.held_midway, parts.LEASE)
    heir = ground.actor(parts.adopts_once(ground, "heir"), parts.LEASE, name="heir")
    with scene(ground, notes) as seen:
        jobs = []
        for key, worker in (("overdue", owner), ("steady", steady)):
            jobs.append(seen.accept(key))
            worker.holds()
        owner.freeze()
        seen.overdue(jobs[0])
        before = [seen.row(job) for job in jobs]
        heir.cue()
        notes.did("of two jobs one lease ended, and a worker adopted")
        notes.saw("what it got", heir.news(), f"job {jobs[0]} epoch 2")
        after = [changed(row, seen.row(job)) for row, job in zip(before, jobs, strict=True)]
        notes.saw("the columns that it wrote", sorted(after[0]), _WRITTEN)
        notes.saw("the worker", after[0].get("worker"), (owner.name, "heir"))
        notes.saw("the epoch", after[0].get("epoch"), ("1", "2"))
        notes.saw("what of the other row is another", after[1], {})
        heir.cue()
        notes.saw("what it got when it tried again", heir.news(), "nothing")
        seen.fits()


def _lost(seen: Scene, ground: Ground, owner: Actor, heir: Actor) -> int:
    """The owner's lease ends while it stands still; the heir has the job under epoch 2."""
    job = seen.accept("r1")
    owner.cue()
    owner.news()
    owner.freeze()
    seen.overdue(job)
    heir.cue()
    seen.notes.saw("the adoption", heir.news(), f"job {job} epoch 2")
    seen.notes.did(
        "the owner was stopped past its lease, another worker adopted the job, and the owner was woken"
    )
    owner.wake()
    return job


def old_session(ground: Ground, notes: Notes) -> None:
    owner = ground.actor(parts.talks(ground, "old"), parts.LEASE, name="old")
    heir = ground.actor(parts.adopts_once(ground, "heir"), parts.LEASE, name="heir")
    with scene(ground, notes) as seen:
        job = _lost(seen, ground, owner, heir)
        owner.cue()
        notes.saw("what its session reads of the job", owner.news(), "epoch 2 of heir")
        sessions = ground.ask(seen.reader, "sessions", application="worker/old")
        # One of the process itself, one that it talks on.
        notes.held("sessions of the old worker", len(sessions) > 0, len(sessions), "some")
        notes.saw("the owner on the row", seen.row(job)["worker"], "heir")


def old_heartbeat(ground: Ground, notes: Notes) -> None:
    owner = ground.actor(parts.talks(ground, "old"), parts.LEASE, name="old")
    heir = ground.actor(parts.adopts_once(ground, "heir"), parts.LEASE, name="heir")
    with scene(ground, notes) as seen:
        job = _lost(seen, ground, owner, heir)
        owner.cue()
        owner.news()
        before = seen.row(job)
        owner.cue()
        notes.saw("the answer to its heartbeat", owner.news(), "rejected")
        after = seen.row(job)
        notes.saw("the lease of the new owner", after["lease_until"], before["lease_until"])
        notes.saw("what of the row is another", changed(before, after), {})
        last = seen.events(job)[-1]
        event = (last["kind"], last["epoch"], last["worker"])
        notes.saw("the last event", event, ("rejected", "1", "old"))


SCRIPTS: Final = (
    Script(
        "early-adoption",
        "An adoption before the lease ends changes nothing",
        "a lease that lives keeps others off, whatever its worker does",
        "that its worker is alive",
        too_early,
    ),
    Script(
        "adoption",
        "At the end of the lease an adoption changes one row: the worker, and the epoch by one",
        "one job passes on to one worker under the next epoch, and no other row is touched",
        "that the worker before has ended",
        at_the_end,
    ),
    Script(
        "old-session",
        "The old session still works after it lost its authority",
        "losing the job ends neither process nor session: what keeps the old worker out is the fence alone",
        "that it does nothing elsewhere",
        old_session,
    ),
    Script(
        "old-heartbeat",
        "The heartbeat of the old epoch matches nothing",
        "it is refused, recorded, and does not prolong the lease of the new owner by a microsecond",
        "that the old worker stops when it is refused: the reference worker does, others may not",
        old_heartbeat,
    ),
)
