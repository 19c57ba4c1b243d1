"""Worker processes that stand still (SIGSTOP) around the end of their lease, and go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from aps.demo import actor
from aps.demo.actor import Actor
from aps.drill import rows
from aps.drill.ground import Ground
from aps.drill.scene import LEASES, LONG, MANY, SHORT, Scene, changed
from aps.drill.scene import scene as opened
from aps.drill.script import Notes, Script
from aps.drill.waiting import until
from aps.errors import DatabaseError

_ADOPTED: Final = "woken when another had adopted the job"
_PUBLISHED: Final = "woken when another had adopted the job and published"
_NOBODY: Final = "woken after the end, the job adopted by nobody"
_WRITES: Final = {"heartbeat": actor.held_midway, "publication": actor.held_at_the_end}


def in_time(ground: Ground, notes: Notes) -> None:
    workers = [ground.actor(actor.held_midway, lease) for lease in LEASES]
    with opened(ground, notes) as scene:
        for worker, lease in zip(workers, LEASES, strict=True):
            job = scene.accept(worker.name)
            worker.holds()
            worker.freeze()
            scene.until_left(job, lease.total_seconds() * 0.4)
            worker.cue()
            notes.did(
                f"{worker.name} stood still until {scene.left(job):.3f} s of {lease.total_seconds()} s were left"
            )
            worker.wake()
            answer = worker.news().split()[0]
            if answer == "published":
                break
            if not _too_slow(scene, job):
                return
        else:
            raise DatabaseError("this machine woke no worker in time")
        kinds = scene.kinds(job)
        notes.saw("how its job ended", kinds[-1], "published")
        notes.saw("whether it renewed the lease before", "progressed" in kinds, True)
        notes.saw("epochs of its results", [epoch for _, epoch in scene.result(job)], ["1"])


def _too_slow(scene: Scene, job: int) -> bool:
    """Whether it was refused because this machine woke it, or went on with it, after the end."""
    seen = scene.kinds(job)[-1]
    scene.notes.saw("what it was told where it was not published", seen, "rejected")
    if seen != "rejected":
        return False
    later = scene.later(job, "rejected", scene.row(job)["lease_until"])
    scene.notes.held("seconds from the end of its lease to that", later >= 0, later, "0 or more")
    scene.notes.did("it came too late; the next worker has a longer lease")
    return later >= 0


@dataclass(frozen=True)
class _Sleeper:
    """A worker to be stopped in the middle of its work; `write` is the next statement that it sends."""

    case: str
    write: str
    worker: Actor
    heir: Actor | None

    @property
    def what(self) -> str:
        return f"{self.case}, its {self.write}"


def too_late(ground: Ground, notes: Notes) -> None:
    sleepers = []
    # In this order: those adopted are those whose leases end first.
    for case in (_PUBLISHED, _ADOPTED, _NOBODY):
        for write, part in _WRITES.items():
            heir = None if case == _NOBODY else ground.actor(actor.held_at_the_end, LONG, MANY)
            sleepers.append(_Sleeper(case, write, ground.actor(part, SHORT), heir))
    with opened(ground, notes) as scene:
        jobs = []
        for sleeper in sleepers:
            jobs.append(scene.accept(sleeper.what))
            sleeper.worker.holds()
            sleeper.worker.freeze()
        notes.did(f"{len(jobs)} workers took a job each for a short time and were stopped at work")
        for job in jobs:
            scene.overdue(job)
        notes.did("all leases ended, and others adopted four of the jobs")
        _pass_on(scene, sleepers, jobs)
        for sleeper, job in zip(sleepers, jobs, strict=True):
            _woken(scene, sleeper, job)
        scene.fits()


def _pass_on(scene: Scene, sleepers: Sequence[_Sleeper], jobs: Sequence[int]) -> None:
    for sleeper, job in zip(sleepers, jobs, strict=True):
        if sleeper.heir:
            adopted = sleeper.heir.holds()
            scene.notes.saw(f"{sleeper.what}: the job that another adopted", adopted, job)
            if sleeper.case == _PUBLISHED:
                _publishes(scene, sleeper, sleeper.heir, job)


def _publishes(scene: Scene, sleeper: _Sleeper, heir: Actor, job: int) -> None:
    heir.cue()
    told = heir.news().split()[:3]
    scene.notes.saw(f"{sleeper.what}: the new owner", told, ["published", str(job), "2"])


def _woken(scene: Scene, sleeper: _Sleeper, job: int) -> None:
    notes, what, worker = scene.notes, sleeper.what, sleeper.worker
    row = scene.row(job)
    worker.cue()
    worker.wake()
    told = worker.news().split()
    notes.saw(f"{what}: what it was told", told[:3], ["rejected", str(job), "1"])
    notes.saw(f"{what}: what of the row is another", changed(row, scene.row(job)), {})
    last = scene.events(job)[-1]
    event = (last["kind"], last["epoch"], last["worker"])
    notes.saw(f"{what}: the last event", event, ("rejected", "1", worker.name))
    kept = (scene.ground.store / told[-1]).is_file()
    notes.saw(f"{what}: its file is where it was", kept, True)
    if sleeper.heir and sleeper.case == _ADOPTED:
        _publishes(scene, sleeper, sleeper.heir, job)
    epochs = [epoch for _, epoch in scene.result(job)]
    notes.saw(f"{what}: epochs of the results", epochs, ["2"] if sleeper.heir else [])


def outwaited(ground: Ground, notes: Notes) -> None:
    late = {write: ground.actor(part, SHORT) for write, part in _WRITES.items()}
    patient = ground.actor(actor.held_at_the_end, LONG)
    with opened(ground, notes) as scene:
        for write, worker in late.items():
            job = scene.accept(write)
            worker.holds()
            # A third of the lease is over: a heartbeat is due.
            scene.until_left(job, SHORT.total_seconds() * 0.6)
            _stopped_in_it(scene, worker, write, job, over=True)
        job = scene.accept("patient")
        patient.holds()
        _stopped_in_it(scene, patient, "publication", job, over=False)
        scene.fits()


def _stopped_in_it(scene: Scene, worker: Actor, write: str, job: int, *, over: bool) -> None:
    """It has sent its next statement, which waits for a row that somebody holds, and stands still until it is done."""
    notes, row, before = scene.notes, scene.row(job), len(scene.kinds(job))
    with rows.row_held(scene.ground, job):
        worker.cue()
        rows.waits(scene.ground, f"worker/{worker.name}", rows.ROW)
        worker.freeze()
        if over:
            scene.overdue(job)
    when = "after the end" if over else "before the end"
    what = f"{write}, the row let go {when}"
    notes.did(
        f"{worker.name} was stopped while its {write} waited for the row; that was let go {when} of its lease"
    )
    until(lambda: len(scene.kinds(job)) > before, "the statement to be done")
    answer = "rejected" if over else "published"
    notes.saw(f"{what}: what it did while the worker stood still", scene.kinds(job)[-1], answer)
    if over:
        notes.saw(f"{what}: what of the row is another", changed(row, scene.row(job)), {})
    worker.wake()
    told = worker.news().split()[:3]
    notes.saw(f"{what}: what the worker was told", told, [answer, str(job), "1"])
    epochs = [epoch for _, epoch in scene.result(job)]
    notes.saw(f"{what}: epochs of the results", epochs, [] if over else ["1"])


SCRIPTS: Final = (
    Script(
        "worker-woken-in-time",
        "A worker is stopped, and woken just before its lease ends",
        "a worker that stood still loses nothing by that while its lease lives: it renews the lease and publishes",
        "how little may be left of a lease for that: what was left here is told, and depends on the machine",
        in_time,
    ),
    Script(
        "worker-woken-too-late",
        "A worker is stopped, and woken after its lease ended",
        "the first statement that it sends then is refused, whoever has the job by then; it changes no row but leaves "
        "an event, and its file stays",
        "that it does nothing elsewhere before it hears of the refusal",
        too_late,
    ),
    Script(
        "statement-outwaits-lease",
        "A worker is stopped while its statement waits for the row",
        "a statement is judged by the clock after its wait, not by when it was sent; it is done though its sender "
        "stands still",
        "how long a statement may wait for a row",
        outwaited,
    ),
)
