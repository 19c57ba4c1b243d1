"""A pseudo-terminal, for what aps does only where a person sits."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.support import cli

DEADLINE_SECONDS = 60.0


class Terminal:
    """A running `aps` whose three streams are one terminal of 80 columns; `seen` is all that it showed so far."""

    def __init__(self, process: subprocess.Popen[bytes], screen: int) -> None:
        self.process = process
        self._screen = screen
        self.seen = ""

    def until(self, text: str) -> str:
        """Read until that text is there; fails after the deadline, or where the process ends before."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while text not in self.seen:
            assert time.monotonic() < deadline, self.seen
            assert self._read(), f"it ended before {text!r}: {self.seen}"
        return self.seen

    def type(self, text: str) -> None:
        os.write(self._screen, text.encode("utf-8", "surrogateescape"))

    def interrupt(self) -> None:
        """What Ctrl-C does."""
        os.kill(self.process.pid, signal.SIGINT)

    def end(self) -> int:
        """Read to the end; the exit code."""
        while self._read():
            pass
        return self.process.wait(DEADLINE_SECONDS)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._screen], [], [], DEADLINE_SECONDS)
        assert ready, self.seen
        try:
            data = os.read(self._screen, 65536)
        except OSError:
            # EIO: the other side is closed.
            return False
        self.seen += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)


@contextmanager
def terminal(*words: str, env: Mapping[str, str] = cli.NOTHING) -> Iterator[Terminal]:
    """`aps WORDS` on a terminal of its own; ended with the block."""
    screen, inside = pty.openpty()
    given = {"TERM": "xterm", "COLUMNS": "80", **env}
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            cli.argv(*words),
            env=cli.environment(given),
            stdin=inside,
            stdout=inside,
            stderr=inside,
            cwd=folder,
            start_new_session=True,
        )
        os.close(inside)
        try:
            yield Terminal(process, screen)
        finally:
            process.kill()
            process.wait()
            os.close(screen)
