"""SIGKILL between every two steps, in real processes, then the same move again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aps.store import QUARANTINE, Moved, NotMoved
from tests.unit.store_folders import Folder, child, expected

NAME = "7/3-abc"
ASIDE = f"{QUARANTINE}/op/{NAME}"
CONTENT = b"an orphan" * 1000
# How many steps each verb announces: `folder` comes for each folder that it passes.
STEPS = {"quarantine": 10, "restore": 8}
LINKED = {"quarantine": 5, "restore": 3}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    folder = Folder.at(tmp_path)
    folder.add(NAME, CONTENT)
    return folder


def kill_after(folder: Folder, verb: str, steps: int) -> str:
    """The last step that was announced before SIGKILL."""
    with child(folder, verb, NAME, CONTENT, "op") as process:
        for _ in range(steps - 1):
            process.said()
            process.go_on()
        said = process.said()
        process.kill()
    return said


KILLS = [(verb, step) for verb, steps in STEPS.items() for step in range(1, steps + 1)]


@pytest.mark.parametrize(("verb", "step"), KILLS)
def test_a_killed_move_loses_nothing_and_the_next_run_ends_it(
    folder: Folder, verb: str, step: int
) -> None:
    old, new = (NAME, ASIDE) if verb == "quarantine" else (ASIDE, NAME)
    if verb == "restore":
        folder.store.quarantine(NAME, "op", expected(CONTENT))
    assert kill_after(folder, verb, step).startswith("step ")
    held = folder.held()
    assert set(held.values()) == {CONTENT}
    assert (new in held) == (step >= LINKED[verb])
    again: Callable[..., Moved] = getattr(folder.store, verb)
    moved = again(NAME, "op", expected(CONTENT))
    assert moved == Moved(new, already=old not in held)
    assert folder.held() == {new: CONTENT}
    assert again(NAME, "op", expected(CONTENT)) == Moved(new, already=True)


@pytest.mark.parametrize("step", range(1, STEPS["quarantine"] + 1))
def test_a_killed_quarantine_can_be_taken_back(folder: Folder, step: int) -> None:
    kill_after(folder, "quarantine", step)
    if ASIDE in folder.held():
        assert folder.store.restore(NAME, "op", expected(CONTENT)).where == NAME
    assert folder.held() == {NAME: CONTENT}


def catch(folder: Folder) -> None:
    """Another file takes the name at the worst moment, and the move is killed with it in hand."""
    with child(folder, "quarantine", NAME, CONTENT, "op") as process:
        while process.said() != "step checked":
            process.go_on()
        (folder.path / NAME).unlink()
        folder.add(NAME, b"newer")
        process.go_on()
        assert process.said() == "step aside"
        process.kill()
    assert NAME not in folder.held()


def test_a_file_that_was_caught_by_a_killed_move_gets_its_name_back(folder: Folder) -> None:
    catch(folder)
    with pytest.raises(NotMoved, match="another file lies at"):
        folder.store.quarantine(NAME, "op", expected(CONTENT))
    assert folder.held() == {NAME: b"newer", ASIDE: CONTENT}


def test_two_processes_at_once_move_a_file_once(folder: Folder) -> None:
    for at in range(10):
        name = f"{at}/file"
        folder.add(name, CONTENT)
        with (
            child(folder, "quarantine", name, CONTENT, "op") as one,
            child(folder, "quarantine", name, CONTENT, "op") as two,
        ):
            assert one.said() == two.said() == "step judged"
            one.go_on()
            two.go_on()
            assert sorted([one.finish(), two.finish()]) == ["already", "moved"]
        assert name not in folder.held()
        assert folder.held()[f"{QUARANTINE}/op/{name}"] == CONTENT


def test_a_file_that_was_caught_by_a_killed_move_is_seen_by_its_reverse_too(folder: Folder) -> None:
    catch(folder)
    with pytest.raises(NotMoved, match="another file lies at"):
        folder.store.restore(NAME, "op", expected(CONTENT))
    assert folder.held() == {NAME: b"newer", ASIDE: CONTENT}
