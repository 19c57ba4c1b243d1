"""Every pack that ships: it loads, its files say what they are, and nothing is wrong with it on a real database."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps import matrix, packs
from aps.exits import Exit
from tests.support import cli, shipped
from tests.support.database import Database

SHIPPED = ("agent-requests", "articles")


@pytest.mark.one_server
def test_the_packs_that_ship_are_known_by_name() -> None:
    assert packs.known() == ("aps", *SHIPPED)


@pytest.mark.parametrize("pack", SHIPPED)
def test_a_shipped_pack_is_whole_and_every_query_says_what_it_is(pack: str) -> None:
    folder = packs.find(pack)
    assert matrix.load(folder).system == pack
    files = sorted(Path(folder).rglob("*.sql"))
    assert [file.name for file in files if not file.read_text("utf-8").startswith("-- ")] == []
    assert [
        file for file in files if max(map(len, file.read_text("utf-8").splitlines())) > 130
    ] == []
    assert (folder / "README.md").is_file()


@pytest.mark.parametrize("pack", SHIPPED)
def test_an_empty_queue_needs_nobody_and_a_reader_may_look(database: Database, pack: str) -> None:
    shipped.install(database, pack)
    said = cli.call("inspect", "--pack", pack, "--dsn", database.dsn("aps_read"))
    assert (said.code, said.stderr) == (Exit.CLEAR, "")
    assert "could not be read: nothing" in said.stdout


@pytest.mark.parametrize("pack", SHIPPED)
def test_a_database_without_its_tables_is_not_told_to_make_the_reference_queue(
    database: Database, pack: str
) -> None:
    said = cli.call("inspect", "--pack", pack, "--dsn", database.dsn())
    cli.refused(said, Exit.DATABASE, "has no table", "--schema")
    assert "aps init" not in said.stderr


def test_the_check_says_that_the_queue_has_another_version(database: Database) -> None:
    shipped.install(database, "agent-requests")
    database.execute(b"UPDATE agent_version SET version = 2")
    words = ("matrix", "check", "--pack", "agent-requests", "--dsn", database.dsn("aps_operate"))
    said = cli.call(*words, "--format", "jsonl")
    assert said.code == Exit.UNDETERMINED
    assert "is for agent-requests 1, and this is 2: nothing is acted upon" in said.stdout
    database.execute(b"UPDATE agent_version SET version = 1")
    assert cli.call(*words).code == Exit.CLEAR
