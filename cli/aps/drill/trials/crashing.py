"""Ways to crash the server of a drill, and to hold a COMMIT where it is to be met by the crash."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from aps.database import Database
from aps.drill import rows
from aps.drill.ground import Ground
from aps.drill.waiting import until
from aps.errors import DatabaseError

_SQL: Final = Path(__file__).parents[1] / "sql"
# What a session of the server waits for, by the name that the server has for it.
BEFORE: Final = "object"
AFTER: Final = "SyncRep"

NO_POWER_LOSS: Final = (
    "that a power loss leaves the same: the system kept what the processes wrote, and fsync was off"
)

# Crash the server under that session, and return when it accepts sessions again, unless it is to stay away.
Blow = Callable[[Ground, int], None]


def stopped(ground: Ground, pid: int) -> None:
    """The whole server stops at once; it is started again and recovers."""
    ground.server.crash()
    ground.server.restart()


def away(ground: Ground, pid: int) -> None:
    """The whole server stops at once, and nobody starts it."""
    ground.server.crash()


def killed(ground: Ground, pid: int) -> None:
    """The backend dies by SIGKILL: the server cuts every session and recovers by itself."""
    with ground.session("aps_read", "witness") as witness:
        os.kill(pid, signal.SIGKILL)
        until(lambda: not _answers(ground, witness), "the server to notice that a backend died")
    until(lambda: _accepts(ground), "the server to accept sessions again")


def _answers(ground: Ground, session: Database) -> bool:
    try:
        ground.ask(session, "overdue", job_id=0)
    except DatabaseError:
        return False
    return True


def _accepts(ground: Ground) -> bool:
    try:
        with ground.session("aps_read", "knock"):
            return True
    except DatabaseError:
        return False


@contextmanager
def standing(ground: Ground) -> Iterator[None]:
    """Whatever becomes of the trial, the server is there for the next one."""
    try:
        yield
    finally:
        stand(ground)


def stand(ground: Ground) -> None:
    """Start the server where it is away."""
    if ground.server.pid is None:
        ground.server.restart()


def plant(ground: Ground) -> None:
    """What `commits_held` needs, in this ground's own database."""
    with ground.session("postgres", "plant") as session:
        session.run((_SQL / "crash_plant.sql").read_text(encoding="utf-8"))
        session.commit()


@contextmanager
def commits_held(ground: Ground, event: str) -> Iterator[None]:
    """Until the end no COMMIT is answered: AFTER it stands it waits for a standby; BEFORE, for another that
    does so, since those that notify are done one after the other.
    """
    over = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        try:
            _standby(ground, "crash_hold_commits")
            pool.submit(_commit_until_held, ground, over, aloud=event == BEFORE)
            rows.waits(ground, "drill/first", AFTER)
            yield
        finally:
            over.set()
            _standby(ground, "crash_let_commits")


def _standby(ground: Ground, statement: str) -> None:
    with ground.session("postgres", "settings") as session:
        ground.ask(session, statement)
        ground.ask(session, "crash_reload")


def _commit_until_held(ground: Ground, over: threading.Event, *, aloud: bool) -> None:
    # Only the process that keeps the setting knows when it has heard of it: the first COMMIT that waits tells.
    with suppress(DatabaseError), ground.session("postgres", "first") as session:
        while not over.is_set():
            ground.ask(session, "crash_write", aloud=aloud)
