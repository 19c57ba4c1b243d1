"""A store that is not the right one, or not there, or not whole: never empty, never zero."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from aps import store
from aps.errors import StoreError
from aps.exits import Exit
from aps.store import IDENTITY_NAME
from tests.support import cli, trouble
from tests.support.artifacts import Artifacts
from tests.support.database import Database, Server
from tests.unit.store_folders import BINDING, WITHOUT_CAPABILITIES, run

NEED_FILES = {
    "missing_artifact",
    "unverified_publication",
    "unconfirmed_result",
    "orphan_candidate",
    "stray_file",
}


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def undetermined(held: Artifacts, *told: str) -> None:
    """Every state that needs files, and no other, with that reason; what rows alone tell is told."""
    report = held.report()
    assert report.exit_code == Exit.UNDETERMINED
    unseen = {one.state: one.error for one in report.states if one.verdict == "undetermined"}
    assert set(unseen) == NEED_FILES
    assert all(text in str(error) for error in unseen.values() for text in told), unseen
    recorded = next(one for one in report.states if one.state == "confirmed_publication")
    assert (recorded.jobs, recorded.level) == (1, "recorded")
    assert (report.store.level, report.store.error) == ("recorded", unseen["stray_file"])
    with pytest.raises(StoreError, match=r"store file://"):
        held.report(state="stray_file")


@pytest.fixture
def one(held: Artifacts) -> Artifacts:
    held.published()
    return held


def test_a_root_that_is_not_there(one: Artifacts) -> None:
    shutil.rmtree(one.root)
    undetermined(one, "no such folder; is it mounted?")


def test_an_empty_root(one: Artifacts) -> None:
    shutil.rmtree(one.root)
    one.root.mkdir()
    undetermined(one, "not bound to any database; is it mounted?")


def test_a_store_of_another_system(one: Artifacts) -> None:
    store.open(str(one.root)).bind(BINDING, rebind=True)
    undetermined(one, "bound to another database (system 7300000000000000001", "--rebind")


def test_another_store_of_the_same_database(one: Artifacts) -> None:
    one.database.execute(b"UPDATE aps.store SET store_id = 'another'")
    undetermined(one, "another store", "this database publishes into another")


def test_a_database_that_names_no_store(one: Artifacts) -> None:
    one.database.execute(b"DELETE FROM aps.store")
    undetermined(one, "this database names no store")


def test_a_damaged_identity(one: Artifacts) -> None:
    (one.root / IDENTITY_NAME).write_text("{")
    undetermined(one, "damaged")


def test_a_role_that_may_not_know_the_store(one: Artifacts) -> None:
    one.database.execute(b"REVOKE SELECT ON aps.store FROM aps_read")
    undetermined(one, "GRANT SELECT ON aps.store TO aps_read")


def test_a_staging_copy_of_the_database_on_the_store_of_production(
    one: Artifacts, server: Server
) -> None:
    source = one.database
    source.close()
    copy = f"{source.name}_copy"
    with server.database() as other:
        other.execute(f"CREATE DATABASE {copy} TEMPLATE {source.name}".encode())
        try:
            undetermined(Artifacts(Database(source.cluster, copy), one.root), "database oid")
        finally:
            other.execute(f"DROP DATABASE {copy} WITH (FORCE)".encode())


def test_a_named_job_is_told_by_its_row_and_the_reason_beside_it(one: Artifacts) -> None:
    job = "1"
    shutil.rmtree(one.root)
    said = cli.call("inspect", job, "--store", str(one.root), "--dsn", one.database.dsn("aps_read"))
    assert said.code == Exit.UNDETERMINED
    assert "is it mounted?" in said.stdout
    assert "level recorded" in " ".join(said.stdout.split())


def test_a_state_of_files_alone_ends_with_the_code_of_the_store(one: Artifacts) -> None:
    shutil.rmtree(one.root)
    words = ("--store", str(one.root), "--dsn", one.database.dsn("aps_read"))
    said = cli.call("inspect", "--state", "stray_file", *words)
    cli.refused(said, Exit.STORE, "is it mounted?")
    assert cli.call("inspect", "--state", "ready", *words).code == Exit.UNDETERMINED


def test_a_file_of_an_epoch_that_its_job_has_not_reached_stops_all(one: Artifacts) -> None:
    one.write("1/2-0123456789ab")
    undetermined(
        one,
        "the database is older than the store: 1/2-0123456789ab is of epoch 2, but job 1 is at epoch 1",
    )


def test_another_systems_file_with_a_number_is_only_a_stray(one: Artifacts) -> None:
    one.write("1/11-report.csv")
    assert one.finding("stray_file").samples == ("1/11-report.csv",)


def test_names_that_are_not_utf8_are_told_and_never_bound(one: Artifacts) -> None:
    (one.root / "caf\udce9").write_bytes(b"x")
    (one.root / "a\x07b").write_bytes(b"x")
    report = one.report()
    assert next(f for f in report.states if f.state == "stray_file").items == 0
    notes = " ".join(report.store.notes)
    assert r"not UTF-8): caf\xe9" in notes
    assert "the name holds control characters" in notes


def test_a_link_in_the_store_is_told_and_not_followed(one: Artifacts, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"x")
    (one.root / "way").symlink_to(outside)
    report = one.report()
    assert next(f for f in report.states if f.state == "stray_file").items == 0
    assert "way: it is a symbolic link" in " ".join(report.store.notes)


def test_a_folder_that_may_not_be_read_hides_no_orphan_and_no_publication(one: Artifacts) -> None:
    trouble.published(one.database, "closed")
    closed = one.write("2/anything").parent
    closed.chmod(0)
    # Without its capabilities our account is any other to the folder of the server's socket.
    sockets = one.database.cluster.sockets
    before = sockets.stat().st_mode
    sockets.chmod(0o755)
    try:
        words = ("inspect", "--store", str(one.root), "--dsn", one.database.dsn("aps_read"))
        said = run("tests.support.looker", *words, "--format", "json", prefix=WITHOUT_CAPABILITIES)
    finally:
        closed.chmod(0o700)
        sockets.chmod(before)
    code, _, text = said.partition("\n")
    states = {one["state"]: one for one in json.loads(text)["states"]}
    assert int(code) == Exit.UNDETERMINED
    unseen = {name for name, one in states.items() if one["verdict"] == "undetermined"}
    assert unseen == {"orphan_candidate", "stray_file"}
    assert "2/: the folder cannot be read: permission denied" in states["stray_file"]["error"]
    counts = {name: states[name]["jobs"] for name in ("missing_artifact", "unverified_publication")}
    assert counts == {"missing_artifact": 0, "unverified_publication": 1}
    assert (states["missing_artifact"]["looked"], states["missing_artifact"]["claimed"]) == (1, 2)
