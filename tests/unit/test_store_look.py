from __future__ import annotations

import os
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path

import pytest

from aps.errors import StoreError
from aps.store import IDENTITY_NAME, QUARANTINE, Observation, folders
from aps.store.looking import LARGE
from tests.unit.store_folders import (
    BINDING,
    OTHER,
    PATIENCE,
    WITHOUT_CAPABILITIES,
    Folder,
    digest,
    run,
)

BLOCK = os.urandom(1 << 16)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder.at(tmp_path)


def test_a_look_answers_every_name_in_the_order_given(folder: Folder) -> None:
    folder.add("b/1", b"one")
    folder.add("a", b"")
    seen = list(folder.store.look(iter(["b/1", "none", "a", "b/1"]), rehash=False))
    one = Observation("b/1", 3)
    assert seen == [one, Observation("none"), Observation("a", 0), one]


def test_a_rehash_reads_small_and_large_files_alike_and_keeps_the_order(folder: Folder) -> None:
    contents = {}
    for at in range(30):
        size = (0, 1, 4096, LARGE - 1, LARGE, LARGE + 1, 3 * LARGE)[at % 7]
        contents[f"{at % 3}/{at}"] = (BLOCK * (size // len(BLOCK) + 1))[:size]
    for name, content in contents.items():
        folder.add(name, content)
    told: list[tuple[int, int]] = []
    seen = list(folder.store.look(contents, rehash=True, progress=lambda *done: told.append(done)))
    assert seen == [
        Observation(name, len(content), digest(content)) for name, content in contents.items()
    ]
    assert told == sorted(told)
    assert told[-1] == (30, sum(map(len, contents.values())))


def test_levels_say_how_far_a_look_goes(folder: Folder) -> None:
    assert folder.store.level(rehash=False) == "listed"
    assert folder.store.level(rehash=True) == "rehashed"


def test_a_look_that_is_left_early_ends_its_threads(folder: Folder) -> None:
    for at in range(8):
        with folder.add(f"{at}").open("r+b") as file:
            file.truncate(8 * LARGE)
    before = threading.active_count()
    look = folder.store.look(map(str, range(8)), rehash=True)
    assert next(look).digest
    look.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before


def test_a_progress_that_raises_ends_the_look(folder: Folder) -> None:
    def stop(done: int, read: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(folder.store.look(["a"], rehash=True, progress=stop))


def grow(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"x")


def shrink(file: Path) -> None:
    os.truncate(file, 2)


def rewrite(file: Path) -> None:
    os.utime(file, ns=(1, 1))


@pytest.mark.parametrize("size", [3, LARGE])
@pytest.mark.parametrize("change", [grow, shrink, rewrite])
def test_a_file_that_changes_while_it_is_read_has_no_digest(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, size: int, change: Callable[[Path], None]
) -> None:
    file = folder.add("a", bytes(size))
    whole, left = os.readv, [change]

    def read(descriptor: int, buffers: list[memoryview]) -> int:
        while left:
            left.pop()(file)
        return whole(descriptor, buffers)

    monkeypatch.setattr("os.readv", read)
    (seen,) = folder.store.look(["a"], rehash=True)
    assert seen == Observation("a", error="changed while it was read")


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_takes_a_files_place_between_its_status_and_its_bytes_is_not_read(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    file = folder.add("a")
    status = folders.status

    def swap(above: int, leaf: bytes) -> os.stat_result:
        seen = status(above, leaf)
        if file.is_file() and not file.is_symlink():
            file.unlink()
            os.mkfifo(file) if kind == "pipe" else file.symlink_to(folder.path / IDENTITY_NAME)
        return seen

    monkeypatch.setattr(folders, "status", swap)
    (seen,) = folder.store.look(["a"], rehash=True)
    words = {"link": "it is a symbolic link", "pipe": "it is a pipe"}
    assert seen == Observation("a", error=words[kind])


def test_a_writer_that_never_rests_is_told_of_and_does_not_hold_the_look(folder: Folder) -> None:
    file = folder.add("log", bytes(16 * LARGE))
    begun, done = threading.Event(), threading.Event()

    def write() -> None:
        with file.open("ab") as growing:
            while not done.is_set():
                growing.write(BLOCK)
                growing.flush()
                begun.set()
                if growing.tell() > 64 * LARGE:
                    growing.truncate(16 * LARGE)

    writer = threading.Thread(target=write)
    writer.start()
    assert begun.wait(PATIENCE)
    try:
        (seen,) = folder.store.look(["log"], rehash=True)
    finally:
        done.set()
        writer.join()
    assert seen.error == "changed while it was read"


def test_what_may_not_be_read_is_an_error_beside_answers(folder: Folder) -> None:
    folder.add("closed/a")
    folder.add("open/mode").chmod(0)
    folder.add("open/readable")
    folder.add("passable/a")
    (folder.path / "closed").chmod(0)
    (folder.path / "passable").chmod(0o100)
    names = ["closed/a", "closed/none", "open/mode", "open/readable", "passable/a"]
    said = run("tests.unit.store_looker", str(folder.path), *names, prefix=WITHOUT_CAPABILITIES)
    (folder.path / "closed").chmod(0o700)
    (folder.path / "passable").chmod(0o700)
    assert said.splitlines() == [
        "listed closed/a None permission denied",
        "listed closed/none None permission denied",
        "listed open/mode 7 None",
        "listed open/readable 7 None",
        "listed passable/a 7 None",
        "rehashed closed/a None permission denied",
        "rehashed closed/none None permission denied",
        "rehashed open/mode None permission denied",
        "rehashed open/readable 7 None",
        "rehashed passable/a 7 None",
        "walked closed/ None the folder cannot be read: permission denied",
        "walked open/mode 7 None",
        "walked open/readable 7 None",
        "walked passable/ None the folder cannot be read: permission denied",
    ]


@pytest.mark.parametrize("rehash", [False, True])
def test_a_store_that_goes_away_during_a_look_makes_nothing_absent(
    folder: Folder, rehash: bool
) -> None:
    folder.add("a")

    def names() -> Iterator[str]:
        yield "a"
        for file in (folder.path / "a", folder.path / IDENTITY_NAME):
            file.unlink()
        folder.path.rmdir()
        yield "a"

    look = folder.store.look(names(), rehash=rehash)
    assert next(look).size == 7
    with pytest.raises(StoreError, match="lost while it was looked at"):
        next(look)


def test_a_store_that_is_bound_anew_during_a_look_makes_nothing_absent(folder: Folder) -> None:
    def names() -> Iterator[str]:
        folder.store.bind(OTHER, rebind=True)
        yield "none"

    with pytest.raises(StoreError, match="bound anew while it was looked at"):
        list(folder.store.look(names(), rehash=False))
    folder.store.bind(BINDING, rebind=True)


def test_a_walk_leaves_out_what_is_apss_own(folder: Folder) -> None:
    folder.add(f"{QUARANTINE}/op/a")
    folder.add(f"{IDENTITY_NAME}.0123456789abcdef")
    folder.add(f"b/{IDENTITY_NAME}")
    folder.add(f"b/{QUARANTINE}/c")
    assert [seen.name for seen in folder.store.walk() if isinstance(seen, Observation)] == [
        f"b/{QUARANTINE}/c",
        f"b/{IDENTITY_NAME}",
    ]


def test_a_walk_goes_forty_folders_deep_and_a_look_too(folder: Folder) -> None:
    name = "/".join(f"folder-{at}" for at in range(40)) + "/file"
    folder.add(name)
    folder.add("folder-0/folder-1/last")
    walked = [seen.name for seen in folder.store.walk() if isinstance(seen, Observation)]
    assert walked == [name, "folder-0/folder-1/last"]
    assert [seen.size for seen in folder.store.look([name], rehash=True)] == [7]


def test_what_goes_away_while_it_is_walked_is_left_out(folder: Folder) -> None:
    for name in ("a", "b", "c/d", "e"):
        folder.add(name)
    seen = []
    for one in folder.store.walk(progress=lambda done, read: seen.append(done)):
        if isinstance(one, Observation) and one.name == "a":
            (folder.path / "b").unlink()
            (folder.path / "c/d").unlink()
            (folder.path / "c").rmdir()
            continue
        assert one == Observation("e", 7)
    assert seen == [1, 2]


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_no_descriptor_stays_open(folder: Folder) -> None:
    folder.add("a/b/c")
    before = open_files()
    store = folder.store
    list(store.walk())
    next(iter(store.walk()))
    list(store.look(["a/b/c", "a/b/none", "none/none", "a/b"], rehash=True))
    list(store.look(["a/b/c", "a/b/none", "none/none", "a/b"], rehash=False))
    assert open_files() == before


@pytest.mark.parametrize("rehash", [False, True])
def test_memory_does_not_grow_with_the_number_of_names(folder: Folder, rehash: bool) -> None:
    folder.add("a/b")
    wanted = chain.from_iterable(repeat(("a/b", "a/none"), 10_000))
    tracemalloc.start()
    try:
        count = sum(1 for _ in folder.store.look(wanted, rehash=rehash))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 20_000
    assert peak < 500_000
