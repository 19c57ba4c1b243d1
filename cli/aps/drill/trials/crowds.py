"""Many consumers on few jobs, one of which somebody holds."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from aps.demo.actor import Actor, Prompter
from aps.demo.export import export, line
from aps.demo.worker import Worker
from aps.drill import rows
from aps.drill.ground import Ground
from aps.drill.operator import Operator
from aps.drill.scene import LONG, Scene
from aps.drill.scene import scene as opened
from aps.drill.script import Notes, Script
from aps.drill.trials import deadlocks
from aps.errors import ApsError

_CONSUMERS: Final = 40
_JOBS: Final = 6
# Who waits for a lock is broken off, so that a queue that makes them wait shows.
_NO_LONG_WAITS: Final = "-c lock_timeout=2s"
_NOTHING: Final = "nothing"
_BLOCKED: Final = "blocked"


def _consume(worker: Worker, prompter: Prompter, store: Path) -> None:
    """On each of two cues see one job to its end, where there is one; tell how long that took, and how it ended."""
    for _ in range(2):
        prompter.wait()
        began = time.monotonic()
        try:
            ended = worker.run_one(partial(export, store=store))
            told = line(ended) if ended else _NOTHING
        except ApsError as error:
            told = f"{_BLOCKED} {error}"
        prompter.tell(f"{time.monotonic() - began:.3f} {told}")


@dataclass(frozen=True, slots=True)
class _Served:
    """What the consumers were told: the jobs that they ended, how many got nothing, how many waited for a lock."""

    jobs: tuple[int, ...]
    nothing: int
    blocked: int
    longest: float


def _asked(consumers: Sequence[Actor]) -> _Served:
    for one in consumers:
        one.cue()
    told = [one.news().split() for one in consumers]
    return _Served(
        jobs=tuple(sorted(int(words[2]) for words in told if words[1] == "published")),
        nothing=sum(words[1] == _NOTHING for words in told),
        blocked=sum(words[1] == _BLOCKED for words in told),
        longest=max(float(words[0]) for words in told),
    )


def forty(ground: Ground, notes: Notes) -> None:
    with _broken_off():
        consumers = [ground.actor(_consume, LONG) for _ in range(_CONSUMERS)]
    with opened(ground, notes) as scene:
        # The oldest is held: everybody comes to it first.
        held, *others = [scene.accept(f"r{number}") for number in range(_JOBS)]
        with rows.row_held(ground, held):
            served = _asked(consumers)
            notes.did(
                f"{_CONSUMERS} consumers claimed once, at once, {_JOBS} jobs, of which an open transaction held one; "
                f"{served.nothing} got nothing, and the slowest had its answer after {served.longest:.3f} s"
            )
            notes.saw("consumers that were blocked", served.blocked, 0)
            notes.saw("the jobs that were taken and ended", list(served.jobs), others)
            _meanwhile(scene, held)
        later = _asked(consumers)
        notes.did(
            f"the transaction ended, and all claimed once more: {later.nothing} got nothing, the slowest had its "
            f"answer after {later.longest:.3f} s"
        )
        notes.saw("the jobs that were taken and ended then", list(later.jobs), [held])
        taken = [scene.kinds(job) for job in (held, *others)]
        once = ["accepted", "claimed", "progressed", "published"]
        often = [[kind for kind in once if kinds.count(kind) > 1] for kinds in taken]
        notes.saw("what happened to a job more than once", [kinds for kinds in often if kinds], [])
        scene.fits()


@contextmanager
def _broken_off() -> Iterator[None]:
    """Who is forked now has that setting in its session."""
    os.environ["PGOPTIONS"] = _NO_LONG_WAITS
    try:
        yield
    finally:
        del os.environ["PGOPTIONS"]


def _meanwhile(scene: Scene, held: int) -> None:
    """What an operator sees while the last job that is ready is held."""
    notes, operator = scene.notes, Operator(scene.ground)
    (ready,) = (one for one in operator.inspect(files=False).states if one.state == "ready")
    notes.saw("jobs ready, of these locked", (ready.jobs, ready.locked), (1, 1))
    notes.did(f"the oldest ready job was {ready.oldest_seconds or 0:.3f} s old by then")
    job = operator.state(held, files=False)
    holders = (job.detail.holders or ()) if job.detail else ()
    told = (job.state, [one.application for one in holders])
    notes.saw("state and holder of the one that is held", told, ("ready", ["drill/holder"]))


SCRIPTS: Final = (
    Script(
        "forty-consumers",
        "Forty consumers claim few jobs, one of which is locked for long",
        "nobody waits for the one that is held, each of the others is taken once, and one consumer takes it when it is "
        "let go",
        "any fairness: most got nothing, and the oldest job waited as long as it was held; both are told",
        forty,
    ),
    *deadlocks.SCRIPTS,
)
