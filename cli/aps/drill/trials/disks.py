"""The disk of one worker process: full, or closed for writing.

By a mount that only this process sees and that goes with it, where the system lets it make one; else by a limit or by
rights.
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Final

from aps.store import IDENTITY_NAME

_NEW_MOUNTS: Final = 0x00020000
_NEW_USERS: Final = 0x10000000
_READ_ONLY, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 1, 32, 4096, 1 << 14, 1 << 18
# Not suid, no devices, no programs: a mount within a mount keeps these.
_KEPT: Final = 2 | 4 | 8
# A file system counts in pages; the trial writes four of them.
PAGE: Final = resource.getpagesize()
_ROOM: Final = 2 * PAGE


class Disk(ABC):
    """What becomes of the store for the process that calls this, and of nobody else where `mounted`."""

    def __init__(self) -> None:
        self.mounted = False

    def close(self, store: Path) -> str:
        """By which means, in words."""
        try:
            _mounts_of_its_own()
            self._mount(store)
            self.mounted = True
        except OSError as error:
            return f"{self._limit(store)}; no mount could be made: {error.strerror}"
        return self._words

    def open(self, store: Path) -> str:
        """As it was."""
        if self.mounted:
            self._remount(store)
        else:
            self._unlimit(store)
        return "open"

    _words: str

    @abstractmethod
    def _mount(self, store: Path) -> None: ...

    @abstractmethod
    def _remount(self, store: Path) -> None: ...

    @abstractmethod
    def _limit(self, store: Path) -> str: ...

    @abstractmethod
    def _unlimit(self, store: Path) -> None: ...


class Full(Disk):
    """Room for half of what is written."""

    _words = "a small file system of its own, mounted over the store"

    def _mount(self, store: Path) -> None:
        identity = (store / IDENTITY_NAME).read_bytes()
        # A page for the identity, the rest for the candidate.
        _mount("none", store, "tmpfs", 0, f"size={PAGE + _ROOM}")
        (store / IDENTITY_NAME).write_bytes(identity)

    def _remount(self, store: Path) -> None:
        _mount("none", store, "tmpfs", _REMOUNT, f"size={99 * PAGE}")

    def _limit(self, store: Path) -> str:
        return _limited(_ROOM)

    def _unlimit(self, store: Path) -> None:
        _unlimited()


class ReadOnly(Disk):
    """Nothing may be written."""

    _words = "the store mounted over itself, for reading only"

    def _mount(self, store: Path) -> None:
        _mount(str(store), store, None, _BIND, None)
        kept = os.statvfs(store).f_flag & _KEPT
        _mount(None, store, None, _REMOUNT | _BIND | _READ_ONLY | kept, None)

    def _remount(self, store: Path) -> None:
        _mount(None, store, None, _REMOUNT | _BIND | (os.statvfs(store).f_flag & _KEPT), None)

    def _limit(self, store: Path) -> str:
        # Modes mean nothing to root, who may open the file then and put nothing in.
        if os.geteuid() == 0:
            return _limited(0)
        store.chmod(0o555)
        return "a mode of the folder that forbids to write there"

    def _unlimit(self, store: Path) -> None:
        if os.geteuid() == 0:
            _unlimited()
        else:
            store.chmod(0o755)


def _limited(size: int) -> str:
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    return f"a limit of {size} bytes on the files that it writes"


def _unlimited() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def _mounts_of_its_own() -> None:
    """From now on the mounts of this process are its own. Raises OSError where it may not have them."""
    if sys.platform != "linux":
        raise OSError(0, "not on this system")
    user, group = os.getuid(), os.getgid()
    if user == 0:
        # In users of its own it could not enter a folder of the account that the server runs as.
        _call("unshare", _NEW_MOUNTS)
    else:
        _call("unshare", _NEW_MOUNTS | _NEW_USERS)
        own = Path("/proc/self")
        (own / "setgroups").write_text("deny")
        (own / "uid_map").write_text(f"{user} {user} 1")
        (own / "gid_map").write_text(f"{group} {group} 1")
    _mount(None, Path("/"), None, _RECURSIVE | _PRIVATE, None)


def _mount(
    source: str | None, target: Path, kind: str | None, flags: int, data: str | None
) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, str(target), kind)]
    _call("mount", *texts, ctypes.c_ulong(flags), None if data is None else data.encode())


def _call(name: str, *given: object) -> None:
    """A call of the system's. Raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*given) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
