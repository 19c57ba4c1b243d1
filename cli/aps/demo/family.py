"""Processes that are forked from one and end with it, however it ends."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
# More than a process of ours ever opens.
_DESCRIPTORS: Final = 256
_PATIENCE: Final = 10.0
_MOMENT: Final = 1.0


class Family:
    """The forks of this process, which leads their process group, and a caretaker that outlives it.

    Linux kills each fork when this process dies; the caretaker does so on every system, by the end of a pipe that only
    this process holds, and removes `home` once no server runs on `data` in it: the watcher of a server ends that.
    Make it, and fork, before there is a thread or a database session.
    """

    def __init__(self, home: Path, log: Path) -> None:
        self._home = home
        self._log = log
        self._children: list[int] = []
        ours, self._alive = os.pipe()
        self._caretaker = self._fork(lambda: _take_care(ours, home), keep=(ours,), tied=False)
        os.close(ours)

    def fork(self, run: Callable[[], None], keep: tuple[int, ...]) -> int:
        """A process that does `run` and nothing else; of our files it has only those of `keep`."""
        child = self._fork(run, keep, tied=True)
        self._children.append(child)
        return child

    def reap(self, child: int) -> int:
        """Wait for the end of one that was told to end; its exit code. Until then nobody else gets its number."""
        _, status = os.waitpid(child, 0)
        self._children.remove(child)
        return os.waitstatus_to_exitcode(status)

    def last_words(self) -> str:
        """The last line that one of them left in the log, such as the error that ended it; empty where none did."""
        lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "")

    def end(self) -> None:
        """Kill all, remove `home`, dismiss the caretaker."""
        for child in self._children:
            os.kill(child, signal.SIGKILL)
        while self._children:
            self.reap(self._children[-1])
        shutil.rmtree(self._home, ignore_errors=True)
        with suppress(BrokenPipeError):
            os.write(self._alive, b".")
        os.waitpid(self._caretaker, 0)

    def _fork(self, run: Callable[[], None], keep: tuple[int, ...], *, tied: bool) -> int:
        parent = os.getpid()
        if child := os.fork():
            return child
        code = 1
        try:
            if tied:
                _die_with(parent)
            _leave_files(keep, self._log)
            run()
            code = 0
        except BaseException:
            # Nothing of a fork may run on into the parent's own code.
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # It may have died before it was asked about.
    if os.getppid() != parent:
        os._exit(1)


def _leave_files(keep: tuple[int, ...], log: Path) -> None:
    first = 3
    for kept in (*sorted(keep), _DESCRIPTORS):
        os.closerange(first, kept)
        first = kept + 1
    nothing = os.open(os.devnull, os.O_RDONLY)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number, target in enumerate((nothing, written, written)):
        os.dup2(target, number)
    os.close(nothing)
    os.close(written)


def _take_care(alive: int, home: Path) -> None:
    """Until dismissed; else end the whole group, this process included, and let a fork of it clean up."""
    if os.read(alive, 1):
        return
    if os.fork():
        signal.pause()
    group = os.getpgrp()
    os.setsid()
    os.killpg(group, signal.SIGKILL)
    _wait_while(lambda: _serves(home / "data"), _PATIENCE)
    # The server's watcher takes this away, where there is one; so that it goes before the rest does.
    _wait_while((home / "sockets").exists, _MOMENT)
    deadline = time.monotonic() + _PATIENCE
    while home.exists() and time.monotonic() < deadline:
        shutil.rmtree(home, ignore_errors=True)


def _wait_while(holds: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while holds() and time.monotonic() < deadline:
        time.sleep(0.02)


def _serves(data: Path) -> bool:
    """Whether a server runs there. One of initdb's own has a negative number there, and was killed with the group."""
    try:
        pid = int((data / "postmaster.pid").read_text("utf-8", "replace").split("\n")[0])
        return pid > 0 and _is_there(pid)
    except (OSError, ValueError):
        return False


def _is_there(pid: int) -> bool:
    with suppress(PermissionError):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
    return True
