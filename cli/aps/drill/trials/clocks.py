"""Wall clocks that disagree with that of the server."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from aps import render
from aps.database import timestamp
from aps.demo.actor import Actor, Part, Prompter
from aps.demo.export import export, line
from aps.demo.worker import Claim, Worker
from aps.drill.ground import Ground
from aps.drill.operator import Operator
from aps.drill.scene import LONG, MANY, Scene
from aps.drill.scene import scene as opened
from aps.drill.script import Notes, Script
from aps.drill.trials import heartbeats
from aps.drill.trials.heartbeats import Eager
from aps.drill.trials.shifting import shift

_NOTHING: Final = "nothing"
_HOUR: Final = timedelta(hours=1)
# Ahead and behind; far more than any lease.
_OFF: Final = {"ahead": 5, "behind": -5}


def _works(ground: Ground, name: str, hours: int) -> Part:
    """With its clock off: at a cue tell what that says, and try to take a job; then two jobs, cue by cue."""

    def part(plain: Worker, prompter: Prompter, store: Path) -> None:
        shift(hours * _HOUR)
        queries = ground.yard.queries
        with Eager(plain.connect, store, name, LONG, MANY, queries=queries) as worker:
            prompter.wait()
            said = {"time": time.time(), "datetime": datetime.now().astimezone().timestamp()}
            prompter.tell(json.dumps(said))
            ended = worker.run_one(partial(export, store=store))
            prompter.tell(line(ended) if ended else _NOTHING)
            for _ in range(2):
                prompter.wait()
                ended = worker.run_one(partial(_step_by_step, prompter, store))
                prompter.tell(line(ended) if ended else _NOTHING)

    return part


def _step_by_step(prompter: Prompter, store: Path, claim: Claim) -> Iterator[bytes]:
    """Stand before the first heartbeat, and after some."""
    rows = export(claim, store)
    prompter.tell(str(claim.job_id))
    prompter.wait()
    yield from islice(rows, 2)
    prompter.tell("renewed")
    prompter.wait()
    yield from rows


def _looks(ground: Ground, hours: int) -> Part:
    """An operator with its clock off: at the cue look at the jobs 1 and 2, and tell it with the screen of `inspect`."""

    def part(_: Worker, prompter: Prompter, __: Path) -> None:
        shift(hours * _HOUR)
        prompter.wait()
        report = Operator(ground).inspect(1, 2, files=False)
        seen = {
            "states": [job.state for job in report.jobs],
            "off": report.database.clock_difference_seconds,
            "screen": " ".join(render.report(report, "table", render.View()).split()),
        }
        prompter.tell(json.dumps(seen))

    return part


def clock_off(ground: Ground, notes: Notes) -> None:
    workers = {
        side: ground.actor(_works(ground, side, hours), LONG, name=side)
        for side, hours in _OFF.items()
    }
    operators = {
        side: ground.actor(_looks(ground, hours), LONG, name=f"operator/{side}")
        for side, hours in _OFF.items()
    }
    with opened(ground, notes) as scene:
        _left_by_another(scene, LONG)
        over = _left_by_another(scene, timedelta(milliseconds=10))
        scene.overdue(over)
        notes.did("another took two jobs, one for fourteen minutes, one until its lease was over")
        for side, operator in operators.items():
            _seen(scene, side, operator)
        scene.ground.worker(
            scene.session, "cancel", job_id=over, epoch=1, reason="looked at, not to be adopted"
        )
        for side, worker in workers.items():
            _worked(scene, side, worker)
        scene.fits()


def _left_by_another(scene: Scene, lease: timedelta) -> int:
    """A job that another has taken for so long."""
    job = scene.accept(f"{lease} {scene.clock()}")
    scene.ground.worker(scene.session, "claim", worker="another", lease=lease)
    return job


def _seen(scene: Scene, side: str, operator: Actor) -> None:
    notes, hours = scene.notes, _OFF[side]
    operator.cue()
    seen = json.loads(operator.news())
    notes.did(f"an operator whose clock is {abs(hours)} hours {side} looked at both jobs")
    notes.saw(f"operator {side}: the states", seen["states"], ["live_lease", "adoption"])
    notes.saw(f"operator {side}: hours that its clock is off", round(seen["off"] / 3600, 1), hours)
    words = f"this machine is {side}"
    told = words if words in seen["screen"] else seen["screen"]
    notes.saw(f"operator {side}: the screen of aps inspect", told, words)


def _worked(scene: Scene, side: str, worker: Actor) -> None:
    notes, hours = scene.notes, _OFF[side]
    server = scene.clock().timestamp()
    worker.cue()
    said = json.loads(worker.news())
    off = {name: round((clock - server) / 3600, 1) for name, clock in said.items()}
    notes.did(f"a worker whose clock and time zone are {abs(hours)} hours {side} was at work")
    notes.saw(f"worker {side}: hours that its clock is off", off, dict.fromkeys(off, hours))
    notes.saw(f"worker {side}: what it takes while another's lease lives", worker.news(), _NOTHING)
    _one_job(scene, side, worker, scene.accept(f"claimed {side}"), "1")
    over = _left_by_another(scene, timedelta(milliseconds=10))
    scene.overdue(over)
    _one_job(scene, side, worker, over, "2")


def _one_job(scene: Scene, side: str, worker: Actor, job: int, epoch: str) -> None:
    notes, what = scene.notes, f"worker {side}, epoch {epoch}"
    clock = [scene.clock()]
    worker.cue()
    notes.saw(f"{what}: the job that it took", int(worker.news()), job)
    taken = scene.row(job)
    clock.append(scene.clock())
    worker.cue()
    worker.news()
    renewed = scene.row(job)
    clock.append(scene.clock())
    worker.cue()
    told = worker.news().split()[:3]
    notes.saw(f"{what}: how it ended", told, ["published", str(job), epoch])
    published = scene.row(job)
    clock.append(scene.clock())
    times = {
        "taken": (clock[0], taken["started_at"], clock[1]),
        "lease": (clock[0] + LONG, taken["lease_until"], clock[1] + LONG),
        "renewed lease": (clock[1] + LONG, renewed["lease_until"], clock[2] + LONG),
        "published": (clock[2], published["published_at"], clock[3]),
    }
    wrong = {
        name: text
        for name, (first, text, last) in times.items()
        if not text or not first <= timestamp(text) <= last
    }
    notes.saw(f"{what}: times of the row that are not of the server's clock", wrong, {})


SCRIPTS: Final = (
    Script(
        "clock-off",
        "The clocks of a worker and of an operator are hours off",
        "times on a row are the server's, and the server's clock alone says whether a lease is over; aps inspect tells "
        "how far this machine is off",
        "what a server does whose own clock is set; here Python's wall clock and the time zone of two processes were "
        "shifted, and neither the machine's clock nor the monotonic one that a worker counts its steps by",
        clock_off,
    ),
    *heartbeats.SCRIPTS,
)
