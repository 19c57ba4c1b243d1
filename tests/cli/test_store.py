"""The store on the command line: bound once by a person, looked at where it is given, repeated where it is printed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from aps import store
from aps.commands import stores
from aps.errors import Usage
from aps.exits import Exit
from tests.support import cli
from tests.support.artifacts import Artifacts
from tests.support.database import Database, Server
from tests.support.terminal import terminal
from tests.unit.store_folders import BINDING


def init(database: Database, root: Path, *words: str) -> cli.Result:
    return cli.call("init", "--store", str(root), *words, "--dsn", database.dsn("postgres"))


def named(database: Database) -> list[str]:
    rows = database.execute(b"SELECT store_id FROM aps.store ORDER BY bound_at DESC")
    return [str(row[0]) for row in rows]


def identity(root: Path) -> str:
    binding = store.open(str(root)).binding()
    assert binding
    return binding.store_id


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    return tmp_path / "store"


def test_a_store_is_bound_once(database: Database, root: Path) -> None:
    first, second = init(database, root), init(database, root)
    assert (first.code, second.code) == (0, 0)
    known = identity(root)
    assert named(database) == [known]
    assert first.stdout.splitlines()[-1] == f"store file://{root}, id {known}: bound"
    assert second.stdout.splitlines()[-1] == f"store file://{root}, id {known}: bound already"


def test_what_was_interrupted_between_store_and_row_is_finished(
    database: Database, root: Path
) -> None:
    init(database, root)
    known = identity(root)
    database.execute(b"DELETE FROM aps.store")
    assert init(database, root).code == 0
    assert (named(database), identity(root)) == ([known], known)


def test_a_store_of_another_database_is_taken_only_where_told(
    database: Database, root: Path
) -> None:
    store.open(str(root)).bind(BINDING)
    cli.refused(init(database, root), Exit.STORE, "bound to database 16384", "--rebind")
    assert named(database) == []
    done = init(database, root, "--rebind")
    assert (done.code, named(database)) == (0, [BINDING.store_id])
    assert "bound anew" in done.stdout
    assert init(database, root).stdout.endswith("bound already\n")


def test_an_empty_folder_in_the_stores_place_is_not_bound(database: Database, root: Path) -> None:
    init(database, root)
    shutil.rmtree(root)
    root.mkdir()
    cli.refused(init(database, root), Exit.STORE, "is it mounted?", "--rebind")
    assert not list(root.iterdir())
    assert init(database, root, "--rebind").code == 0
    assert named(database)[0] == identity(root)


def test_a_second_store_is_refused_by_the_database(
    database: Database, root: Path, server: Server, tmp_path: Path
) -> None:
    init(database, root)
    other = tmp_path / "other"
    other.mkdir()
    said = init(database, other)
    cli.refused(said, Exit.STORE, "--rebind")
    with server.database() as fresh:
        cli.refused(init(fresh, root), Exit.STORE, f"which is not {fresh.name}")


def test_a_damaged_identity_is_replaced_only_where_told(database: Database, root: Path) -> None:
    init(database, root)
    (root / store.IDENTITY_NAME).write_text("{")
    cli.refused(init(database, root), Exit.STORE, "damaged")
    assert init(database, root, "--rebind").code == 0
    assert named(database)[0] == identity(root)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("init", "--rebind"), "--rebind needs --store"),
        (("inspect", "--level", "rehashed"), "needs --store"),
    ],
)
def test_an_option_without_its_store_is_wrong_usage(words: tuple[str, ...], told: str) -> None:
    cli.refused(cli.call(*words), Exit.USAGE, told)


def test_an_unsupported_store_is_told(database: Database) -> None:
    said = cli.call("inspect", "--store", "s3://bucket", "--dsn", database.dsn("aps_read"))
    cli.refused(said, Exit.STORE, "s3 is not supported")


def test_the_environment_names_the_store_and_is_not_repeated(
    database: Database, tmp_path: Path
) -> None:
    held = Artifacts.bound(database, tmp_path / "the store")
    job, file = held.published()
    file.unlink()
    where = {"APS_DSN": database.dsn("aps_read")}
    said = cli.call("inspect", env=where | {"APS_STORE": str(held.root)})
    assert said.code == Exit.CRITICAL
    assert "missing artifact (listed)" in said.stdout
    assert said.stdout.endswith(f"next:  aps inspect {job}\n")
    given = cli.call("inspect", "--store", str(held.root), "--level", "rehashed", env=where)
    typed = " ".join(given.stdout.rsplit("next:", 1)[1].split())
    assert typed == f"aps inspect {job} --store '{held.root}' --level rehashed"


def test_json_tells_store_level_and_how_much_was_looked_at(
    database: Database, tmp_path: Path
) -> None:
    held = Artifacts.bound(database, tmp_path / "store")
    held.published()
    words = ("--store", str(held.root), "--dsn", database.dsn("aps_read"), "--format", "json")
    report = json.loads(cli.call("inspect", *words).stdout)
    assert report["store"]["url"] == f"file://{held.root}"
    assert report["store"]["level"] == "listed"
    assert report["store"]["error"] is None
    states = {one["state"]: one for one in report["states"]}
    missing = states["missing_artifact"]
    assert (missing["level"], missing["looked"], missing["claimed"]) == ("listed", 1, 1)
    assert states["ready"]["level"] is None


def test_without_a_store_a_publication_is_no_more_than_recorded(
    database: Database, tmp_path: Path
) -> None:
    Artifacts.bound(database, tmp_path / "store").published()
    said = cli.call("inspect", "--dsn", database.dsn("aps_read"))
    assert "confirmed publication 1 in 24 h (recorded)" in " ".join(said.stdout.split())
    assert "missing artifact" in said.stdout.rsplit("not looked:", 1)[1]


@pytest.mark.slow
@pytest.mark.one_server
def test_a_look_of_more_than_a_second_is_shown_on_a_terminal(
    database: Database, tmp_path: Path
) -> None:
    held = Artifacts.bound(database, tmp_path / "store")
    _, file = held.published()
    # Without bytes on disk, and yet long to read.
    with file.open("r+b") as whole:
        whole.truncate(1 << 30)
    words = ("--store", str(held.root), "--level", "rehashed", "--dsn", database.dsn("aps_read"))
    with terminal("inspect", *words) as shown:
        shown.until("looking at files")
        shown.until("missing artifact")
        assert shown.end() == Exit.CRITICAL


def test_nothing_is_shown_of_a_look_where_nobody_sits() -> None:
    with stores.progress(quiet=False) as tell:
        assert tell is None


def test_the_demo_has_a_store_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APS_STORE", "elsewhere")
    with pytest.raises(Usage, match="name two stores"):
        stores.given("here", demo=True)
    assert stores.given("here", demo=False) == "here"
