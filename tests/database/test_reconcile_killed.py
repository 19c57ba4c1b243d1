"""A reconcile killed between any two steps of a file's way, then run again: moved once, and the journal is whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps.store import IDENTITY_NAME, QUARANTINE
from tests.support.artifacts import CONTENT, Artifacts
from tests.support.database import Database
from tests.support.processes import applying
from tests.support.reconciling import GRACELESS, Reconciler, told

pytestmark = pytest.mark.one_server

BEFORE = ["begun", "locked", "judged", "journaled", "committed", "judged:2", "folder:3"]
DURING = ["linked", "synced", "checked", "aside"]
AFTER = ["removed", "done", "moved", "asked", "begun:2", "journaled:2", "closed"]


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def files(held: Artifacts) -> dict[str, bytes]:
    """Every name in the store but that of its identity."""
    return {
        str(file.relative_to(held.root)): file.read_bytes()
        for file in held.root.rglob("*")
        if file.is_file() and file.name != IDENTITY_NAME
    }


def entries(held: Artifacts) -> list[tuple[str, str]]:
    """Phase and outcome of every file in the journal, in every operation."""
    sql = b"SELECT phase, outcome FROM aps_journal.entry ORDER BY operation, phase"
    return [(str(phase), str(outcome)) for phase, outcome in held.database.execute(sql)]


def killed(held: Artifacts, job: int, folder: Path, step: str) -> str:
    """A reconcile of the job killed at that step; its operation."""
    plan = Reconciler(held).plan(job)
    words = ("--store", str(held.root), *GRACELESS)
    with applying(plan, held.database.dsn("aps_operate"), folder, step, *words) as process:
        process.reached()
        process.kill()
    return plan.operation


@pytest.mark.parametrize("step", [*BEFORE, *DURING, *AFTER])
def test_killed_at_any_step_and_run_again_it_is_moved_once(
    held: Artifacts, tmp_path: Path, step: str
) -> None:
    job, file = held.orphan()
    name = str(file.relative_to(held.root))
    operation = killed(held, job, tmp_path, step)
    assert set(files(held).values()) == {CONTENT}
    settled = Reconciler(held).settle()
    if step in (*DURING, *AFTER[:-1]):
        assert [told(one) for one in settled] == [{(str(job), name): "applied"}]
    elif step != "closed":
        assert file.exists()
        done = Reconciler(held).reconcile(job)
        assert told(done) == {(str(job), name): "applied"}
        operation = done.operation
    assert files(held) == {f"{QUARANTINE}/{operation}/{name}": CONTENT}
    assert [one for one in entries(held) if one == ("applied", "applied")] == [("applied",) * 2]
    assert len([phase for phase, _ in entries(held) if phase == "intent"]) == len(
        [phase for phase, _ in entries(held) if phase == "applied"]
    )
    assert Reconciler(held).settle() == []


@pytest.mark.parametrize("step", ["journaled", "committed", "linked", "aside", "removed", "moved"])
def test_an_undo_killed_at_any_step_is_settled_to_its_end(
    held: Artifacts, tmp_path: Path, step: str
) -> None:
    job, file = held.orphan()
    name = str(file.relative_to(held.root))
    done = Reconciler(held).reconcile(job)

    class Killed(Exception):
        pass

    def die(reached: str) -> None:
        if reached == step:
            raise Killed

    with pytest.raises(Killed):
        Reconciler(held, pause=die, moving=die).undo(done)
    settled = Reconciler(held).settle()
    if step != "journaled":
        assert [told(one) for one in settled] == [{(str(job), name): "applied"}]
        assert files(held) == {name: CONTENT}
    assert told(Reconciler(held).undo(done)) == {
        (str(job), name): "applied" if step == "journaled" else "already"
    }
    assert files(held) == {name: CONTENT}
