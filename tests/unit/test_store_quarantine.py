from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from aps.store import QUARANTINE, Moved, linking
from tests.unit.store_folders import WITHOUT_CAPABILITIES, Folder, answer, expected, run

NAME = "7/3-abc"
ASIDE = f"{QUARANTINE}/op/{NAME}"
CONTENT = b"an orphan"
STEPS = [
    "judged",
    "folder",
    "folder",
    "folder",
    "linked",
    "synced",
    "checked",
    "aside",
    "removed",
    "done",
]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    folder = Folder.at(tmp_path)
    folder.add(NAME, CONTENT)
    return folder


def at(step: str, act: Callable[[], object]) -> Callable[[str], None]:
    """A pause that does something once, at the first such step."""
    left = [act]

    def pause(now: str) -> None:
        if now == step and left:
            left.pop()()

    return pause


def test_a_file_is_moved_aside_and_back_bit_for_bit_with_its_age_and_mode(folder: Folder) -> None:
    file = folder.path / NAME
    file.chmod(0o640)
    os.utime(file, ns=(5, 123_456_789))
    before = file.stat()
    assert folder.store.quarantine(NAME, "op", expected(CONTENT)) == Moved(ASIDE, already=False)
    assert folder.held() == {ASIDE: CONTENT}
    assert folder.store.restore(NAME, "op", expected(CONTENT)) == Moved(NAME, already=False)
    assert folder.held() == {NAME: CONTENT}
    after = file.stat()
    kept = ("st_ino", "st_mode", "st_mtime_ns", "st_nlink", "st_uid", "st_gid", "st_size")
    assert [getattr(after, one) for one in kept] == [getattr(before, one) for one in kept]


def test_the_steps_are_those_that_the_module_promises(folder: Folder) -> None:
    steps: list[str] = []
    folder.pausing(steps.append).quarantine(NAME, "op", expected(CONTENT))
    assert steps == STEPS


def test_done_twice_the_second_says_already(folder: Folder) -> None:
    for move, where in ((folder.store.quarantine, ASIDE), (folder.store.restore, NAME)):
        assert move(NAME, "op", expected(CONTENT)) == Moved(where, already=False)
        assert move(NAME, "op", expected(CONTENT)) == Moved(where, already=True)


def test_what_another_operation_moved_is_already_in_quarantine(folder: Folder) -> None:
    folder.store.quarantine(NAME, "op", expected(CONTENT))
    assert folder.store.quarantine(NAME, "later", expected(CONTENT)) == Moved(ASIDE, already=True)
    assert answer(folder.store.quarantine, NAME, b"other", "later")[0] == "gone"
    assert folder.held() == {ASIDE: CONTENT}


def test_only_the_file_that_was_planned_is_moved(folder: Folder) -> None:
    for planned in (b"another", b"AN ORPHAN"):
        assert answer(folder.store.quarantine, NAME, planned)[0] == "changed"
    assert folder.held() == {NAME: CONTENT}
    assert not (folder.path / QUARANTINE).exists()


def test_a_file_that_is_nowhere_is_gone(folder: Folder) -> None:
    for name in ("7/none", "none/none", f"{NAME}/below"):
        for move in (folder.store.quarantine, folder.store.restore):
            found = answer(move, name, CONTENT)
            assert found == ("gone", f"{_source(move, name, folder)}: there is no such file")


def _source(move: Callable[..., Moved], name: str, folder: Folder) -> str:
    return name if move.__name__ == "quarantine" else f"{QUARANTINE}/op/{name}"


def test_a_name_that_exists_in_quarantine_already_is_not_overwritten(folder: Folder) -> None:
    folder.add(ASIDE, CONTENT)
    assert answer(folder.store.quarantine, NAME, CONTENT) == (
        "blocked",
        f"{NAME}: another file lies at {ASIDE} already",
    )
    assert answer(folder.store.restore, NAME, CONTENT) == (
        "blocked",
        f"{ASIDE}: another file lies at {NAME} already",
    )
    assert folder.held() == {NAME: CONTENT, ASIDE: CONTENT}


@pytest.mark.parametrize(
    "in_the_way", [QUARANTINE, f"{QUARANTINE}/op", f"{QUARANTINE}/op/7", ASIDE]
)
@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_what_stands_in_the_way_blocks_and_is_not_followed(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory, in_the_way: str, kind: str
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    place = folder.path / in_the_way
    place.parent.mkdir(parents=True, exist_ok=True)
    if kind == "file":
        place.write_bytes(b"")
    elif kind == "link":
        place.symlink_to(outside)
    else:
        place.mkdir()
    free = kind == "folder" and in_the_way != ASIDE
    said, _ = answer(folder.store.quarantine, NAME, CONTENT)
    assert said == ("moved" if free else "blocked")
    assert folder.held()[ASIDE if free else NAME] == CONTENT
    assert os.listdir(outside) == []


@pytest.mark.parametrize("step", ["judged", "folder", "linked", "synced", "checked"])
@pytest.mark.parametrize("kind", ["link", "file", "folder"])
def test_whatever_takes_the_name_during_a_move_keeps_it(
    folder: Folder, step: str, kind: str
) -> None:
    file = folder.path / NAME
    (folder.path / "spare").write_bytes(b"newer")

    def swap() -> None:
        file.rename(folder.path / "old")
        if kind == "link":
            file.symlink_to("../spare")
        elif kind == "file":
            os.rename(folder.path / "spare", file)
        else:
            file.mkdir()
            (file / "below").write_bytes(b"newer")

    before = sorted(os.listdir(folder.path))
    said, text = answer(folder.pausing(at(step, swap)).quarantine, NAME, CONTENT)
    assert said == "changed"
    assert "one of its names was taken by another" in text
    assert ASIDE in text
    assert folder.held()[ASIDE] == folder.held()["old"] == CONTENT
    assert before != sorted(os.listdir(folder.path))
    if kind == "link":
        assert file.is_symlink()
    else:
        assert (file if kind == "file" else file / "below").read_bytes() == b"newer"
    assert not left_by_chance(folder)


def left_by_chance(folder: Folder) -> list[Path]:
    return list(folder.path.rglob(".aps-leaving-*"))


def test_a_link_that_takes_the_name_before_a_move_is_not_moved(folder: Folder) -> None:
    assert next(folder.store.look([NAME], rehash=True)).size == len(CONTENT)
    (folder.path / NAME).rename(folder.path / "old")
    (folder.path / NAME).symlink_to("../old")
    assert answer(folder.store.quarantine, NAME, CONTENT) == (
        "changed",
        f"{NAME}: it is a symbolic link",
    )


@pytest.mark.parametrize("step", ["judged", "folder", "linked", "synced"])
def test_a_file_that_is_written_to_during_a_move_keeps_its_name(folder: Folder, step: str) -> None:
    def write() -> None:
        with (folder.path / NAME).open("ab") as file:
            file.write(b" that grows")

    move = folder.pausing(at(step, write))
    assert answer(move.quarantine, NAME, CONTENT) == (
        "changed",
        f"{NAME}: it was written to while it was moved; it has a second name, {ASIDE}",
    )
    assert folder.held()[NAME] == b"an orphan that grows"


@pytest.mark.parametrize("step", ["judged", "folder"])
def test_a_file_that_is_removed_during_a_move_is_not_revived(folder: Folder, step: str) -> None:
    move = folder.pausing(at(step, (folder.path / NAME).unlink))
    assert answer(move.quarantine, NAME, CONTENT) == (
        "changed",
        f"{NAME}: it was removed while it was moved",
    )
    assert folder.held() == {}


@pytest.mark.parametrize("step", ["linked", "synced", "checked"])
def test_a_file_that_loses_its_name_during_a_move_lies_in_quarantine(
    folder: Folder, step: str
) -> None:
    move = folder.pausing(at(step, (folder.path / NAME).unlink))
    assert move.quarantine(NAME, "op", expected(CONTENT)) == Moved(ASIDE, already=True)
    assert folder.held() == {ASIDE: CONTENT}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("operation", ["op", "another"])
def test_of_two_at_once_just_one_moves_the_file(folder: Folder, step: str, operation: str) -> None:
    second: list[Moved] = []

    def race() -> None:
        second.append(folder.store.quarantine(NAME, operation, expected(CONTENT)))

    first = folder.pausing(at(step, race)).quarantine(NAME, "op", expected(CONTENT))
    assert sorted([first.already, second[0].already]) == [False, True]
    held = folder.held()
    assert held[first.where] == held[second[0].where] == CONTENT
    assert NAME not in held
    assert len({(folder.path / name).stat().st_ino for name in held}) == 1
    assert not left_by_chance(folder)


@pytest.mark.parametrize("step", ["linked", "synced", "checked", "aside", "removed", "done"])
def test_a_move_and_its_reverse_at_once_lose_nothing(folder: Folder, step: str) -> None:
    said = []

    def reverse() -> None:
        said.append(answer(folder.store.restore, NAME, CONTENT))

    move = folder.pausing(at(step, reverse)).quarantine
    said.append(answer(move, NAME, CONTENT))
    assert {word for word, _ in said} <= {"moved", "already", "changed"}
    held = folder.held()
    assert set(held) <= {NAME, ASIDE}
    assert set(held.values()) == {CONTENT}
    assert not left_by_chance(folder)


@pytest.mark.parametrize("code", ["EPERM", "ENOTSUP", "EMLINK", "EXDEV"])
def test_without_hard_links_nothing_is_moved_in_another_way(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        number = getattr(errno, code)
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("os.link", refuse)
    said, text = answer(folder.store.quarantine, NAME, CONTENT)
    assert said == "blocked"
    assert "hard link" in text or "another file system" in text
    assert folder.held() == {NAME: CONTENT}


def test_without_proc_the_name_is_linked_and_compared(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linking, "_OPEN_FILES", "/nowhere")
    assert folder.store.quarantine(NAME, "op", expected(CONTENT)) == Moved(ASIDE, already=False)
    folder.store.restore(NAME, "op", expected(CONTENT))

    def swap() -> None:
        (folder.path / NAME).rename(folder.path / "old")
        (folder.path / NAME).write_bytes(b"newer")

    said, text = answer(folder.pausing(at("judged", swap)).quarantine, NAME, CONTENT)
    assert (said, text) == ("blocked", f"{NAME}: another file took {ASIDE}")
    assert folder.held() == {NAME: b"newer", ASIDE: b"newer", "old": CONTENT}


def test_nobody_sees_a_file_in_quarantine_who_could_not_see_it_before(folder: Folder) -> None:
    folder.add("secret/deep/file", CONTENT)
    modes = {"": 0o2775, "secret": 0o2750, "secret/deep": 0o700}
    for name, mode in modes.items():
        (folder.path / name).chmod(mode)
    before = os.umask(0o077)
    try:
        folder.store.quarantine("secret/deep/file", "op", expected(CONTENT))
        for name, mode in modes.items():
            aside = folder.path / QUARANTINE / "op" / name
            assert stat.S_IMODE(aside.stat().st_mode) == mode
        (folder.path / "secret/deep").rmdir()
        (folder.path / "secret").rmdir()
        folder.store.restore("secret/deep/file", "op", expected(CONTENT))
    finally:
        os.umask(before)
    for name, mode in modes.items():
        assert stat.S_IMODE((folder.path / name).stat().st_mode) == mode


def test_forty_folders_deep_and_back(folder: Folder) -> None:
    name = "/".join(f"{at}" for at in range(40)) + "/file"
    folder.add(name, CONTENT)
    where = f"{QUARANTINE}/op/{name}"
    assert folder.store.quarantine(name, "op", expected(CONTENT)) == Moved(where, already=False)
    assert folder.store.restore(name, "op", expected(CONTENT)) == Moved(name, already=False)


@pytest.mark.parametrize("closed", ["7", "."])
def test_a_folder_that_may_not_be_written_to_keeps_its_file(folder: Folder, closed: str) -> None:
    (folder.path / closed).chmod(0o500)
    said = run(
        "tests.unit.store_mover", str(folder.path), NAME, "an orphan", prefix=WITHOUT_CAPABILITIES
    )
    (folder.path / closed).chmod(0o700)
    assert said.startswith(f"failed: {NAME}: ")
    assert folder.held() == {NAME: CONTENT}


def test_no_descriptor_stays_open(folder: Folder) -> None:
    before = len(os.listdir("/proc/self/fd"))
    folder.store.quarantine(NAME, "op", expected(CONTENT))
    folder.store.quarantine(NAME, "op", expected(CONTENT))
    assert answer(folder.store.quarantine, "none", CONTENT)[0] == "gone"
    folder.store.restore(NAME, "op", expected(CONTENT))
    assert answer(folder.store.restore, "none/a", CONTENT)[0] == "gone"
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("operation", ["", "..", "a/b", "/a"])
def test_an_operation_is_one_plain_part_of_a_name(folder: Folder, operation: str) -> None:
    with pytest.raises(ValueError):
        folder.store.quarantine(NAME, operation, expected(CONTENT))
