"""Settle a COMMIT whose answer was lost: by a new session, on the same system and timeline, by the journal row."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from aps import journal
from aps.database import Database, QueryError
from aps.errors import DatabaseError
from aps.model.report import Identity

Settled = Literal["applied", "not applied", "unknown"]

# A restart after a crash, or a standby that acknowledges late, takes seconds; a person waits no longer than this.
PATIENCE_SECONDS = 30.0
_PAUSE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Commit:
    """A COMMIT that was sent: its batch in the journal, its transaction, and where."""

    batch: str
    transaction: str
    identity: Identity
    pid: int


def settle(
    commit: Commit, connect: Callable[[], Database], patience: float = PATIENCE_SECONDS
) -> tuple[Settled, str]:
    """What the COMMIT did, and the words for it. Polls while the server is away or the COMMIT still waits, bounded."""
    deadline = time.monotonic() + patience
    while True:
        settled, words = _ask(commit, connect)
        if settled is not None:
            return settled, words
        if time.monotonic() >= deadline:
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
                    return (
                        None,
                        f"transaction {commit.transaction} still waits in backend {commit.pid}",
                    )
            # A new snapshot: what was in progress for the first one may have committed before its status was read.
            with database.look():
                if journal.recorded(database, commit.batch):
                    return "applied", "the journal has it"
            # Whatever the status said: after a crash the id may have been used again by another transaction.
            return "not applied", "the journal does not have it"
    except DatabaseError as error:
        return None, str(error)


def _in_progress(commit: Commit, database: Database) -> bool:
    """A COMMIT that waits for a standby is visible already and may still be lost: in progress is no answer yet."""
    try:
        with database.savepoint():
            return journal.status(database, commit.transaction) == "in progress"
    except QueryError as error:
        # 22023: an id from the future. The server crashed and took it back, so nothing of it is in progress.
        if error.sqlstate == "22023":
            return False
        raise
