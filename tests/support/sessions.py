"""Sessions that meet: work in the background, and waiting for what the server says of it instead of sleeping."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from tests.support.database import Database

Result = TypeVar("Result")

DEADLINE_SECONDS = 30.0


def eventually(condition: Callable[[], bool]) -> None:
    """Ask until it is so; fails after the deadline."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.005)


def waits_for_a_lock(database: Database, pid: int) -> bool:
    """Whether that session stands still until another one ends its transaction."""
    rows = database.execute(
        b"SELECT a.wait_event_type = 'Lock' FROM pg_stat_activity a WHERE a.pid = %s"
        b" AND EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND NOT l.granted)",
        [pid],
    )
    return rows == [(True,)]


@contextmanager
def in_background(call: Callable[[], Result]) -> Iterator[Future[Result]]:
    """The call in a thread of its own; its result or error is had from the future."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield pool.submit(call)
