"""The commands that are printed: what they repeat, that they do what was shown, and how to have none."""

from __future__ import annotations

import shlex

import pytest

from aps.exits import Exit
from tests.support import cli, trouble
from tests.support.database import Database

pytestmark = pytest.mark.one_server


@pytest.fixture
def three(database: Database) -> list[str]:
    """Three abandoned jobs, the oldest last, of workers that differ by one letter."""
    made = [("a", "w1", "1 min"), ("b", "w10", "2 min"), ("c", "w1 ", "30 min")]
    return [trouble.abandoned(database, key, worker, ago) for key, worker, ago in made]


def test_the_printed_command_repeats_what_was_said_and_else_asks_for_it(
    database: Database,
) -> None:
    job = trouble.abandoned(database)
    given = ("--reason", "it's over; $HOME", "--ticket", "OPS 7")
    for words, told in ((given, given), ((), ("--reason", "..."))):
        shown = cli.call("reclaim", job, *words, "--dsn", database.dsn()).stdout
        line = next(line for line in shown.splitlines() if line.startswith("apply:"))
        pasted = shlex.split(line.removeprefix("apply:"))
        assert pasted[: 4 + len(told)] == ["aps", "reclaim", job, "--yes", *told]
    cli.refused(cli.call(*pasted[1:]), Exit.REFUSED, "says nothing")


def test_quiet_is_data_without_hints(database: Database, three: list[str]) -> None:
    loud = cli.call("inspect", "--dsn", database.dsn()).stdout
    quiet = cli.call("inspect", "--quiet", "--dsn", database.dsn()).stdout
    assert quiet == cli.call("inspect", "-q", "--dsn", database.dsn()).stdout
    assert "next:" in loud
    assert "next:" not in quiet
    for data in ("aps · exports", "clear:", "not looked:", "adoption"):
        assert data in quiet


def test_quiet_keeps_the_data_of_every_command_and_drops_what_could_be_typed(
    database: Database, three: list[str]
) -> None:
    reach = ("--dsn", database.dsn())
    listed = ("inspect", "--state", "adoption")
    for words, hint in ((listed, "next:"), (("reclaim", three[0]), "apply:")):
        loud = cli.call(*words, *reach).stdout
        quiet = cli.call(*words, "-q", *reach).stdout
        assert hint in loud
        assert hint not in quiet
        assert "exports" in quiet
    page = cli.call("inspect", three[0], "-q", *reach).stdout
    assert page.startswith("aps · exports")
    said = cli.call("reclaim", three[0], "-q", "--yes", "--reason", "x", *reach)
    assert "1 applied" in said.stdout
    assert "log:" not in said.stdout


def test_the_command_that_a_preview_prints_does_what_was_shown(
    database: Database, three: list[str]
) -> None:
    narrowed = ("--where", "worker=w1 ", "--older-than", "20 min", "--limit", "9")
    said_before = ("--set", "orphan_grace=1000000 s", "--reason", "it's over")
    bulk = ("reclaim", "--all", "--state", "adoption", *narrowed, *said_before)
    shown = cli.call(*bulk, "--dsn", database.dsn(), env={"COLUMNS": "400"}).stdout
    line = next(line for line in shown.splitlines() if line.startswith("apply:"))
    words = shlex.split(line.removeprefix("apply:"))
    assert words[0] == "aps"
    said = cli.call(*words[1:], "--dsn", database.dsn())
    assert said.code == 0, said
    assert database.execute(b"SELECT job FROM aps_journal.entry") == [(three[2],)]
