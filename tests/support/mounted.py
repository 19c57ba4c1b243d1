"""`python -m tests.support.mounted CASE FOLDER JOB NAME OPERATOR OWNER`, in mounts of its own: a disk that is full or
closed while `aps` acts on its store. Prints what each command told, a line of JSON each."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from aps.store import IDENTITY_NAME
from tests.support import cli
from tests.support.artifacts import CONTENT
from tests.support.reconciling import GRACELESS
from tests.unit.store_mounts import mount, remount


@dataclass(frozen=True)
class Store:
    """A mounted store; the dsns of the operator and of the database's owner."""

    root: Path
    job: str
    name: str
    operator: str
    owner: str

    def bound(self) -> None:
        said = cli.call("init", "--store", str(self.root), "--dsn", self.owner)
        assert said.code == 0, said
        file = self.root / self.name
        file.parent.mkdir()
        file.write_bytes(CONTENT)

    def files(self) -> list[str]:
        """Names, of which each has the whole content."""
        found = [
            file
            for file in sorted(self.root.rglob("*"))
            if file.is_file() and file.name != IDENTITY_NAME
        ]
        assert {file.read_bytes() for file in found} == {CONTENT}
        return [file.relative_to(self.root).as_posix() for file in found]

    def acted(self, *words: str) -> None:
        """What was told is printed with the files that lie there then."""
        where = ("--store", str(self.root), "--dsn", self.operator, *GRACELESS)
        said = cli.call(*words, "--yes", "--reason", "a test", "--format", "json", *where)
        told = json.loads(said.stdout)
        (row,) = told["rows"]
        line = {"code": said.code, "operation": told["operation"], "files": self.files()}
        print(json.dumps(line | {"outcome": row["outcome"], "detail": row["detail"]}))


def full(store: Store) -> None:
    """No room for the first, second, third folder, then none for the name; each operation has its own. Then room."""
    mount(store.root, "size=1m", "nr_inodes=4")
    store.bound()
    for inodes in (4, 5, 6, 8, 100):
        remount(store.root, f"nr_inodes={inodes}")
        store.acted("reconcile", store.job)


def read_only(store: Store) -> None:
    """Closed for the move, then open; closed for the way back, then open."""
    mount(store.root, "size=1m")
    store.bound()
    words = ["reconcile", store.job]
    for _ in range(2):
        remount(store.root, "ro")
        store.acted(*words)
        remount(store.root, "rw")
        store.acted(*words)
        words = ["undo", _last(store)]


def _last(store: Store) -> str:
    said = cli.call("log", "--format", "json", "--dsn", store.operator)
    return str(json.loads(said.stdout)["operations"][0]["operation"])


CASES: tuple[Callable[[Store], None], ...] = (full, read_only)

if __name__ == "__main__":
    case, root, *others = sys.argv[1:]
    {one.__name__: one for one in CASES}[case](Store(Path(root), *others))
