"""A listing that another tool made, in a store's place: what `rclone lsjson --hash -R` prints. For looking only.

What it says of bytes is what that tool says: attested, never rehashed. It is as old as its file. A folder that is
listed without content may be one that the tool could not read: nothing below it is called absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from aps.errors import StoreError
from aps.store import listings, names
from aps.store.folders import reason
from aps.store.listings import Entry
from aps.store.model import Binding, Expected, Moved, Observation, Progress, Seen, Unnameable


class ObservedStore:
    """`files` in byte order of names; `folders` are those that are listed as such."""

    def __init__(
        self, url: str, as_of: datetime, files: dict[str, Observation], folders: frozenset[str]
    ) -> None:
        self._files = files
        self._with_content = frozenset(folder for name in files for folder in _above(name))
        self._without = folders - self._with_content
        self.url = url
        self.as_of: datetime | None = as_of
        self.told: tuple[str, ...] = (
            f"{url}: looked at by another tool, listed {as_of.isoformat(timespec='seconds')}",
        )
        self.can_act = False

    def level(self, *, rehash: bool) -> str:
        """Attested where every file has a digest. Nothing is ever rehashed."""
        digests = [entry.digest for entry in self._files.values() if entry.error is None]
        return "attested" if digests and all(digests) else "listed"

    def binding(self) -> Binding | None:
        """A listing has names, not the content of the identity: which store it was is the operator's word."""
        return None

    def bind(self, binding: Binding, *, rebind: bool = False) -> NoReturn:
        raise self._only_looked_at()

    def look(
        self, names: Iterable[str], *, rehash: bool, progress: Progress | None = None
    ) -> Iterator[Observation]:
        for done, name in enumerate(names, 1):
            yield self._look(name)
            if progress:
                progress(done, 0)

    def _look(self, name: str) -> Observation:
        fault = names.fault(name)
        if fault:
            return Observation(name, error=fault)
        if name in self._files:
            return self._files[name]
        if name in self._without or name in self._with_content:
            return Observation(name, error="it is a folder")
        return Observation(name, error=self._unseen(name))

    def _unseen(self, name: str) -> str | None:
        for folder in _above(name):
            if folder in self._without:
                return f"{folder}/ is listed as empty, or could not be read"
        return None

    def walk(self, progress: Progress | None = None) -> Iterator[Seen]:
        done = 0
        for name, entry in self._files.items():
            if not names.own(name.partition("/")[0]):
                yield entry if names.sayable(name) else _unnameable(name)
                done += 1
                if progress:
                    progress(done, 0)

    def quarantine(self, name: str, operation: str, expected: Expected) -> Moved:
        raise self._only_looked_at()

    def quarantined(self, name: str, expected: Expected, operation: str | None = None) -> NoReturn:
        raise self._only_looked_at()

    def restore(self, name: str, operation: str, expected: Expected) -> Moved:
        raise self._only_looked_at()

    def _only_looked_at(self) -> StoreError:
        return StoreError(f"{self.url}: a listing can only be looked at; give the store itself")


def read(path: str) -> ObservedStore:
    """Raises StoreError with the first faulty entries by their number."""
    file = Path(path)
    url = f"observations:{file.absolute()}"
    try:
        content = file.read_bytes()
        as_of = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    except OSError as error:
        raise StoreError(f"{url}: {reason(error)}") from error
    files: dict[str, Observation] = {}
    folders: set[str] = set()
    for entry in listings.entries(content, url):
        if entry.folder:
            folders.add(entry.path)
        else:
            files[entry.path] = _twice(entry) if entry.path in files else _observation(entry)
    in_order = dict(sorted(files.items(), key=lambda item: item[0]))
    return ObservedStore(url, as_of, in_order, frozenset(folders))


def _observation(entry: Entry) -> Observation:
    error = names.fault(entry.path)
    if error is None and entry.size is None:
        error = "its size is not listed"
    if error:
        return Observation(entry.path, error=error)
    return Observation(entry.path, entry.size, entry.digest)


def _twice(entry: Entry) -> Observation:
    return Observation(entry.path, error="it is listed twice")


def _unnameable(name: str) -> Unnameable:
    return Unnameable(names.shown(name), names.fault(name) or "")


def _above(name: str) -> Iterator[str]:
    """Its folders, the nearest first."""
    while "/" in name:
        name, _, _ = name.rpartition("/")
        yield name
