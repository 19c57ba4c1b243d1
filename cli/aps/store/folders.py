"""Folders by descriptor: every step is relative to an open folder, and no step passes a symbolic link."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from aps.errors import StoreError
from aps.store.names import IDENTITY_NAME, shown, text

# To pass through a folder needs only its x; without O_PATH (not Linux) it needs r too.
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK a pipe that was swapped in would hold us for ever.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY

_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class Absent(Exception):
    """Nothing has this name."""


class Obstacle(Exception):
    """Something has this name, or may have; what it is cannot be judged."""


class Unreadable(Obstacle):
    """The system would not let us see it."""


@dataclass(frozen=True, slots=True)
class Root:
    """The root of a store, open for one operation; `identity` is the inode of its identity object, where it has one."""

    descriptor: int
    where: str
    identity: tuple[int, int] | None = None

    def in_sight(self) -> None:
        """Raises StoreError unless the identity object still lies there: only then is a missing file absent."""
        try:
            seen = os.stat(IDENTITY_NAME, dir_fd=self.descriptor, follow_symlinks=False)
        except OSError as error:
            raise StoreError(
                f"store {self.where}: lost while it was looked at ({reason(error)})"
            ) from error
        if inode(seen) != self.identity:
            raise StoreError(f"store {self.where}: bound anew while it was looked at; run again")


def inode(seen: os.stat_result) -> tuple[int, int]:
    return seen.st_dev, seen.st_ino


def reason(error: OSError) -> str:
    """The system's words, in the middle of a sentence."""
    said = error.strerror or str(error)
    return said[:1].lower() + said[1:]


def kind(seen: os.stat_result) -> str | None:
    """What it is, if it is no regular file."""
    form = stat.S_IFMT(seen.st_mode)
    return None if form == stat.S_IFREG else _KINDS.get(form, "no regular file")


@contextmanager
def root(path: bytes, where: str) -> Iterator[int]:
    """The folder at an absolute path without symbolic links, open for listing. Raises StoreError."""
    descriptor = _from_top(path, where)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _from_top(path: bytes, where: str) -> int:
    try:
        top = os.open(b"/", _PASS)
        try:
            folders = [part for part in path.split(b"/") if part]
            with passing(top, folders) as here:
                return os.open(b".", _LIST, dir_fd=here)
        finally:
            os.close(top)
    except Absent:
        raise StoreError(f"store {where}: there is no such folder; is it mounted?") from None
    except Obstacle as obstacle:
        raise StoreError(f"store {where}: {obstacle}") from None
    except OSError as error:
        raise StoreError(f"store {where}: {reason(error)}") from error


@contextmanager
def passing(start: int, folders: Sequence[bytes]) -> Iterator[int]:
    """The folder below `start`, good as `dir_fd` only. Raises Absent, Obstacle."""
    here = start
    try:
        for at, folder in enumerate(folders):
            below = step(here, folder, folders[: at + 1])
            if here != start:
                os.close(here)
            here = below
        yield here
    finally:
        if here != start:
            os.close(here)


def step(here: int, folder: bytes, way: Sequence[bytes]) -> int:
    """One folder down; `way` is its whole name, for what is told. Raises Absent, Obstacle."""
    try:
        return os.open(folder, _PASS, dir_fd=here)
    except FileNotFoundError:
        raise Absent from None
    except OSError as error:
        name = shown(text(b"/".join(way)))
        if error.errno not in (errno.ENOTDIR, errno.ELOOP):
            raise Unreadable(f"{name}/: {reason(error)}") from None
        raise _no_folder(here, folder, name) from None


def _no_folder(here: int, folder: bytes, name: str) -> Absent | Obstacle:
    """A plain file in a folder's place means that nothing lies below it; anything else is not understood."""
    try:
        what = kind(status(here, folder))
    except (Absent, Obstacle) as unclear:
        return unclear
    return Absent() if what is None else Obstacle(f"{name} is {what}")


def status(folder: int, leaf: bytes) -> os.stat_result:
    """The entry itself, no link followed. Raises Absent, Obstacle."""
    try:
        return os.stat(leaf, dir_fd=folder, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        raise Absent from None
    except OSError as error:
        raise Unreadable(reason(error)) from None


@contextmanager
def reading(folder: int, leaf: bytes) -> Iterator[tuple[int, os.stat_result]]:
    """A regular file, open, with its status. Raises Absent, Obstacle; nothing but a regular file is ever opened."""
    _regular(status(folder, leaf))
    try:
        file = os.open(leaf, _READ, dir_fd=folder)
    except FileNotFoundError:
        raise Absent from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Obstacle(f"it is {_KINDS[stat.S_IFLNK]}") from None
        raise Unreadable(reason(error)) from None
    try:
        yield file, _regular(os.fstat(file))
    finally:
        os.close(file)


def _regular(seen: os.stat_result) -> os.stat_result:
    what = kind(seen)
    if what:
        raise Obstacle(f"it is {what}")
    return seen


def open_to_list(folder: int, leaf: bytes) -> int:
    """Raises OSError."""
    return os.open(leaf, _LIST, dir_fd=folder)


@contextmanager
def listing(folder: int, leaf: bytes = b".") -> Iterator[int]:
    """A folder, open for listing and for sync. Raises OSError."""
    descriptor = open_to_list(folder, leaf)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def sync(folder: int) -> None:
    """Names in this folder are safe on disk, as far as its file system can promise that. Raises OSError."""
    with listing(folder) as descriptor, _where_supported():
        os.fsync(descriptor)


@contextmanager
def _where_supported() -> Iterator[None]:
    """Some network file systems know no fsync of a folder."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP):
            raise
