"""What a standby tells of a completion: what the primary cannot change any more, and no more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from aps.demo.binaries import Binaries
from aps.exits import Exit
from tests.support.completing import ask
from tests.support.database import Database, Server
from tests.support.queue import OTHER_DIGEST, queue


@pytest.fixture
def alone(binaries: Binaries) -> Iterator[Database]:
    """A database on a server of its own, which may become a standby."""
    server = Server(binaries)
    try:
        with server.database() as database:
            yield database
            (database.cluster.folder / "standby.signal").unlink(missing_ok=True)
            database.cluster.restart()
    finally:
        server.stop()


def become_standby(database: Database) -> None:
    """Restarted as the standby of a primary that it cannot reach."""
    database.close()
    (database.cluster.folder / "standby.signal").touch()
    database.cluster.restart()


def test_a_standby_tells_only_what_stays_so(alone: Database) -> None:
    q = queue(alone)
    running = q.claimed(key="running")["job_id"]
    old = q.claimed(key="old", lease="-1 s")["job_id"]
    assert q.adopt("w2")
    cancelled = q.claimed(key="cancelled")["job_id"]
    assert q.cancel(cancelled, 1)
    applied = q.claimed(key="applied")["job_id"]
    assert q.publish(applied, "w1", 1)
    become_standby(alone)
    assert ask(alone, old, 1).exit_code == Exit.SUPERSEDED
    assert ask(alone, cancelled, 1).exit_code == Exit.CANCELLED
    assert ask(alone, applied, 1, digest=OTHER_DIGEST).exit_code == Exit.INCOMPATIBLE
    # Published, failed, adopted, withdrawn since: any of these may have happened without the standby.
    for job, epoch, here in (
        (running, 1, "open"),
        (applied, 1, "applied"),
        (old, 3, "incompatible"),
    ):
        told = ask(alone, job, epoch)
        assert told.exit_code == Exit.UNDETERMINED
        assert f"Here it reads: {here}. " in told.reason
        assert told.next == "Ask the primary."
