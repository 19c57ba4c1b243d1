"""What is known of the one demo of this account: a file in a folder that only the account can enter."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from aps.errors import DatabaseError


@dataclass(frozen=True, slots=True)
class Demo:
    """A demo that runs. Logins by the role that they are members of, processes and jobs by their part."""

    supervisor: int
    server: int
    version: str
    home: str
    sockets: str
    store: str
    dsns: Mapping[str, str]
    workers: Mapping[str, int]
    jobs: Mapping[str, int]

    def dsn(self, role: str = "aps_operate") -> str:
        return self.dsns[role]


def running() -> Demo | None:
    """The demo, where its supervisor lives. What a dead one left is cleared away."""
    demo = _read()
    if alive():
        return demo
    if demo:
        # Its caretaker has done so before, unless it was killed as well.
        shutil.rmtree(demo.home, ignore_errors=True)
        shutil.rmtree(demo.sockets, ignore_errors=True)
    remove()
    return None


def write(demo: Demo) -> None:
    fresh = _file().with_suffix(".new")
    fresh.write_text(json.dumps(asdict(demo), indent=1), encoding="utf-8")
    fresh.replace(_file())


def remove() -> None:
    _file().unlink(missing_ok=True)


def touch() -> None:
    """Somebody uses it now."""
    with suppress(FileNotFoundError):
        os.utime(_file())


def used_at() -> float | None:
    """The time of the last use, in seconds; None where the file is gone, so that nobody finds the demo any more."""
    try:
        return _file().stat().st_mtime
    except FileNotFoundError:
        return None


@contextmanager
def turn() -> Iterator[None]:
    """One command at a time starts or stops; the others wait here."""
    with _locked():
        yield


def _locked() -> IO[str]:
    """The file of turns, locked; one that was removed meanwhile is nobody's turn."""
    while True:
        # The folder may go between the two steps, when a demo ends.
        with suppress(FileNotFoundError):
            file = (_folder() / "turn.lock").open("w")
            fcntl.lockf(file, fcntl.LOCK_EX)
            if _stands(file):
                return file
            file.close()


def _stands(file: IO[str]) -> bool:
    """Whether others that open it by its name get the same file."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(file.name))
    except FileNotFoundError:
        return False


def live() -> None:
    """Say that this process is the supervisor, to its very end: forks do not inherit such a lock."""
    descriptor = os.open(_folder() / "alive.lock", os.O_WRONLY | os.O_CREAT, 0o600)
    fcntl.lockf(descriptor, fcntl.LOCK_EX)


def alive() -> bool:
    """Whether a supervisor lives. Not for the supervisor itself, which would lose its lock by it."""
    try:
        file = (_folder() / "alive.lock").open("r+")
    except FileNotFoundError:
        return False
    with file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return True
        return False


def clear() -> None:
    """Remove the folder. Only in one's turn, when no supervisor lives: who waits for a turn then takes a new file."""
    folder = _folder()
    for name in ("alive.lock", "turn.lock"):
        (folder / name).unlink(missing_ok=True)
    # Somebody who looks for a demo may have made a file anew.
    with suppress(OSError):
        folder.rmdir()


def _read() -> Demo | None:
    try:
        return Demo(**json.loads(_file().read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _file() -> Path:
    return _folder() / "demo.json"


def _folder() -> Path:
    """Raises DatabaseError where it is not ours alone."""
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    # Kept over `sudo` and `su` it is another account's.
    if runtime.is_absolute() and runtime.is_dir() and runtime.stat().st_uid == os.geteuid():
        folder = runtime / "aps"
    else:
        folder = Path(tempfile.gettempdir()) / f"aps-{os.geteuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise DatabaseError(
            f"{folder}: {error.strerror}; set XDG_RUNTIME_DIR to a folder of yours"
        ) from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise DatabaseError(f"{folder} must be a folder of this account with mode 0700; remove it")
    return folder
