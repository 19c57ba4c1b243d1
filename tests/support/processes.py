"""Real `aps` processes that wait at a named step until a test says what becomes of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aps import planfile
from aps.model.plan import Plan
from tests.support import cli
from tests.support.cli import Result

_SCRIPT = Path(__file__).with_name("paused.py")


class Paused:
    """The process. Whatever it prints on stdout after the step is in the result."""

    def __init__(self, step: str, *words: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_SCRIPT), step, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=cli.environment(),
        )
        self._step = step

    def reached(self) -> None:
        """Wait until it stands at its step."""
        assert self._process.stdout
        line = self._process.stdout.readline().decode().strip()
        assert line == f"@{self._step}", (line, self._process.communicate(timeout=cli.TIMEOUT))

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate(timeout=cli.TIMEOUT)

    def wait(self) -> Result:
        """Let it come to its end by itself."""
        out, err = self._process.communicate(timeout=cli.TIMEOUT)
        return Result(self._process.returncode, out.decode(), err.decode())

    def interrupt(self) -> None:
        """Ctrl-C."""
        os.kill(self._process.pid, signal.SIGINT)

    def finish(self) -> Result:
        """Let it go on to its end."""
        out, err = self._process.communicate(b"\n", timeout=cli.TIMEOUT)
        return Result(self._process.returncode, out.decode(), err.decode())

    def end(self) -> None:
        if self._process.poll() is None:
            self.kill()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream
            stream.close()


@contextmanager
def applying(
    plan: Plan, dsn: str, folder: Path, step: str = "nowhere", *options: str
) -> Iterator[Paused]:
    """`aps reclaim --plan`, or reconcile, on its way to that step."""
    file = folder / f"{plan.operation}.json"
    if not file.exists():
        planfile.write(plan, file)
    words = (plan.command, "--plan", str(file), "--yes", "--reason", "a test", "--dsn", dsn)
    process = Paused(step, *words, "--format", "json", *options)
    try:
        yield process
    finally:
        process.end()
