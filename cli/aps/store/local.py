"""A folder as a store. Each operation opens the root anew, and is held to the identity that was read first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from urllib.parse import quote_from_bytes

from aps.errors import StoreError
from aps.store import fitness, folders, identity, looking, quarantine, walking
from aps.store.folders import Root
from aps.store.model import Binding, Expected, Moved, Observation, Pause, Progress, Seen
from aps.store.names import shown, text


def _no_pause(_: str) -> None:
    pass


class LocalStore:
    """`path` may pass symbolic links: they are resolved here, once. `pause` is told each step of a move."""

    def __init__(self, path: bytes, pause: Pause = _no_pause) -> None:
        given = os.path.abspath(path)
        self._path = os.path.realpath(given)
        self._pause = pause
        self._safe: set[bytes] = set()
        self._held: Binding | None = None
        self.url = f"file://{quote_from_bytes(given)}"
        self.told: tuple[str, ...] = ()
        self.as_of: datetime | None = None
        self.can_act = True
        if self._path != given:
            self.told = (f"store {self.url}: followed symbolic links to {shown(text(self._path))}",)

    def level(self, *, rehash: bool) -> str:
        return "rehashed" if rehash else "listed"

    def binding(self) -> Binding | None:
        with folders.root(self._path, self.url) as root:
            read = identity.read(root, self.url)
        if read is None:
            return None
        self._hold(read[0])
        return read[0]

    def bind(self, binding: Binding, *, rebind: bool = False) -> None:
        with folders.root(self._path, self.url) as root:
            if rebind:
                identity.replace(root, binding, self.url)
            else:
                self._bind_first(root, binding)
        self._held = binding

    def _bind_first(self, root: int, binding: Binding) -> None:
        stands = identity.read(root, self.url)
        if stands is None:
            identity.write(root, binding, self.url)
        elif stands[0] != binding:
            bound = stands[0].database
            raise StoreError(
                f"store {self.url}: bound already, as store {stands[0].store_id}, to database "
                f"{bound.database_oid} of system {bound.system_identifier}, timeline {bound.timeline}"
            )

    def fitness(self) -> fitness.Fitness:
        """What the root allows, bound or not. Raises StoreError."""
        with folders.root(self._path, self.url) as root:
            try:
                return fitness.of(root)
            except OSError as error:
                raise StoreError(f"store {self.url}: {folders.reason(error)}") from error

    def look(
        self, names: Iterable[str], *, rehash: bool, progress: Progress | None = None
    ) -> Iterator[Observation]:
        with self._root() as root:
            if not rehash:
                yield from looking.look(root, names, progress)
                return
            with looking.Rehash(root, progress) as look:
                yield from look.look(names)

    def walk(self, progress: Progress | None = None) -> Iterator[Seen]:
        with self._root() as root:
            yield from walking.walk(root, progress)

    def quarantine(self, name: str, operation: str, expected: Expected) -> Moved:
        with self._root() as root:
            return quarantine.aside(root, name, operation, expected, self._pause, self._safe)

    def quarantined(
        self, name: str, expected: Expected, operation: str | None = None
    ) -> str | None:
        with self._root() as root:
            return quarantine.place(root, name, expected, operation)

    def restore(self, name: str, operation: str, expected: Expected) -> Moved:
        with self._root() as root:
            return quarantine.back(root, name, operation, expected, self._pause)

    @contextmanager
    def _root(self) -> Iterator[Root]:
        """The root, proved to be the store that it was when its identity was first read."""
        with folders.root(self._path, self.url) as descriptor:
            read = identity.read(descriptor, self.url)
            if read is None:
                raise StoreError(
                    f"store {self.url}: it has no identity object; is it mounted? "
                    "A new store is bound by `aps init --store`"
                )
            self._hold(read[0])
            yield Root(descriptor, self.url, read[1])

    def _hold(self, binding: Binding) -> None:
        if self._held not in (None, binding):
            raise StoreError(f"store {self.url}: no longer the store that it was; run again")
        self._held = binding
