"""The server crashed at each step of a publication, under a worker process that asks again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

from aps.demo.actor import Actor, Part, Prompter
from aps.demo.export import digest, export, line
from aps.demo.worker import Claim, Worker
from aps.drill import rows
from aps.drill.ground import Ground
from aps.drill.script import Notes, Script
from aps.drill.trials import crashes_lasting, crashes_reclaim, crashing
from aps.drill.trials.crashing import AFTER, BEFORE, Blow

_LONG: Final = timedelta(minutes=14)


class _Stepwise(Worker):
    """The reference worker, which tells when its file is safe, and publishes on a cue."""

    def __init__(self, prompter: Prompter, *given: Any, **further: Any) -> None:
        super().__init__(*given, **further)
        self._prompter = prompter

    def stand(self, words: str) -> None:
        """Tell that, with the backend of the session, and wait for a cue."""
        self._prompter.tell(f"{words} {self._database.pid}")
        self._prompter.wait()

    def _tell(self, statement: str, claim: Claim, **more: Any) -> str:
        if statement == "publish":
            self.stand("safe")
        return super()._tell(statement, claim, **more)


def _stepwise(ground: Ground, name: str) -> Part:
    """On the first cue take a job, on the second write its file, on the third publish it; tell of each."""

    def part(plain: Worker, prompter: Prompter, store: Path) -> None:
        # Its session is opened then: the crashes before have cut those that were there.
        prompter.wait()
        queries = ground.yard.queries
        worker = _Stepwise(prompter, plain.connect, store, name, _LONG, queries=queries)

        def work(claim: Claim) -> Iterator[bytes]:
            worker.stand(f"{claim.job_id}")
            yield from export(claim, store)

        with worker:
            ended = worker.run_one(work)
            prompter.tell(line(ended) if ended else "nothing")

    return part


@dataclass(frozen=True, slots=True)
class _Case:
    """A worker on its way to a publication, on a job that it has taken, with the backend of its session."""

    ground: Ground
    worker: Actor
    job: int
    pid: int

    def write(self) -> None:
        self.worker.cue()
        self.worker.news()

    def publish(self, waiting_for: str) -> None:
        """Send the statement, and return once it waits."""
        self.worker.cue()
        rows.waits(self.ground, f"worker/{self.worker.name}", waiting_for)


@contextmanager
def _unwritten(case: _Case) -> Iterator[None]:
    yield
    case.write()
    case.worker.cue()


@contextmanager
def _unsent(case: _Case) -> Iterator[None]:
    case.write()
    yield
    case.worker.cue()


@contextmanager
def _waiting(case: _Case) -> Iterator[None]:
    case.write()
    with rows.row_held(case.ground, case.job):
        case.publish(rows.ROW)
        yield


@contextmanager
def _held(case: _Case, event: str) -> Iterator[None]:
    case.write()
    with crashing.commits_held(case.ground, event):
        case.publish(event)
        yield


# From a crash there to the end the worker has cues for all that it still does.
_STEPS: Final[dict[str, Callable[[_Case], AbstractContextManager[None]]]] = {
    "before its file was written": _unwritten,
    "its file safe, the statement not sent": _unsent,
    "the statement waiting for the lock of the row": _waiting,
    "the statement done, its COMMIT not": partial(_held, event=BEFORE),
    "committed, the answer not sent": partial(_held, event=AFTER),
}
_COMMITTED: Final = "committed, the answer not sent"


def publish(ground: Ground, notes: Notes, blow: Blow) -> None:
    names = [f"w{number}" for number in range(1, len(_STEPS) + 1)]
    workers = [ground.actor(_stepwise(ground, name), _LONG, name=name) for name in names]
    crashing.plant(ground)
    with crashing.standing(ground):
        for worker, step in zip(workers, _STEPS, strict=True):
            _crashed(ground, notes, worker, step, blow)
        _goes_on(ground, notes)


def _crashed(ground: Ground, notes: Notes, worker: Actor, step: str, blow: Blow) -> None:
    with ground.session() as session:
        ground.accept(session, step)
    worker.cue()
    job, pid = map(int, worker.news().split())
    case = _Case(ground, worker, job, pid)
    with _STEPS[step](case):
        # So that it asks nothing before the row has been looked at.
        worker.freeze()
        blow(ground, pid)
        left = _seen(ground, job)
        worker.wake()
    told = worker.news().split()
    notes.did(f"{worker.name} published; the crash came at: {step}")
    stands = step == _COMMITTED
    expected = "complete at epoch 1, a result" if stands else "running at epoch 1, no result"
    notes.saw(f"{step}: the job as the crash left it", left, expected)
    answer = "repeated" if stands else "published"
    notes.saw(f"{step}: what the worker was told", told[:3], [answer, str(job), "1"])
    notes.saw(f"{step}: the result", *_results(ground, job, told[-1]))
    notes.saw(f"{step}: what does not fit together", rows.unfitting(ground), [])


def _seen(ground: Ground, job: int) -> str:
    with ground.session("aps_read", "look") as reader:
        row = ground.job(reader, job)
        results = ground.ask(reader, "results", job_id=job)
    return f"{row['state']} at epoch {row['epoch']}, {'a' if results else 'no'} result"


def _results(ground: Ground, job: int, candidate: str) -> tuple[object, object]:
    """What consumers read, and the file that the worker wrote."""
    with ground.session("aps_read", "look") as reader:
        found = [tuple(row.values()) for row in ground.ask(reader, "results", job_id=job)]
    return found, [(candidate, digest((ground.store / candidate).read_bytes()), "1")]


def _goes_on(ground: Ground, notes: Notes) -> None:
    with ground.session() as session:
        job = ground.accept(session, "afterwards")
        taken = ground.worker(session, "claim", worker="later", lease=_LONG) or {}
    notes.saw("the job that the next claim takes", taken.get("job_id"), str(job))


_PROVES: Final = "a publication that met the crash is whole or not there; asked again it is told which, and counts once"
SCRIPTS: Final = (
    Script(
        "publish-server-crashed",
        "The server is stopped at once at each step of a publication",
        _PROVES,
        crashing.NO_POWER_LOSS,
        partial(publish, blow=crashing.stopped),
    ),
    Script(
        "publish-backend-killed",
        "The worker's own backend is killed at each step of a publication",
        _PROVES,
        crashing.NO_POWER_LOSS,
        partial(publish, blow=crashing.killed),
    ),
    *crashes_reclaim.SCRIPTS,
    *crashes_lasting.SCRIPTS,
)
