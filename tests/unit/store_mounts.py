"""`python -m tests.unit.store_mounts CASE FOLDER`, in mounts of its own: file systems that are full, closed, or two."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from aps import store
from aps.errors import StoreError
from aps.store import IDENTITY_NAME, QUARANTINE
from tests.unit.store_folders import Folder, answer

NAME = "7/3-abc"
ASIDE = f"{QUARANTINE}/op/{NAME}"
CONTENT = b"an orphan"


def mount(place: Path, *options: str) -> None:
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(options), "none", place], check=True)


def remount(place: Path, *options: str) -> None:
    subprocess.run(["mount", "-o", ",".join(["remount", *options]), place], check=True)


def attempt(folder: Folder, verb: str = "quarantine") -> tuple[str, str]:
    return answer(getattr(folder.store, verb), NAME, CONTENT)


def refused(call: Callable[[], object]) -> str:
    try:
        call()
    except StoreError as error:
        return str(error)
    raise AssertionError("it was done")


def full(place: Path) -> None:
    """A file system that can hold one more object, then another one, until the move fits."""
    mount(place, "size=1m", "nr_inodes=4")
    folder = Folder.at(place)
    folder.add(NAME, CONTENT)
    said = []
    for inodes in range(4, 20):
        remount(place, f"nr_inodes={inodes}")
        said.append(attempt(folder))
        assert set(folder.held().values()) == {CONTENT}
        if said[-1][0] == "moved":
            break
        assert said[-1] == ("failed", f"{NAME}: no space left on device")
        assert folder.held() == {NAME: CONTENT}
    # Three folders, then the name: each of them found the disk full once.
    assert len(said) == 5, said
    assert folder.held() == {ASIDE: CONTENT}


def read_only(place: Path) -> None:
    mount(place, "size=1m")
    folder = Folder.at(place)
    folder.add(NAME, CONTENT)
    remount(place, "ro")
    assert attempt(folder)[0] == "failed"
    assert folder.held() == {NAME: CONTENT}
    remount(place, "rw")
    assert attempt(folder) == ("moved", ASIDE)
    remount(place, "ro")
    assert attempt(folder) == ("already", ASIDE)
    assert attempt(folder, "restore")[0] == "failed"
    assert folder.held() == {ASIDE: CONTENT}


class Closing:
    """A pause that closes a file system at the first such step."""

    def __init__(self, step: str, place: Path) -> None:
        self._step: str | None = step
        self._place = place

    def __call__(self, now: str) -> None:
        if now == self._step:
            self._step = None
            remount(self._place, "ro")


def closed_during(place: Path) -> None:
    """The file system closes after each step in turn."""
    for number, step in enumerate(["judged", "folder", "linked", "synced", "checked"]):
        below = place / str(number)
        mount(below, "size=1m")
        folder = Folder.at(below)
        folder.add(NAME, CONTENT)
        closing = Closing(step, below)
        said, text = answer(folder.pausing(closing).quarantine, NAME, CONTENT)
        assert said == "failed", text
        assert ("it has a second name" in text) == (number > 1), text
        assert folder.held()[NAME] == CONTENT
        remount(below, "rw")
        assert attempt(folder) == ("moved", ASIDE)
        assert folder.held() == {ASIDE: CONTENT}


def two(place: Path) -> None:
    """A folder inside the root that is another file system."""
    folder = Folder.at(place)
    mount(place / "7", "size=1m")
    folder.add(NAME, CONTENT)
    assert next(folder.store.look([NAME], rehash=True)).size == len(CONTENT)
    text = f"{NAME}: it lies on another file system than the store's root"
    assert attempt(folder) == ("blocked", text)
    assert folder.held() == {NAME: CONTENT}


def unmounted(place: Path) -> None:
    """The mount goes away, and the empty folder below it is read in its place."""
    mount(place, "size=1m")
    folder = Folder.at(place)
    folder.add(NAME, CONTENT)
    opened = folder.store
    assert opened.binding()
    subprocess.run(["umount", place], check=True)
    for look in (opened.look([NAME], rehash=False), opened.walk()):
        assert "no identity object; is it mounted?" in refused(partial(list, look))


def no_room_to_bind(place: Path) -> None:
    mount(place, "size=4k", "nr_inodes=20")
    (place / "filling").write_bytes(bytes(4096))
    said = refused(partial(Folder.at, place))
    assert "could not be written: no space left on device" in said
    assert not (place / IDENTITY_NAME).exists()
    assert store.open(str(place)).binding() is None


CASES = (full, read_only, closed_during, two, unmounted, no_room_to_bind)

if __name__ == "__main__":
    {case.__name__: case for case in CASES}[sys.argv[1]](Path(sys.argv[2]))
