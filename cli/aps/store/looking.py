"""Look names up in an open store: listed by their status, or rehashed.

Large files are hashed by a thread a core (1.8 times as fast on two), small ones by the caller's alone: there two
threads were 7.6 times slower. Order is kept, and at most a window of names is in hand.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillRunning
from typing import Final

from aps.store import folders, hashing, names
from aps.store.folders import Absent, Obstacle, Root
from aps.store.model import Observation, Progress

LARGE: Final = 1 << 20
_WINDOW: Final = 1000
_TELL_EVERY: Final = 0.25


def listed(root: Root, name: str) -> Observation:
    """Size alone. Raises StoreError where the store itself is gone."""
    fault = names.fault(name)
    if fault:
        return Observation(name, error=fault)
    *above, leaf = names.parts(name)
    try:
        with folders.passing(root.descriptor, above) as folder:
            seen = folders.status(folder, leaf)
    except Absent:
        root.in_sight()
        return Observation(name)
    except Obstacle as obstacle:
        return Observation(name, error=str(obstacle))
    what = folders.kind(seen)
    return Observation(name, error=f"it is {what}") if what else Observation(name, seen.st_size)


def look(root: Root, wanted: Iterable[str], progress: Progress | None) -> Iterator[Observation]:
    """Each name listed, in order."""
    for done, name in enumerate(wanted, 1):
        yield listed(root, name)
        if progress:
            progress(done, 0)


def cores() -> int:
    """Those that this process may use, not those of the machine."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


class Rehash:
    """One look that reads the bytes; close it to end its threads."""

    def __init__(self, root: Root, progress: Progress | None) -> None:
        self._root = root
        self._progress = progress
        self._most_running = 2 * cores()
        self._pool: ThreadPoolExecutor | None = None
        self._window: deque[Observation | Future[Observation]] = deque()
        self._running = 0
        self._done = 0
        self._bytes = 0
        self._lock = threading.Lock()
        self._stopped = False

    def __enter__(self) -> Rehash:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped = True
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def look(self, wanted: Iterable[str]) -> Iterator[Observation]:
        """Each name rehashed, in order."""
        for name in wanted:
            self._window.append(self._begin(name))
            while self._window and not self._room():
                yield self._next()
        while self._window:
            yield self._next()

    def _begin(self, name: str) -> Observation | Future[Observation]:
        fault = names.fault(name)
        if fault:
            return Observation(name, error=fault)
        answer = self._rehashed(name, LARGE)
        if answer:
            return answer
        self._pool = self._pool or ThreadPoolExecutor(cores())
        self._running += 1
        return self._pool.submit(self._large, name)

    def _room(self) -> bool:
        """May another name be begun before the first in hand is answered."""
        first = self._window[0]
        ready = isinstance(first, Observation) or first.done()
        return not ready and self._running <= self._most_running and len(self._window) < _WINDOW

    def _next(self) -> Observation:
        first = self._window.popleft()
        if isinstance(first, Future):
            first = self._answer(first)
            self._running -= 1
        self._done += 1
        self._tell()
        return first

    def _answer(self, running: Future[Observation]) -> Observation:
        while True:
            try:
                return running.result(_TELL_EVERY)
            except StillRunning:
                self._tell()

    def _tell(self) -> None:
        if self._progress:
            self._progress(self._done, self._bytes)

    def _read(self, length: int) -> None:
        with self._lock:
            self._bytes += length
        if self._stopped:
            raise Obstacle("not read to its end: the look was stopped")

    def _large(self, name: str) -> Observation:
        return self._rehashed(name, None) or Observation(name, error="changed while it was read")

    def _rehashed(self, name: str, below: int | None) -> Observation | None:
        """None where the file has `below` bytes or more."""
        *above, leaf = names.parts(name)
        try:
            with (
                folders.passing(self._root.descriptor, above) as folder,
                folders.reading(folder, leaf) as (file, seen),
            ):
                if below is not None and seen.st_size >= below:
                    return None
                return Observation(name, seen.st_size, hashing.digest(file, seen, self._read))
        except Absent:
            self._root.in_sight()
            return Observation(name)
        except Obstacle as obstacle:
            return Observation(name, error=str(obstacle))
