"""Settle a COMMIT whose answer was lost: by a new session, on the same system and timeline, by the journal row."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any, Literal

from aps import journal, statements
from aps.database import Database, QueryError
from aps.errors import DatabaseError
from aps.model.report import Identity

Settled = Literal["applied", "not applied", "unknown"]

# A restart after a crash, or a standby that acknowledges late, takes seconds; a person waits no longer than this.
PATIENCE_SECONDS = 30.0
_PAUSE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Commit:
    """A COMMIT that was sent: its batch in the journal, its transaction, and where."""

    batch: str
    transaction: str
    identity: Identity
    pid: int


class Interrupts:
    """While a COMMIT is in flight Ctrl-C raises nothing, so that no outcome is lost: it is counted, `give_up` called.

    Outside the main thread, and where Ctrl-C is ignored or handled by others, nothing changes.
    """

    def __init__(self, give_up: Callable[[], None]) -> None:
        self.count = 0
        self._give_up = give_up
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        ours = threading.current_thread() is threading.main_thread()
        if ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _interrupted(self, _signal: int, _frame: FrameType | None) -> None:
        self.count += 1
        self._give_up()

    @property
    def insist(self) -> bool:
        """A second Ctrl-C: whoever sent it waits for no settlement either."""
        return self.count > 1


def settle(
    commit: Commit,
    connect: Callable[[], Database],
    patience: float = PATIENCE_SECONDS,
    hurried: Callable[[], bool] = lambda: False,
) -> tuple[Settled, str]:
    """What the COMMIT did, and the words for it. Polls while the server is away or the COMMIT still waits, bounded."""
    deadline = time.monotonic() + patience
    while True:
        settled, words = _ask(commit, connect)
        if settled is not None:
            return settled, words
        if time.monotonic() >= deadline or hurried():
            return "unknown", words
        time.sleep(_PAUSE_SECONDS)


def _ask(commit: Commit, connect: Callable[[], Database]) -> tuple[Settled | None, str]:
    try:
        with connect() as database:
            with database.look():
                server = database.probe()
                if server.identity != commit.identity or server.in_recovery:
                    return (
                        "unknown",
                        "the server that answers is another one, was restored, or failed over",
                    )
                if _in_progress(commit, database):
                    return None, "the transaction is still in progress there"
            # A new snapshot: what was in progress for the first one may have committed before its status was read.
            with database.look():
                if journal.recorded(database, commit.batch):
                    return "applied", "the journal has it"
            # Whatever the status said: after a crash the id may have been used again by another transaction.
            return "not applied", "the journal does not have it"
    except (DatabaseError, QueryError) as error:
        return None, str(error)


def _in_progress(commit: Commit, database: Database) -> bool:
    """A COMMIT that waits for a standby may still be lost: in progress is no answer yet."""
    try:
        with database.savepoint():
            return journal.status(database, commit.transaction) == "in progress"
    except QueryError as error:
        # 22023: an id from the future. The server crashed and took it back, so nothing of it is in progress.
        if error.sqlstate == "22023":
            return False
        raise


def ended(
    pid: int | None, connect: Callable[[], Database], patience: float = PATIENCE_SECONDS
) -> None:
    """Wait, bounded, until the server is there and a lost session is not: its locks outlive its last words."""
    deadline = time.monotonic() + patience
    while _alive(pid, connect) and time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)


def _alive(pid: int | None, connect: Callable[[], Database]) -> bool:
    try:
        with connect() as database, database.look():
            return database.rows(statements.read("backend"), {"pid": pid})[0]["there"] == "t"
    except (DatabaseError, QueryError):
        return True
