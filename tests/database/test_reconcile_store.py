"""What may befall a store while `aps` acts on it: writers that live or die, a full disk, a root that is wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aps import store
from aps.exits import Exit
from aps.store import QUARANTINE
from tests.support import cli
from tests.support.acting import (
    YES,
    behind,
    done,
    files,
    journal,
    open_intents,
    outcomes,
    typed,
    unprivileged,
    untouched,
)
from tests.support.artifacts import CONTENT, Artifacts
from tests.support.database import Database, Server
from tests.support.watching import eventually
from tests.support.writing import writing
from tests.unit.store_folders import BINDING, OWN_MOUNTS

pytestmark = pytest.mark.one_server


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def lost(held: Artifacts) -> tuple[int, Path]:
    """A job that another worker took over; the file of the first is not written yet."""
    claim = held.queue.claimed("w1", "-1 min", "lost")
    assert held.queue.adopt("w2")
    return claim["job_id"], held.root / claim["candidate"]


def test_what_a_killed_writer_left_is_moved_as_it_is_and_comes_back_bit_for_bit(
    held: Artifacts,
) -> None:
    job, file = lost(held)
    with writing(file) as process:
        assert eventually(lambda: file.stat().st_size > 50_000)
        process.kill()
        process.wait(60)
        partial, before = file.read_bytes(), file.stat()
    name = f"{file.relative_to(held.root)}"
    moved = done(held, "reconcile", str(job))
    assert outcomes(moved) == {(str(job), name): "applied"}
    assert files(held) == {f"{QUARANTINE}/{moved['operation']}/{name}": partial}
    back = done(held, "undo", moved["operation"])
    assert (outcomes(back), files(held)) == ({(str(job), name): "applied"}, {name: partial})
    after = file.stat()
    assert (after.st_mtime_ns, after.st_mode) == (before.st_mtime_ns, before.st_mode)
    assert open_intents(held) == 0


def test_a_file_that_a_live_writer_still_writes_keeps_its_name(held: Artifacts) -> None:
    job, file = lost(held)
    with writing(file, step=65_536):
        for words in (
            ("reconcile", str(job)),
            ("reconcile", "--all", "--state", "orphan_candidate"),
        ):
            said = typed(held, *words, *YES)
            assert said.code in (Exit.NOTHING_APPLIED, Exit.REFUSED), said
            assert (file.exists(), list(files(held))) == (True, [str(file.relative_to(held.root))])
    assert [entry for entry in journal(held) if entry[2] == "applied"] == []
    assert outcomes(done(held, "reconcile", str(job))).popitem()[1] == "applied"


def mounted(held: Artifacts, case: str, folder: Path) -> tuple[str, list[dict[str, Any]]]:
    """What each command told in mounts of its own, where the store lies."""
    job, file = lost(held)
    held.database.execute(b"DELETE FROM aps.store")
    name = file.relative_to(held.root).as_posix()
    dsns = (held.database.dsn(), held.database.dsn("postgres"))
    words = (case, str(folder / "mounted"), str(job), name, *dsns)
    said = behind(OWN_MOUNTS, held, "tests.support.mounted", *words)
    return name, [json.loads(line) for line in said.splitlines()]


def test_on_a_full_disk_each_move_fails_whole_and_the_next_run_with_room_succeeds(
    held: Artifacts, tmp_path: Path
) -> None:
    name, told = mounted(held, "full", tmp_path)
    *failed, last = told
    assert len(failed) == 4
    for one in failed:
        assert (one["code"], one["outcome"]) == (Exit.ROW_FAILED, "failed")
        assert (one["detail"], one["files"]) == (f"{name}: no space left on device", [name])
    place = f"{QUARANTINE}/{last['operation']}/{name}"
    assert (last["code"], last["outcome"], last["files"]) == (0, "applied", [place])
    assert open_intents(held) == 0
    told_outcomes = [entry[2] for entry in journal(held) if entry[1] == "applied"]
    assert sorted(told_outcomes) == ["applied", *["failed"] * len(failed)]


def test_a_store_that_is_closed_for_writing_fails_both_ways_and_loses_nothing(
    held: Artifacts, tmp_path: Path
) -> None:
    name, told = mounted(held, "read_only", tmp_path)
    place = f"{QUARANTINE}/{told[1]['operation']}/{name}"
    assert [(one["code"], one["outcome"], one["files"]) for one in told] == [
        (Exit.ROW_FAILED, "failed", [name]),
        (Exit.CLEAR, "applied", [place]),
        (Exit.ROW_FAILED, "failed", [place]),
        (Exit.CLEAR, "applied", [name]),
    ]
    assert open_intents(held) == 0


def gone(held: Artifacts) -> None:
    held.root.rename(held.root.with_name("away"))


def empty(held: Artifacts) -> None:
    gone(held)
    held.root.mkdir()


def anothers(held: Artifacts) -> None:
    store.open(str(held.root)).bind(BINDING, rebind=True)


def another(held: Artifacts) -> None:
    held.database.execute(b"UPDATE aps.store SET store_id = 'another'")


@pytest.mark.parametrize("wrong", [gone, empty, anothers, another])
def test_on_a_wrong_root_every_command_ends_with_its_code_and_does_nothing(
    held: Artifacts, wrong: Callable[[Artifacts], None]
) -> None:
    missing, lost_file = held.published("missing")
    lost_file.unlink()
    orphan, _ = held.orphan()
    earlier = done(held, "reconcile", str(orphan))["operation"]
    second, _ = held.orphan("second")
    wrong(held)
    stands, entries = files(held) if held.root.exists() else {}, journal(held)
    for words in (
        ("reconcile", str(missing)),
        ("reconcile", str(second)),
        ("reconcile", "--all", "--state", "missing_artifact"),
        ("reconcile", "--all", "--state", "orphan_candidate"),
        ("undo", earlier),
    ):
        said = typed(held, *words, *YES)
        cli.refused(said, Exit.STORE, "store file://")
    assert (files(held) if held.root.exists() else {}, journal(held)) == (stands, entries)
    assert held.database.execute(b"SELECT job_id FROM aps.valid_result") == [(missing,)]


def test_a_staging_copy_does_nothing_on_the_store_of_production(
    held: Artifacts, server: Server
) -> None:
    missing, file = held.published()
    file.unlink()
    orphan, _ = held.orphan()
    stands = files(held)
    source, copy = held.database, f"{held.database.name}_staging"
    source.close()
    with server.database() as other:
        other.execute(f"CREATE DATABASE {copy} TEMPLATE {source.name}".encode())
        try:
            staging = Artifacts(Database(source.cluster, copy), held.root)
            for job in (missing, orphan):
                said = typed(staging, "reconcile", str(job), *YES)
                cli.refused(said, Exit.STORE, "bound to another database", "database oid")
            assert untouched(staging, stands)
        finally:
            other.execute(f"DROP DATABASE {copy} WITH (FORCE)".encode())


@pytest.mark.slow
def test_below_a_folder_that_may_not_be_read_nothing_is_done(held: Artifacts) -> None:
    orphan, hidden = held.orphan("hidden")
    other, _ = held.orphan("open")
    missing, file = held.published("behind")
    stands = files(held)
    for folder in (hidden.parent, file.parent):
        folder.chmod(0)
    try:
        looked = unprivileged(held, "inspect")
        bulk = [
            unprivileged(held, "reconcile", "--all", "--state", state, *YES)
            for state in ("orphan_candidate", "missing_artifact")
        ]
        named = [unprivileged(held, "reconcile", str(job), *YES) for job in (orphan, missing)]
    finally:
        for folder in (hidden.parent, file.parent):
            folder.chmod(0o755)
    assert looked.code == Exit.UNDETERMINED
    assert [said.code for said in (*bulk, *named)] == [
        Exit.STORE,
        Exit.NOTHING_APPLIED,
        Exit.REFUSED,
        Exit.REFUSED,
    ]
    assert untouched(held, stands)
    shutil.rmtree(held.root / str(other))
    assert outcomes(done(held, "reconcile", str(orphan))).popitem()[1] == "applied"
    assert CONTENT in files(held).values()
