"""Orphans into quarantine and back: each file moved once, its intent before it and its outcome after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps.exits import Exit
from aps.store import QUARANTINE
from tests.support.artifacts import CONTENT, Artifacts
from tests.support.database import Database
from tests.support.reconciling import Reconciler, told


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def test_an_orphan_is_moved_aside_and_undo_brings_it_back_bit_for_bit(held: Artifacts) -> None:
    job, file = held.orphan()
    name = str(file.relative_to(held.root))
    before = file.stat()
    done = Reconciler(held).reconcile(job)
    assert (told(done), done.exit_code) == ({(str(job), name): "applied"}, Exit.CLEAR)
    place = held.root / QUARANTINE / done.operation / name
    assert (place.read_bytes(), file.exists()) == (CONTENT, False)
    back = Reconciler(held).undo(done)
    assert (told(back), back.exit_code) == ({(str(job), name): "applied"}, Exit.CLEAR)
    after = file.stat()
    assert (file.read_bytes(), place.exists()) == (CONTENT, False)
    assert (after.st_mtime_ns, after.st_mode, after.st_ino) == (
        before.st_mtime_ns,
        before.st_mode,
        before.st_ino,
    )
    again = Reconciler(held).undo(done)
    assert told(again) == {(str(job), name): "already"}


def test_what_another_undo_put_back_is_not_told_as_this_ones_work(held: Artifacts) -> None:
    job, _ = held.orphan()
    done = Reconciler(held).reconcile(job)
    Reconciler(held).undo(done)
    again = Reconciler(held).undo(done)
    sql = b"SELECT sum(applied) FROM aps_journal.batch WHERE operation = %s"
    assert held.database.execute(sql, [again.operation]) == [(0,)]


def test_a_name_that_another_file_took_is_not_overwritten_by_undo(held: Artifacts) -> None:
    job, file = held.orphan()
    name = str(file.relative_to(held.root))
    done = Reconciler(held).reconcile(job)
    file.write_bytes(b"another")
    back = Reconciler(held).undo(done)
    assert (told(back), file.read_bytes()) == ({(str(job), name): "blocked"}, b"another")
    place = held.root / QUARANTINE / done.operation / name
    assert place.read_bytes() == CONTENT
    # Nothing is left open, and once the name is free the undo does its work.
    assert Reconciler(held).settle() == []
    file.unlink()
    assert told(Reconciler(held).undo(done)) == {(str(job), name): "applied"}


def test_a_name_that_exists_in_quarantine_already_is_not_overwritten(held: Artifacts) -> None:
    job, file = held.orphan()
    name = str(file.relative_to(held.root))
    plan = Reconciler(held).plan(job)
    taken = held.write(f"{QUARANTINE}/{plan.operation}/{name}", b"another")
    done = Reconciler(held).apply(plan)
    assert told(done) == {(str(job), name): "blocked"}
    assert (file.read_bytes(), taken.read_bytes()) == (CONTENT, b"another")


def test_a_file_that_grew_since_the_plan_is_left_alone(held: Artifacts) -> None:
    job, file = held.orphan()
    plan = Reconciler(held).plan(job)
    file.write_bytes(CONTENT * 2)
    done = Reconciler(held).apply(plan)
    (row,) = done.rows
    assert (row.outcome, file.exists()) == ("changed", True)
    assert "observed_size" in row.detail


def test_a_file_that_grows_while_it_is_moved_keeps_its_name(held: Artifacts) -> None:
    job, file = held.orphan()

    def grow(step: str) -> None:
        if step == "linked":
            file.write_bytes(CONTENT * 2)

    done = Reconciler(held, moving=grow).reconcile(job)
    (row,) = done.rows
    assert (row.outcome, file.read_bytes()) == ("changed", CONTENT * 2)
    assert "written to while it was moved" in row.detail


def test_each_file_of_a_job_has_an_outcome_of_its_own(held: Artifacts) -> None:
    job, first = held.abandoned()
    adopted = held.queue.adopt("w2", "-1 min")
    assert adopted
    second = held.write(adopted["candidate"])
    held.queue.adopt("w3")
    plan = Reconciler(held).plan(job)
    first.unlink()
    done = Reconciler(held).apply(plan)
    names = [str(file.relative_to(held.root)) for file in (first, second)]
    assert told(done) == {(str(job), names[0]): "changed", (str(job), names[1]): "applied"}
    assert done.exit_code == Exit.IN_PART
