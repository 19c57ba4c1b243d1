"""What the trials of cleanups share: files that were left, an operation held at each of its steps, what lies where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from aps.demo.actor import Actor, Prompter
from aps.demo.export import digest, export
from aps.demo.worker import Claim, Worker, WorkFailed
from aps.drill.ground import Ground
from aps.drill.operator import Operator
from aps.drill.script import Notes
from aps.model.operation import Operation
from aps.model.plan import Plan
from aps.store import IDENTITY_NAME, QUARANTINE

LONG: Final = timedelta(minutes=14)
STATE: Final = "orphan_candidate"
MOVE: Final = "move "
# Of one file each; what `aps.store.quarantine` names is told with `move` before it.
OF_A_FILE: Final = (
    *(
        MOVE + step
        for step in (
            "judged",
            "folder",
            "linked",
            "synced",
            "checked",
            "aside",
            "removed",
            "done",
        )
    ),
    "moved",
)
# Of the whole operation, while its rows are locked and before or after that.
LOCKED: Final = ("locked", "judged", "journaled")
OF_ALL: Final = ("begun", *LOCKED, "committed", "asked", "closed")
STEPS: Final = (*OF_A_FILE, *OF_ALL)
# The same, in the order in which an operation meets them.
MET: Final = ("begun", *LOCKED, "committed", *OF_A_FILE, "asked", "closed")

Outcomes = dict[int, str]


def _leaves_files(worker: Worker, prompter: Prompter, store: Path) -> None:
    """On the cue take every job that is ready, write its file whole, and say that it failed."""

    def work(claim: Claim) -> Iterator[bytes]:
        yield from export(claim, store)
        raise WorkFailed("its result was refused")

    prompter.wait()
    while worker.run_one(work):
        pass
    prompter.tell("nothing is ready")


def leaver(ground: Ground) -> Actor:
    """A worker process that leaves a whole file and a failed job of every job that is ready."""
    return ground.actor(_leaves_files, LONG)


def left_behind(ground: Ground, worker: Actor, count: int) -> list[int]:
    """So many jobs, each with an orphan candidate."""
    with ground.session() as session:
        jobs = [ground.accept(session, f"left {number}") for number in range(count)]
    worker.cue()
    worker.news()
    return jobs


def contents(ground: Ground) -> dict[str, bytes]:
    """Every file below the store by its name, but for what says which store it is."""
    return {
        str(file.relative_to(ground.store)): file.read_bytes()
        for file in sorted(ground.store.rglob("*"))
        if file.is_file() and file.name != IDENTITY_NAME
    }


def candidates(ground: Ground, jobs: Sequence[int]) -> dict[int, dict[int, str]]:
    """Of each job the names that were handed out, by epoch."""
    with ground.session("aps_read", "names") as session:
        rows = {job: ground.ask(session, "attempts", job_id=job) for job in jobs}
    return {
        job: {int(one["epoch"] or 0): str(one["candidate"]) for one in found}
        for job, found in rows.items()
    }


def names_of(files: dict[str, bytes], content: bytes) -> list[str]:
    """The names of the file with these bytes. What a job writes has the bytes of no other job's."""
    return [name for name, found in files.items() if found == content]


def place(operation: str, name: str) -> str:
    """Where an operation puts that file."""
    return f"{QUARANTINE}/{operation}/{name}"


@dataclass(frozen=True, slots=True)
class Moves:
    """What the journal says of files that went into quarantine, and of what was intended only."""

    applied: tuple[tuple[str, str], ...]
    unrecorded: tuple[str, ...]

    @property
    def operations(self) -> list[str]:
        return sorted({operation for operation, _ in self.applied})


def moves(ground: Ground) -> Moves:
    """By the journal; what was undone meanwhile counts as well."""
    with ground.session("aps_operate", "journal") as session:
        found = ground.ask(session, "cleanup_moves")
    return Moves(
        tuple(
            (str(one["operation"]), str(one["item"]))
            for one in found
            if (one["outcome"], one["command"]) == ("applied", "reconcile")
        ),
        tuple(str(one["item"]) for one in found if one["outcome"] in (None, "unknown")),
    )


def astray(ground: Ground, notes: Notes, before: dict[str, bytes], names: Sequence[str]) -> Moves:
    """Note which of these files lie elsewhere than in the quarantines that the journal names, and nowhere else."""
    found, now = moves(ground), contents(ground)
    wrong = {}
    for name in names:
        lies = names_of(now, before[name])
        recorded = sorted(place(operation, name) for operation, of in found.applied if of == name)
        if lies != recorded or not lies:
            wrong[name] = lies
    notes.saw("files with other names than those in quarantine that the journal has", wrong, {})
    notes.saw("moves without an outcome in the journal", list(found.unrecorded), [])
    return found


def result(ground: Ground, job: int) -> str:
    """What a reader has of a job: by the view, and by the bytes in the store."""
    with ground.session("aps_read", "reader") as session:
        found = ground.ask(session, "results", job_id=job)
    if not found:
        return "no result"
    name = str(found[0]["name"])
    file = ground.store / name
    if not file.is_file():
        return f"{name}, absent"
    return (
        f"{name}, {'whole' if digest(file.read_bytes()) == found[0]['digest'] else 'other bytes'}"
    )


def differing(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    """The files that are not in both with the same bytes."""
    return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))


def told(operation: Operation) -> Outcomes:
    """Job to outcome."""
    return {int(row.job): row.outcome for row in operation.rows}


class Held:
    """An operation on files, one a job, that stands once at each of `steps`, each time because of another file.

    `then` is called while it stands, with step and job. The first files are those of the steps of a file: one that is
    not moved has no such steps, so it comes after them.
    """

    def __init__(
        self,
        ground: Ground,
        then: Callable[[str, int], None],
        steps: Sequence[str] = STEPS,
        name: str = "first",
    ) -> None:
        self._then = then
        self._steps = steps
        self._moved = 0
        self.operator = Operator(
            ground, name, self._paused, lambda step: self._reached(MOVE + step)
        )
        # Step to job, of those that it has stood at; job to the name of its file.
        self.met: dict[str, int] = {}
        self.names: dict[int, str] = {}

    def plan(self) -> Plan:
        """Of all files that were left."""
        plan = self.operator.plan("reconcile", state=STATE)
        self.names = {int(one.job): str(one.evidence[0]["item"]) for one in plan.jobs}
        self._waiting = dict(zip(self._steps, self.names, strict=False))
        return plan

    def _paused(self, step: str) -> None:
        self._reached(step)
        self._moved += step == "moved"

    def _reached(self, step: str) -> None:
        job = self._waiting.get(step)
        if job is None or (step in OF_A_FILE and list(self.names)[self._moved] != job):
            return
        self.met[step] = self._waiting.pop(step)
        self._then(step, job)
