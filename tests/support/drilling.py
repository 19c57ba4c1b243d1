"""`aps drill` as a process with temporary files in a folder of its own, so that whatever is left of it can be seen."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aps import packs
from tests.support import cli
from tests.support.cli import Result
from tests.support.watching import eventually


class Drilling:
    """The running command. `folder` holds every temporary file of it."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        self.command = subprocess.Popen(
            cli.argv("drill", *words),
            env=cli.environment({"TMPDIR": str(folder)}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder.parent,
            start_new_session=True,
        )

    def told(self, text: str) -> None:
        """Wait until a line on stderr has that text."""
        assert self.command.stderr
        for line in self.command.stderr:
            if text in line.decode():
                return
        raise AssertionError(f"it ended before it told {text!r}")

    @property
    def process(self) -> int:
        """The one that owns the server."""
        pid = self.command.pid
        (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return int(child)

    def workers(self) -> list[int]:
        """Its forks that work on the queue: they stand in the folder that the process has made its own."""
        home = os.readlink(f"/proc/{self.process}/cwd")
        return [
            pid
            for pid in self.left()
            if pid != self.process and os.readlink(f"/proc/{pid}/cwd") == home
        ]

    def signal(self, sign: signal.Signals) -> None:
        os.kill(self.command.pid, sign)

    def end(self) -> Result:
        out, err = self.command.communicate(timeout=cli.TIMEOUT)
        return Result(self.command.returncode, out.decode(), err.decode())

    def gone(self) -> bool:
        """Soon no process and no file of it is left."""
        return eventually(lambda: not self.left() and not os.listdir(self.folder))

    def left(self) -> list[int]:
        """Processes with that folder in their arguments or their environment."""
        found = []
        for place in Path("/proc").iterdir():
            if place.name.isdigit():
                with suppress(OSError):
                    told = (place / "cmdline").read_bytes() + (place / "environ").read_bytes()
                    if os.fsencode(self.folder) in told:
                        found.append(int(place.name))
        return found


@contextmanager
def drilling(*words: str) -> Iterator[Drilling]:
    """Ended with the block, whatever a test does; what is left of it then is for `gone` to tell before."""
    folder = Path(tempfile.mkdtemp(prefix="aps-drill-"))
    # Open to the account that the server has in place of root.
    folder.chmod(0o755)
    running = Drilling(folder, *words)
    try:
        yield running
    finally:
        running.command.kill()
        running.command.communicate()
        eventually(lambda: not running.left())
        shutil.rmtree(folder, ignore_errors=True)


def broken(folder: Path, file: str, old: str, new: str) -> str:
    """A copy of the queue in which one text of a file below queries/ is another."""
    copy = folder / "copy"
    shutil.copytree(packs.HOME / "queries", copy / "queries")
    shutil.copy(packs.HOME / packs.FILE, copy)
    changed = copy / "queries" / file
    text = changed.read_text(encoding="utf-8")
    assert text.count(old) == 1, file
    changed.write_text(text.replace(old, new), encoding="utf-8")
    return str(copy)
