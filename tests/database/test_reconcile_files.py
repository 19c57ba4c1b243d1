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
