"""On a terminal a reclaim asks once, saying where and how much; only `yes` applies."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps.exits import Exit
from tests.support import cli, trouble
from tests.support.database import Database
from tests.support.terminal import terminal

pytestmark = pytest.mark.one_server

ASKS = "Only `yes` applies: "


def state(database: Database) -> list[tuple[str, int]]:
    return [(row[0], row[1]) for row in database.execute(b"SELECT state, epoch FROM aps.job")]


def here(database: Database) -> tuple[str, ...]:
    return ("--dsn", database.dsn())


def test_the_question_names_database_role_host_counts_and_a_sample(database: Database) -> None:
    jobs = [trouble.abandoned(database, f"a{number}") for number in range(8)]
    words = ("reclaim", "--all", "--state", "adoption", "--limit", "7", "--reason", "x")
    with terminal(*words, *here(database)) as person:
        question = person.until(ASKS).rpartition("apply to ")[2]
        person.type("no\n")
        assert person.end() == Exit.REFUSED
    assert question.startswith(f"7 of 8 jobs ({', '.join(jobs[:5])}, ...)")
    for told in (f"in {database.name} ", str(database.cluster.sockets), "as aps_operate"):
        assert told in question
    assert "declined: nothing was changed" in person.seen


def test_yes_applies(database: Database) -> None:
    job = trouble.abandoned(database)
    with terminal("reclaim", job, "--reason", "lease over", *here(database)) as person:
        person.until(ASKS)
        assert state(database) == [("running", 1)]
        person.type("yes\n")
        assert person.end() == Exit.CLEAR
    assert state(database) == [("ready", 2)]
    assert database.execute(b"SELECT reason FROM aps_journal.batch") == [("lease over",)]


@pytest.mark.parametrize("answer", ["\n", "y\n", "YES\n", "yes please\n", "\x04", "\udcff\n"])
def test_anything_else_is_a_refusal(database: Database, answer: str) -> None:
    job = trouble.abandoned(database)
    with terminal("reclaim", job, "--reason", "x", *here(database)) as person:
        person.until(ASKS)
        person.type(answer)
        assert person.end() == Exit.REFUSED, person.seen
    assert state(database) == [("running", 1)]
    assert "Traceback" not in person.seen


def test_an_interrupt_at_the_question_changes_nothing(database: Database) -> None:
    job = trouble.abandoned(database)
    with terminal("reclaim", job, "--reason", "x", *here(database)) as person:
        person.until(ASKS)
        person.interrupt()
        assert person.end() == Exit.INTERRUPTED
    after = person.seen.rpartition(ASKS)[2].split()
    assert " ".join(after).removeprefix("^C").strip() == "interrupted: nothing was changed"
    assert state(database) == [("running", 1)]
    assert "Traceback" not in person.seen


def test_without_a_reason_it_is_a_preview_and_nobody_is_asked(database: Database) -> None:
    job = trouble.abandoned(database)
    with terminal("reclaim", job, *here(database)) as person:
        assert person.end() == Exit.CLEAR
    assert ASKS not in person.seen
    assert f"aps reclaim {job} --yes --reason" in " ".join(person.seen.split())


def test_with_nothing_to_do_nobody_is_asked(database: Database) -> None:
    job = trouble.ready(database)
    with terminal("reclaim", job, "--reason", "x", *here(database)) as person:
        assert person.end() == Exit.NOTHING_APPLIED
    assert ASKS not in person.seen


def test_without_a_terminal_it_never_asks(database: Database) -> None:
    job = trouble.abandoned(database)
    said = cli.run("reclaim", job, "--reason", "x", *here(database), stdin="yes\n")
    assert said.code == Exit.CLEAR
    assert "yes`" not in said.stdout + said.stderr
    assert state(database) == [("running", 1)]


def test_a_saved_plan_is_asked_about_as_the_role_that_would_apply_it(
    database: Database, tmp_path: Path
) -> None:
    job = trouble.abandoned(database)
    file = str(tmp_path / "plan.json")
    assert cli.call("reclaim", job, "--plan-out", file, "--dsn", database.dsn("aps_read")).code == 0
    with terminal("reclaim", "--plan", file, "--reason", "x", *here(database)) as person:
        assert "as aps_operate?" in person.until(ASKS)
        person.type("yes\n")
        assert person.end() == Exit.CLEAR
    assert state(database) == [("ready", 2)]


def test_the_question_cannot_be_forged_by_what_a_job_is_called(
    database: Database, tmp_path: Path
) -> None:
    database.execute(b"CREATE TABLE public.errand (name text PRIMARY KEY, taken_at timestamptz)")
    database.execute(b"GRANT SELECT, UPDATE ON public.errand TO aps_operate")
    hostile = "\x1b[2J\x1b]0;owned\x07\u202e"
    database.execute(b"INSERT INTO public.errand VALUES (%s, now())", [hostile])
    pack = trouble.errands(tmp_path)
    words = ("reclaim", "--all", "--state", "adoption", "--attest", "all-workers-stopped")
    with terminal(*words, "--pack", pack, "--reason", "x", *here(database)) as person:
        shown = person.until(ASKS)
        person.type("no\n")
        assert person.end() == Exit.REFUSED
    assert r"\x1b[2J" in shown.rpartition("apply to ")[2]
    assert "\x1b[2J" not in person.seen
    assert "\x07" not in person.seen
    assert "\u202e" not in person.seen
