"""Start a drill's process, hear what it tells, and see it gone. Nothing is printed here."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aps.drill.hearing import Hearing

# Longer than what takes the server and the files away ever waits for them.
_PATIENCE: Final = 40.0
_POLL: Final = 0.02


@dataclass(frozen=True, slots=True)
class Asked:
    """The folder of the pack, the PostgreSQL below `prefix` (None: the packaged one), and which parts (none: all)."""

    pack: Path
    prefix: Path | None
    groups: tuple[str, ...]


def run(asked: Asked, hearing: Hearing) -> None:
    """Let it run, and return when it and all that belongs to it is gone; so too where this is interrupted.

    Raises ApsError where it ended before its first part.
    """
    config = {
        "pack": str(asked.pack.absolute()),
        "prefix": asked.prefix and str(asked.prefix.absolute()),
        "groups": asked.groups,
        "starter": os.getpid(),
    }
    argv = [sys.executable, "-P", "-m", "aps.drill.process", json.dumps(config)]
    with (
        _told_to_end(),
        # In a session of its own: Ctrl-C comes to this process alone, which then sees to that one.
        subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
            errors="replace",
        ) as process,
    ):
        try:
            for line in process.stdout or ():
                hearing.hear(line)
        except BaseException:
            _end(process, hearing)
            raise
    if not hearing.done:
        _await_end(hearing)
        code = process.returncode
        hearing.broke_off(_how(code), killed=code < 0)


def _how(code: int) -> str:
    if code < 0:
        return f"its process was killed by signal {-code} ({signal.Signals(-code).name})"
    return f"its process ended with code {code}"


def _end(process: subprocess.Popen[str], hearing: Hearing) -> None:
    """What belongs to it notices its death; that is waited for."""
    process.kill()
    for line in process.stdout or ():
        # It may have told where it is and not been heard yet.
        with suppress(ValueError, TypeError):
            hearing.locate(dict(json.loads(line)))
    process.wait()
    _await_end(hearing)


def _await_end(hearing: Hearing) -> None:
    deadline = time.monotonic() + _PATIENCE
    while hearing.home and hearing.home.exists() and time.monotonic() < deadline:
        time.sleep(_POLL)


@contextmanager
def _told_to_end() -> Iterator[None]:
    """Whoever tells this process to end is obeyed when the drill is gone and the screen is as it was."""
    here = threading.current_thread() is threading.main_thread()
    # One that is ignored (nohup) stays so.
    signs = [
        sign
        for sign in (signal.SIGTERM, signal.SIGHUP)
        if here and signal.getsignal(sign) is signal.SIG_DFL
    ]
    for sign in signs:
        signal.signal(sign, _leave)
    try:
        yield
    finally:
        for sign in signs:
            signal.signal(sign, signal.SIG_DFL)


def _leave(sign: int, frame: object) -> None:
    sys.exit(128 + sign)
