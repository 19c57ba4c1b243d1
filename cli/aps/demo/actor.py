"""A worker process that waits for its cues: the reference loop, on work that can be held in the middle."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from aps.demo.export import connect, export, line
from aps.demo.family import Family
from aps.demo.worker import QUERIES, Claim, Worker
from aps.errors import DatabaseError

_DEADLINE: Final = 20.0
_POLL: Final = 0.02
_ROW_EVERY: Final = 2.0


@dataclass(frozen=True, slots=True)
class Prompter:
    """The worker's end of both pipes."""

    cues: int
    news: int

    def wait(self) -> None:
        os.read(self.cues, 1)

    def tell(self, text: str) -> None:
        os.write(self.news, f"{text}\n".encode())


Part = Callable[[Worker, Prompter, Path], None]


class Actor:
    """One worker process, seen from the stage. It does nothing before its first cue."""

    def __init__(
        self,
        family: Family,
        name: str,
        part: Part,
        dsn: str,
        store: Path,
        lease: timedelta,
        abandon_limit: int | None = None,
        queries: Path = QUERIES,
    ) -> None:
        self.name = name
        self._family = family
        cues, self._cues = os.pipe()
        self._news, news = os.pipe()

        def run() -> None:
            opened = partial(connect, dsn, name)
            with Worker(opened, store, name, lease, abandon_limit, queries=queries) as worker:
                signal.signal(signal.SIGTERM, lambda *_: worker.stop())
                part(worker, Prompter(cues, news), store)

        self.pid = family.fork(run, keep=(cues, news))
        self._there = True
        os.close(cues)
        os.close(news)

    def cue(self) -> None:
        os.write(self._cues, b".")

    def news(self) -> str:
        """The next line it tells. Raises DatabaseError where none comes."""
        told = b""
        while not told.endswith(b"\n"):
            ready, _, _ = select.select([self._news], [], [], _DEADLINE)
            read = os.read(self._news, 1) if ready else b""
            if not read:
                raise DatabaseError(f"worker {self.name} ended or hangs")
            told += read
        return told.decode().strip()

    def holds(self) -> int:
        """Give the cue; the job that it took and works on now."""
        self.cue()
        return int(self.news())

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self.leave()

    def leave(self) -> None:
        """Wait for its end, once it has nothing left to do."""
        self._family.reap(self.pid)
        self._there = False

    def end(self) -> None:
        """Kill it where it is still there, and let go of its pipes."""
        if self._there:
            self.kill()
        os.close(self._cues)
        os.close(self._news)

    def freeze(self) -> None:
        """Stop it, and return once it stands still."""
        os.kill(self.pid, signal.SIGSTOP)
        os.waitpid(self.pid, os.WUNTRACED)

    def wake(self) -> None:
        """Let one that was stopped go on."""
        os.kill(self.pid, signal.SIGCONT)


def held_midway(worker: Worker, prompter: Prompter, store: Path) -> None:
    """On the first cue take a job, however long that takes; on the second go on with its work, half done by then."""
    _one_job(worker, prompter, store, before=2)


def held_at_the_end(worker: Worker, prompter: Prompter, store: Path) -> None:
    """As `held_midway`, but all rows are written at the second cue: nothing is left but to publish."""
    _one_job(worker, prompter, store, before=None)


def _one_job(worker: Worker, prompter: Prompter, store: Path, before: int | None) -> None:
    def work(claim: Claim) -> Iterator[bytes]:
        rows = export(claim, store)
        yield from islice(rows, before)
        prompter.tell(str(claim.job_id))
        prompter.wait()
        yield from rows

    prompter.wait()
    while (ended := worker.run_one(work)) is None:
        time.sleep(_POLL)
    prompter.tell(line(ended))


def all_jobs(worker: Worker, prompter: Prompter, store: Path) -> None:
    """On the cue finish what is ready, then tell so."""
    prompter.wait()
    while worker.run_one(partial(export, store=store)):
        pass
    prompter.tell("nothing is ready")


def endless_job(worker: Worker, prompter: Prompter, store: Path) -> None:
    """On the cue take a job and work on it for ever: a row now and then, and the lease renewed in between."""

    def work(claim: Claim) -> Iterator[bytes]:
        yield from export(claim, store)
        prompter.tell(str(claim.job_id))
        while True:
            time.sleep(_ROW_EVERY)
            yield b"another row\n"

    prompter.wait()
    worker.run_one(work)
