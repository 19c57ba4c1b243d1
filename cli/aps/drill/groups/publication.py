"""Groups 9 to 13: one result an epoch, said again, said too late, and said of a job that was cancelled."""

from __future__ import annotations

from typing import Final

from aps.database import Row
from aps.demo import actor
from aps.demo.actor import Actor
from aps.demo.export import digest
from aps.drill.ground import Ground
from aps.drill.groups import parts
from aps.drill.operator import Operator
from aps.drill.scene import Scene, changed, scene
from aps.drill.script import Notes, Script
from aps.model.completion import Asked


def old_publication(ground: Ground, notes: Notes) -> None:
    owner = ground.actor(actor.held_at_the_end, parts.SHORT)
    heir = ground.actor(actor.held_at_the_end, parts.LEASE, parts.MANY)
    with scene(ground, notes) as seen:
        job, file = _lost(seen, owner, heir)
        content, before = (ground.store / file).read_bytes(), seen.row(job)
        owner.cue()
        owner.wake()
        notes.did(
            "the owner before, its file whole, was woken when another one had adopted the job, and published"
        )
        notes.saw("what it was told", owner.news().split()[:3], ["rejected", str(job), "1"])
        notes.saw("what of the row is another", changed(before, seen.row(job)), {})
        notes.saw("the results", seen.result(job), [])
        notes.saw("its candidate, byte for byte", (ground.store / file).read_bytes(), content)


def _lost(seen: Scene, owner: Actor, heir: Actor) -> tuple[int, str]:
    """A job that the owner lost with its file written, and that the heir has; the job and that file."""
    job = seen.accept("r1")
    owner.holds()
    file = str(seen.row(job)["candidate"])
    owner.freeze()
    seen.overdue(job)
    seen.notes.saw("the job that was adopted", heir.holds(), job)
    return job, file


def _published(seen: Scene, worker: Actor) -> tuple[int, Row]:
    """A job that this worker took and published; and its row."""
    job = seen.accept("r1")
    worker.holds()
    worker.cue()
    told = worker.news().split()[:3]
    seen.notes.saw("how its worker ended", told, ["published", str(job), "1"])
    return job, seen.row(job)


def once(ground: Ground, notes: Notes) -> None:
    worker = ground.actor(actor.held_midway, parts.LEASE)
    with scene(ground, notes) as seen:
        job, row = _published(seen, worker)
        notes.did("a worker wrote its file and published")
        name = str(row["published_name"])
        content = (ground.store / name).read_bytes()
        notes.saw("the result", seen.result(job), [(name, "1")])
        notes.saw("the recorded digest", row["published_digest"], digest(content))
        notes.saw("how often it was published", seen.kinds(job).count("published"), 1)
        attempts = ground.ask(seen.reader, "attempts", job_id=job)
        ends = [(one["candidate"], one["ended_as"]) for one in attempts]
        notes.saw("its attempts", ends, [(name, "published")])
        state = Operator(ground).state(job).state
        notes.saw("its state, its file rehashed", state, "confirmed_publication")


def repeated(ground: Ground, notes: Notes) -> None:
    worker = ground.actor(actor.held_midway, parts.LEASE)
    with scene(ground, notes) as seen:
        job, row = _published(seen, worker)
        told = {"worker": worker.name, "epoch": 1, "digest": row["published_digest"]}
        again = ground.worker(seen.session, "publish", job_id=job, **told) or {}
        notes.did("the same completion was sent again, and an operator asked what became of it")
        notes.saw("the answer", again.get("answer"), "repeated")
        notes.saw("what of the row is another", changed(row, seen.row(job)), {})
        answer = _asked(ground, job, worker.name, row, "1")
        notes.saw("what the operator is told", answer, "applied")


def superseded(ground: Ground, notes: Notes) -> None:
    owner = ground.actor(actor.held_at_the_end, parts.SHORT)
    heir = ground.actor(actor.held_at_the_end, parts.LEASE, parts.MANY)
    with scene(ground, notes) as seen:
        job, file = _lost(seen, owner, heir)
        heir.cue()
        told = heir.news().split()[:3]
        notes.saw("how the new owner ended", told, ["published", str(job), "2"])
        row = seen.row(job)
        owner.cue()
        owner.wake()
        notes.did("the epoch before sent its completion after the next one had published")
        notes.saw("what it was told", owner.news().split()[0], "rejected")
        notes.saw("what of the row is another", changed(row, seen.row(job)), {})
        late = {**row, "published_name": file}
        answer = _asked(ground, job, owner.name, late, "1")
        notes.saw("what the operator is told of it", answer, "superseded")
        answer = _asked(ground, job, heir.name, row, "2")
        notes.saw("and of the one that stands", answer, "applied")


def _asked(ground: Ground, job: int, worker: str, row: Row, epoch: str) -> str:
    asked = Asked(epoch, worker, row["published_name"], row["published_digest"])
    return Operator(ground).answer(job, asked).answer


def cancelled(ground: Ground, notes: Notes) -> None:
    worker = ground.actor(actor.held_midway, parts.LEASE)
    with scene(ground, notes) as seen:
        job = seen.accept("r1")
        worker.holds()
        cancel = {"epoch": 1, "reason": "not needed any more"}
        answer = ground.worker(seen.session, "cancel", job_id=job, **cancel) or {}
        notes.did("a job was cancelled while its worker ran, and the worker went on")
        notes.saw("the answer to the cancellation", answer.get("answer"), "cancelled")
        row = seen.row(job)
        notes.saw("the worker on the row", row["worker"], worker.name)
        sessions = ground.ask(seen.reader, "sessions", application=f"worker/{worker.name}")
        notes.saw("sessions that its process has", len(sessions), 1)
        worker.cue()
        notes.saw("what it was told at its end", worker.news().split()[0], "rejected")
        notes.saw("what of the row is another", changed(row, seen.row(job)), {})
        notes.saw("the results", seen.result(job), [])
        done = {**row, "published_name": row["candidate"]}
        answered = _asked(ground, job, worker.name, done, "1")
        notes.saw("what the operator is told", answered, "cancelled")


SCRIPTS: Final = (
    Script(
        "old-publication",
        "The publication of the old epoch matches nothing; its candidate stays",
        "a late result changes no row and is no result, and its file is kept as it was written",
        "that nobody reads the file by its name: only the view of results says what is one",
        old_publication,
    ),
    Script(
        "publication",
        "The current epoch publishes once, with name and digest",
        "one update records name and digest of the file that lies there, and ends job and attempt",
        "that the bytes are the right ones: the digest is of what the worker wrote",
        once,
    ),
    Script(
        "repeated-completion",
        "Repeating the completion matches nothing and is answered as already applied",
        "a worker that lost the answer may ask again: nothing changes, and it hears that its result stands",
        "anything of a completion with another digest, which is answered as incompatible",
        repeated,
    ),
    Script(
        "superseded-completion",
        "The same completion from the old epoch is answered as superseded",
        "an operator can tell a worker that came too late from one whose answer was lost",
        "what the late worker did elsewhere",
        superseded,
    ),
    Script(
        "cancelled-job",
        "A cancelled job refuses the transition of a running one, and the process goes on",
        "cancelling forbids every later transition, and ends no process",
        "that an effect outside the database is undone",
        cancelled,
    ),
)
