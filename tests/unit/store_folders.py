"""Small real stores for the tests, and processes that work on them step by step."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import aps
from aps import store
from aps.model.report import Identity
from aps.store import Binding, Expected, LocalStore, Moved, NotMoved, Pause

BINDING = Binding("store-1", Identity("7300000000000000001", "1", "16384"))
OTHER = Binding("store-2", Identity("7300000000000000001", "2", "16384"))
HERE = Path(__file__).parents[2]
PATIENCE = 60.0
# As root, modes mean nothing until the capabilities are gone.
WITHOUT_CAPABILITIES = (
    ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
)
OWN_MOUNTS = ["unshare", "--user", "--map-root-user", "--mount"]


def digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def expected(content: bytes) -> Expected:
    return Expected(len(content), digest(content))


@dataclass(frozen=True, slots=True)
class Folder:
    """A bound store and its folder."""

    path: Path

    @classmethod
    def at(cls, path: Path) -> Folder:
        path.mkdir(parents=True, exist_ok=True)
        store.open(str(path)).bind(BINDING)
        return cls(path)

    @property
    def store(self) -> LocalStore:
        return store.open(str(self.path))

    def pausing(self, pause: Pause) -> LocalStore:
        return LocalStore(os.fsencode(self.path), pause)

    def add(self, name: str, content: bytes = b"content") -> Path:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return file

    def held(self) -> dict[str, bytes]:
        """Every regular file below the root but the identity, by name."""
        return {
            file.relative_to(self.path).as_posix(): file.read_bytes()
            for file in sorted(self.path.rglob("*"))
            if file.is_file() and not file.is_symlink() and file.name != store.IDENTITY_NAME
        }


def answer(
    move: Callable[[str, str, Expected], Moved], name: str, content: bytes, operation: str = "op"
) -> tuple[str, str]:
    """`moved` or `already` and where to, or the outcome and why."""
    try:
        moved = move(name, operation, expected(content))
    except NotMoved as error:
        return error.outcome, str(error)
    return "already" if moved.already else "moved", moved.where


class Child:
    """A process that moves one file and waits for a line before each step that follows."""

    def __init__(self, words: list[str], prefix: list[str]) -> None:
        self.process = subprocess.Popen(
            [*prefix, sys.executable, "-m", "tests.unit.store_child", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=HERE,
            env=environment(),
            text=True,
        )

    def said(self) -> str:
        """The next step, or at last what became of it."""
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def go_on(self) -> None:
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def finish(self) -> str:
        """Let it go on to its end."""
        said = ""
        while line := self.said():
            said = line
            if line.startswith("step "):
                self.go_on()
        return said

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)


@contextmanager
def child(folder: Folder, verb: str, name: str, content: bytes, operation: str) -> Iterator[Child]:
    file = expected(content)
    words = [str(folder.path), verb, name, operation, str(file.size), file.digest]
    started = Child(words, [])
    try:
        yield started
    finally:
        started.kill()
        for stream in (started.process.stdin, started.process.stdout):
            if stream:
                stream.close()


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(Path(aps.__file__).parents[1]), str(HERE)])
    return {"PATH": os.defpath + ":/sbin:/usr/sbin", "PYTHONPATH": path, "LC_ALL": "C.UTF-8"}


def run(module: str, *words: str, prefix: list[str]) -> str:
    """What a module of these tests prints, run behind `setpriv` or `unshare`; it fails as they do."""
    done = subprocess.run(
        [*prefix, sys.executable, "-m", module, *words],
        cwd=HERE,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
