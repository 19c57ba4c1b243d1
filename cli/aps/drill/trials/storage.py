"""Storage that fails under a worker: full, closed for writing, gone, or left with half a file."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final

from aps.demo.actor import Actor, Part, Prompter
from aps.demo.export import digest, line
from aps.demo.worker import Claim, Worker
from aps.drill import rows
from aps.drill.ground import Ground
from aps.drill.operator import Operator
from aps.drill.script import Notes, Script
from aps.drill.trials import storage_gone, storage_truncated
from aps.drill.trials.disks import PAGE, Disk, Full, ReadOnly
from aps.store import IDENTITY_NAME

_SHORT: Final = timedelta(milliseconds=800)
_LONG: Final = timedelta(minutes=14)
_POLL: Final = 0.02
_MANY: Final = 99
_STEPS: Final = 16
_STEP: Final = b"x" * (4 * PAGE // _STEPS - 1) + b"\n"
_WHOLE: Final = digest(_STEP * _STEPS)
# The first of a fresh queue.
_JOB: Final = 1


def _work(_: Claim) -> Iterator[bytes]:
    for _step in range(_STEPS):
        yield _STEP


def _on(ground: Ground, disk: Disk) -> Part:
    """A machine with that disk. At each cue one of: the disk fails, a worker runs, a look; all three with it mended."""

    def part(worker: Worker, prompter: Prompter, store: Path) -> None:
        again = Worker(worker.connect, store, "again", _LONG, _MANY, queries=ground.yard.queries)
        acts: tuple[Callable[[], str], ...] = (
            partial(disk.close, store),
            partial(_attempt, worker),
            partial(_look, ground),
            partial(disk.open, store),
            partial(_attempt, again),
            partial(_look, ground),
        )
        for act in acts:
            prompter.wait()
            prompter.tell(act())

    return part


def _attempt(worker: Worker) -> str:
    """How a job ended, or, where the process would end, why."""
    try:
        while (ended := worker.run_one(_work)) is None:
            time.sleep(_POLL)
    except OSError as error:
        return error.strerror or "an error of the system"
    return line(ended)


def _look(ground: Ground) -> str:
    """What an operator on this machine sees, and the files of the job there: whole, or how many bytes of it."""
    seen = Operator(ground).state(_JOB)
    files = {
        file.relative_to(ground.store).as_posix(): _told(file.read_bytes())
        for file in sorted(ground.store.rglob("*"))
        if file.is_file() and file.name != IDENTITY_NAME
    }
    return json.dumps({"state": [seen.state, *sorted(seen.overlays)], "files": files})


def _told(content: bytes) -> str:
    return "whole" if digest(content) == _WHOLE else f"{len(content)} bytes"


def _next(machine: Actor) -> str:
    machine.cue()
    return machine.news()


def full(ground: Ground, notes: Notes) -> None:
    machine = ground.actor(_on(ground, Full()), _SHORT, name="first")
    if not _failed(ground, notes, machine, errno.ENOSPC, errno.EFBIG):
        return
    state, files = _seen(machine)
    part = len(files) == 1 and not set(files.values()) & {"whole", "0 bytes"}
    notes.saw("the job then", state, ["adoption", "unconfirmed_result"])
    notes.held("its files", part, files, "one, a part of it")
    _mended(ground, notes, machine)


def read_only(ground: Ground, notes: Notes) -> None:
    machine = ground.actor(_on(ground, ReadOnly()), _SHORT, name="first")
    if not _failed(ground, notes, machine, errno.EROFS, errno.EACCES, errno.EFBIG):
        return
    state, files = _seen(machine)
    notes.saw("the job then", state, ["adoption"])
    notes.held("its files", set(files.values()) <= {"0 bytes"}, files, "none with anything in it")
    _mended(ground, notes, machine)


def _failed(ground: Ground, notes: Notes, machine: Actor, *reasons: int) -> bool:
    """A worker on that disk, up to the end of its lease; False where it went on as if nothing had happened."""
    with ground.session() as session, ground.session("aps_read") as reader:
        job = ground.accept(session, "r1")
        means = _next(machine)
        notes.held(
            "by what the storage of the worker failed", bool(means), means, "a mount or a limit"
        )
        why = _next(machine)
        notes.did("a worker process took a job and wrote its file there")
        expected = [os.strerror(number) for number in reasons]
        notes.held("why the worker ended", why in expected, why, " or ".join(expected))
        results = ground.ask(reader, "results", job_id=job)
        notes.saw("the results", results, [])
        notes.saw("what does not fit together", rows.unfitting(ground), [])
        if not results:
            ground.overdue(reader, job)
    return not results


def _seen(machine: Actor) -> tuple[list[str], dict[str, str]]:
    seen = json.loads(_next(machine))
    return seen["state"], seen["files"]


def _mended(ground: Ground, notes: Notes, machine: Actor) -> None:
    """Another worker on the same disk, which is well again."""
    _next(machine)
    notes.did("the storage was well again, and another worker ran")
    ended = _next(machine).split()
    notes.saw("how its job ended", ended[:3], ["published", str(_JOB), "2"])
    (state, *overlays), files = _seen(machine)
    with ground.session("aps_read") as reader:
        results = ground.ask(reader, "results", job_id=_JOB)
    notes.saw("the result", results, [{"name": ended[-1], "digest": _WHOLE, "epoch": "2"}])
    notes.saw("the file of the result", files.pop(ended[-1], None), "whole")
    notes.saw("the job in the end", state, "confirmed_publication")
    notes.saw("what lies over it", overlays, ["orphan_candidate"] if files else [])
    notes.saw("what does not fit together in the end", rows.unfitting(ground), [])


SCRIPTS: Final = (
    Script(
        "storage-full",
        "The store is full while a worker writes",
        "a file that could not be written whole is never a result, and the job passes on",
        "anything about a worker that takes an error of writing for success, or about a full disk of the database",
        full,
    ),
    Script(
        "storage-read-only",
        "The store is closed for writing",
        "a worker that may not write publishes nothing, and the job passes on",
        "anything about a store that is closed between the writing of a file and its publication",
        read_only,
    ),
    *storage_gone.SCRIPTS,
    *storage_truncated.SCRIPTS,
)
