"""Every file of a store in byte order of its whole name, folder by folder.

A folder sorts as its name with `/` behind it, so that whole names come out in order: `a-b`, `a/b`, `a0`. In memory are
the names of one folder and what is left of those above it; each of these is an open descriptor.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from aps.errors import StoreError
from aps.store import folders, names
from aps.store.folders import Absent, Obstacle, Root
from aps.store.model import Observation, Progress, Seen, Unnameable


class _Level:
    """A folder being walked: its descriptor, its name with `/` behind it, its entries last first."""

    def __init__(self, parent: int, leaf: bytes, name: bytes) -> None:
        self.name = name
        self.descriptor = folders.open_to_list(parent, leaf)
        try:
            self.entries = _entries(self.descriptor, top=not name)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        os.close(self.descriptor)


def _entries(folder: int, *, top: bool) -> list[bytes]:
    with os.scandir(folder) as found:
        entries = [
            os.fsencode(entry.name) + (b"/" if entry.is_dir(follow_symlinks=False) else b"")
            for entry in found
            if not (top and names.own(entry.name))
        ]
    entries.sort(reverse=True)
    return entries


def walk(root: Root, progress: Progress | None) -> Iterator[Seen]:
    """Raises StoreError where the root itself cannot be listed."""
    done = 0
    levels = [_top(root)]
    try:
        while levels:
            here = levels[-1]
            if not here.entries:
                levels.pop().close()
                continue
            entry = here.entries.pop()
            seen = _enter(levels, entry) if entry.endswith(b"/") else _file(here, entry)
            if seen:
                yield seen
                done += 1
                if progress:
                    progress(done, 0)
    finally:
        for level in levels:
            level.close()


def _top(root: Root) -> _Level:
    try:
        return _Level(root.descriptor, b".", b"")
    except OSError as error:
        raise StoreError(f"store {root.where}: {folders.reason(error)}") from error


def _enter(levels: list[_Level], entry: bytes) -> Seen | None:
    """One level further down; an observation only where that fails."""
    here = levels[-1]
    try:
        levels.append(_Level(here.descriptor, entry[:-1], here.name + entry))
    except FileNotFoundError:
        return None
    except OSError as error:
        return _seen(here.name + entry, error=f"the folder cannot be read: {folders.reason(error)}")
    return None


def _file(here: _Level, entry: bytes) -> Seen | None:
    """None where it has gone since its folder was listed."""
    try:
        found = folders.status(here.descriptor, entry)
    except Absent:
        return None
    except Obstacle as obstacle:
        return _seen(here.name + entry, error=str(obstacle))
    what = folders.kind(found)
    if what:
        return _seen(here.name + entry, error=f"it is {what}")
    return _seen(here.name + entry, size=found.st_size)


def _seen(whole: bytes, size: int | None = None, error: str | None = None) -> Seen:
    name = names.text(whole)
    if not names.sayable(name):
        return Unnameable(names.shown(name), error or names.fault(name) or "")
    error = error or names.fault(name)
    return Observation(name, error=error) if error else Observation(name, size)
