"""Heartbeats that come later each time, until one comes after the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from aps.database import timestamp
from aps.demo.actor import Actor, Part, Prompter
from aps.demo.export import export, line
from aps.demo.worker import Claim, Worker
from aps.drill.ground import Ground
from aps.drill.scene import LEASES, Scene, changed
from aps.drill.scene import scene as opened
from aps.drill.script import Notes, Script
from aps.errors import DatabaseError

# What is over of a lease when a heartbeat is sent.
_IN_TIME: Final = (0.25, 0.5, 0.75)
_OVER: Final = 1.0


class Eager(Worker):
    """The reference worker, which renews its lease after every step."""

    def _between_steps(self, claim: Claim) -> None:
        self._renewed = float("-inf")
        super()._between_steps(claim)


class _Telling(Eager):
    """It tells the answer to every heartbeat."""

    def __init__(self, prompter: Prompter, *given: Any, **further: Any) -> None:
        super().__init__(*given, **further)
        self._prompter = prompter

    def _tell(self, statement: str, claim: Claim, **more: Any) -> str:
        answer = super()._tell(statement, claim, **more)
        if statement == "heartbeat":
            self._prompter.tell(answer)
        return answer


def _cued(ground: Ground, name: str, lease: timedelta) -> Part:
    """On the first cue take a job; on each further one a step of its work, and a heartbeat."""

    def part(plain: Worker, prompter: Prompter, store: Path) -> None:
        def work(claim: Claim) -> Iterator[bytes]:
            prompter.tell(str(claim.job_id))
            for row in export(claim, store):
                prompter.wait()
                yield row

        prompter.wait()
        queries = ground.yard.queries
        with _Telling(prompter, plain.connect, store, name, lease, queries=queries) as worker:
            ended = worker.run_one(work)
            prompter.tell(line(ended) if ended else "nothing")

    return part


@dataclass(frozen=True, slots=True)
class _Beat:
    """One heartbeat: its answer, and how many seconds of the lease were left when it was judged."""

    answer: str
    left: float

    @property
    def side(self) -> str:
        return f"judged {'before' if self.left > 0 else 'after'} the end of the lease"


def late(ground: Ground, notes: Notes) -> None:
    names = [f"w{number}" for number in range(1, len(LEASES) + 1)]
    workers = [
        ground.actor(_cued(ground, name, lease), lease, name=name)
        for name, lease in zip(names, LEASES, strict=True)
    ]
    with opened(ground, notes) as scene:
        for worker, lease in zip(workers, LEASES, strict=True):
            job = scene.accept(worker.name)
            worker.holds()
            beats = _later_and_later(scene, worker, job, lease)
            _judge(scene, worker, job, beats, lease)
            if len(beats) > len(_IN_TIME):
                break
            notes.did("one came later than it was to; the next worker has a longer lease")
        else:
            raise DatabaseError("on this machine no worker was in time with its heartbeats")
        scene.fits()


def _later_and_later(scene: Scene, worker: Actor, job: int, lease: timedelta) -> list[_Beat]:
    beats: list[_Beat] = []
    for over in (*_IN_TIME, _OVER):
        end = scene.row(job)["lease_until"]
        if over < _OVER:
            scene.until_left(job, lease.total_seconds() * (1 - over))
        else:
            scene.overdue(job)
        worker.cue()
        beats.append(_beat(scene, worker.news(), job, end, lease))
        if beats[-1].answer != "renewed":
            break
    return beats


def _beat(scene: Scene, answer: str, job: int, end: str | None, lease: timedelta) -> _Beat:
    """When it was judged is what the queue has on record, whatever the worker was told."""
    if scene.kinds(job)[-1] == "rejected":
        return _Beat(answer, -scene.later(job, "rejected", end))
    # A lease that is renewed begins when it is judged.
    judged = timestamp(scene.row(job)["lease_until"]) - lease
    return _Beat(answer, (timestamp(end) - judged).total_seconds())


def _judge(scene: Scene, worker: Actor, job: int, beats: list[_Beat], lease: timedelta) -> None:
    notes = scene.notes
    left = ", ".join(f"{beat.left * 1000:.0f}" for beat in beats)
    notes.did(
        f"{worker.name} sent its heartbeats later each time; of {lease.total_seconds()} s were left, in ms: {left}"
    )
    for number, beat in enumerate(beats, start=1):
        expected = "renewed" if beat.left > 0 else "rejected"
        notes.saw(f"{worker.name}, heartbeat {number}, {beat.side}", beat.answer, expected)
    if beats[-1].answer != "rejected":
        return
    row = scene.row(job)
    # So that a worker that would go on does.
    with suppress(BrokenPipeError):
        worker.cue()
    told = worker.news().split()[:3]
    notes.saw(f"{worker.name}: how it ended", told, ["rejected", str(job), "1"])
    happened = ["accepted", "claimed", *["progressed"] * (len(beats) - 1), "rejected"]
    notes.saw(f"{worker.name}: what happened to its job", scene.kinds(job), happened)
    notes.saw(f"{worker.name}: the result", scene.result(job), [])
    notes.saw(f"{worker.name}: what of the row is another", changed(row, scene.row(job)), {})


SCRIPTS: Final = (
    Script(
        "heartbeats-late",
        "A worker's heartbeats come later each time, the last one too late",
        "a heartbeat before the end renews the whole lease, however late it is; the first one after it is refused, and "
        "the worker stops and publishes nothing",
        "how late a heartbeat may be sent: what was left of each lease is told, and depends on the machine",
        late,
    ),
)
