"""One move between two names below a root: both as they are opened, and the folders that the new one needs."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from aps.store import folders, names
from aps.store.folders import Absent, Obstacle, Root, Unreadable
from aps.store.model import NotMoved, Pause

# The quarantine and the operation: each file passes them.
_SHARED: Final = 2


@dataclass(frozen=True, slots=True)
class Opened:
    """A regular file, open, with the folder and the entry that it was reached by."""

    folder: int
    leaf: bytes
    file: int
    seen: os.stat_result


@dataclass(slots=True)
class Move:
    """`into` quarantine, or out of it. `linked`: the file has its new name; whatever fails now, it is not lost.

    `safe` are the folders of quarantine and operation that this process has seen safe on disk; it grows.
    """

    root: Root
    source: str
    target: str
    pause: Pause
    into: bool
    safe: set[bytes]
    linked: bool = False

    def told(self, reason: str) -> str:
        """One sentence of what went wrong, and where the file lies."""
        second = f"; it has a second name, {names.shown(self.target)}" if self.linked else ""
        return f"{names.shown(self.source)}: {reason}{second}"

    @contextmanager
    def old(self) -> Iterator[Opened | None]:
        """Raises Obstacle."""
        with _opened(self.root, self.source) as found:
            yield found

    @contextmanager
    def new(self) -> Iterator[Opened | None]:
        """Raises Unreadable, NotMoved where something that is no file has the name."""
        with ExitStack() as opening:
            try:
                found = opening.enter_context(_opened(self.root, self.target))
            except Unreadable:
                raise
            except Obstacle as obstacle:
                text = self.told(f"{names.shown(self.target)} is taken: {obstacle}")
                raise NotMoved("blocked", text) from None
            yield found

    @contextmanager
    def make_folders(self, old: Opened) -> Iterator[int]:
        """The new name's folder, good as `dir_fd` only; each that is made is safe on disk. Raises OSError, NotMoved."""
        if not os.access(b".", os.W_OK, dir_fd=old.folder):
            raise NotMoved("failed", self.told("its folder may not be written to"))
        *way, _ = names.parts(self.target)
        modes = self._modes()
        here = self.root.descriptor
        try:
            for at in range(len(way)):
                below = self._make(here, way[: at + 1], modes[at])
                if here != self.root.descriptor:
                    os.close(here)
                here = below
                self.pause("folder")
            yield here
        finally:
            if here != self.root.descriptor:
                os.close(here)

    def _modes(self) -> list[int]:
        """Of the new folders: nobody sees a file in quarantine who could not see it where it lay."""
        *way, _ = names.parts(self.source)
        modes = [_mode(self.root.descriptor, way[:depth]) for depth in range(len(way) + 1)]
        return [modes[0], *modes] if self.into else modes[3:]

    def _make(self, here: int, way: Sequence[bytes], mode: int) -> int:
        with suppress(FileExistsError):
            os.mkdir(way[-1], 0o700, dir_fd=here)
            with folders.listing(here, way[-1]) as made:
                os.fchmod(made, mode)
        self._make_safe(here, way)
        return self._existing(here, way)

    def _make_safe(self, here: int, way: Sequence[bytes]) -> None:
        """Also where another run has made the folder: it may have been killed before it did this."""
        shared = b"/".join(way) if len(way) <= _SHARED and self.into else None
        if shared not in self.safe:
            folders.sync(here)
        if shared:
            self.safe.add(shared)

    def _existing(self, here: int, way: Sequence[bytes]) -> int:
        try:
            return folders.step(here, way[-1], way)
        except Unreadable:
            raise
        except (Absent, Obstacle) as unfit:
            name = names.shown(names.text(b"/".join(way)))
            raise NotMoved("blocked", self.told(f"{name} is no folder {unfit}".strip())) from None


def _mode(root: int, way: Sequence[bytes]) -> int:
    with folders.passing(root, way) as folder:
        return stat.S_IMODE(os.fstat(folder).st_mode)


@contextmanager
def _opened(root: Root, name: str) -> Iterator[Opened | None]:
    """None where nothing has this name. Raises Obstacle."""
    *way, leaf = names.parts(name)
    with ExitStack() as opening:
        try:
            folder = opening.enter_context(folders.passing(root.descriptor, way))
            file, seen = opening.enter_context(folders.reading(folder, leaf))
        except Absent:
            yield None
            return
        yield Opened(folder, leaf, file, seen)
