"""What cannot be understood is one sentence that names it and what to do; nothing runs, nothing is printed as data."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps.exits import Exit
from tests.support import cli, trouble
from tests.support.database import Database

pytestmark = pytest.mark.one_server

NOWHERE = "host=/nowhere"
RECLAIM = ("reclaim", "--all", "--state", "adoption")

REACHES = (("inspect",), ("reclaim", "1"), ("log",))

# Refused before any database is asked: the words, the code, what the sentence says.
WITHOUT_A_DATABASE: tuple[tuple[tuple[str, ...], int, tuple[str, ...]], ...] = (
    (("inspect", "--where", "worker=w1"), 2, ("--where", "--state")),
    (("inspect", "1", "--state", "ready"), 2, ("not both",)),
    (("inspect", "--state", "ready", "--where", "worker"), 2, ("--where worker", "NAME=VALUE")),
    (("inspect", "--state", "ready", "--where", "=w1"), 2, ("NAME=VALUE",)),
    (
        ("inspect", "--state", "ready", "--where", "a=1", "--where", "a=2"),
        2,
        ("--where a", "twice"),
    ),
    (("inspect", "--set", "nope=1"), 2, ("--set nope", "abandon_limit")),
    (("inspect", "--set", "abandon_limit"), 2, ("--set abandon_limit", "NAME=VALUE")),
    (("inspect", "--set", "abandon_limit=0"), 2, ("abandon_limit=0", "from 1 to 2147483647")),
    (("inspect", "--set", "abandon_limit=-1"), 2, ("from 1 to 2147483647",)),
    (("inspect", "--set", "abandon_limit=2147483648"), 2, ("from 1 to 2147483647",)),
    (("inspect", "--set", f"abandon_limit={'9' * 5000}"), 2, ("from 1 to 2147483647",)),
    (("inspect", "--set", "abandon_limit=many"), 2, ("abandon_limit=many", "whole number")),
    (("inspect", "--set", "orphan_grace=soon"), 2, ("orphan_grace=soon", "duration")),
    (("inspect", "--since", "yesterday"), 2, ("--since", "'yesterday'", "15 min")),
    (("inspect", "--since", "0s"), 2, ("--since 0s",)),
    (("inspect", "--since", "-1h"), 2, ("--since", "'-1h'")),
    (("inspect", "--since", ""), 2, ("--since", "''")),
    (("inspect", "--since", "999999999d"), 2, ("century",)),
    (("inspect", "--timeout", "100d"), 2, ("--timeout 100d", "24 days")),
    (("inspect", "--timeout", "1y"), 2, ("--timeout", "'1y'")),
    (("inspect", "--pack", "nope"), 2, ("'nope'", "known packs", "aps")),
    (("inspect", "--pack", "a" * 5000), 2, ("too long",)),
    (("inspect", "--pack", ""), 2, ("known packs",)),
    (("inspect", "--schema", "other"), 2, ("--schema other", "aps.job")),
    (("log", "xyz"), 2, ("'xyz'", "hexadecimal")),
    (("log", "ab"), 2, ("at least four",)),
    (("reclaim",), 2, ("name jobs",)),
    (("reclaim", "--where", "worker=w1"), 2, ("name jobs", "--all")),
    (("reclaim", "--limit", "3"), 2, ("name jobs", "--all")),
    (("reclaim", "--older-than", "1h"), 2, ("name jobs", "--all")),
    (("reclaim", "--state", "adoption"), 2, ("name jobs", "--all")),
    (("reclaim", "--state", "adoption", "--yes", "--reason", "x"), 2, ("name jobs", "--all")),
    (("reclaim", "1", "--all"), 2, ("not both",)),
    (("reclaim", "--state", "adoption", "--plan", "x.json"), 2, ("--plan",)),
    (("reclaim", "1", "--where", "worker=w1"), 2, ("not both",)),
    (("reclaim", "1", "--limit", "3"), 2, ("not both",)),
    (("reclaim", "1", "--plan", "x.json"), 2, ("--plan",)),
    (("reclaim", "--all", "--plan", "x.json"), 2, ("--plan",)),
    (("reclaim", "--plan", "x.json", "--plan-out", "y.json"), 2, ("--plan",)),
    (("reclaim", "--plan", "nowhere.json"), 2, ("nowhere.json", "no such file")),
    ((*RECLAIM, "--older-than", "old"), 2, ("--older-than", "'old'")),
    ((*RECLAIM, "--older-than", ""), 2, ("--older-than", "''")),
    (("reclaim", "1", "--yes"), 25, ("--reason",)),
    (("reclaim", "1", "--yes", "--reason", "  "), 25, ("--reason",)),
    (("reclaim", "1", "--yes", "--reason", "..."), 25, ("--reason '...'", "says nothing")),
    (("reclaim", "1", "--reason", "?!"), 25, ("--reason '?!'", "says nothing")),
    (("reconcile",), 2, ("name jobs",)),
    (("reconcile", "1"), 2, ("--store URL",)),
    (("reconcile", "1", "--store", "s3://bucket"), 32, ("s3 is not supported",)),
    (("reconcile", "1", "--observations", "x", "--store", "/x"), 2, ("for looking only",)),
    (("reconcile", "--all", "--limit", "0", "--store", "/x"), 2, ("--limit 0",)),
    *(((*words, "--demo", "--dsn", "dbname=other"), 2, ("--demo", "--dsn")) for words in REACHES),
)

# Found by the option parser: the words, and what the sentence says.
OF_THE_PARSER: tuple[tuple[tuple[str, ...], str], ...] = (
    (("inspect", "--limit", "0"), "--limit 0: write a whole number from 1 to 100000"),
    (("inspect", "--limit", "many"), "--limit many"),
    (("inspect", "--limit", "100001"), "--limit 100001"),
    (("log", "--limit", "0"), "--limit 0"),
    ((*RECLAIM, "--limit", "0"), "--limit 0"),
    ((*RECLAIM, "--limit", "9" * 5000), "--limit 999"),
    (("reclaim", "1", "--retries", "-1"), "--retries -1: write a whole number from 0 to 100"),
    (("reclaim", "1", "--batch", "0"), "--batch 0: write a whole number from 1 to 10000"),
    (("inspect", "--format", "xml"), "--format xml: write one of table, json, jsonl"),
    (("inspect", "--watch"), "no such option: --watch; see `aps inspect --help`"),
    (("reclaim", "--limt", "3"), "--limt (did you mean --limit?); see `aps reclaim --help`"),
    (("demo", "--x\ny"), "see `aps demo --help`"),
    (("inspect", "--state"), "'--state' requires an argument; see `aps inspect --help`"),
    (("look",), "'look'; see `aps --help`"),
    (("inspct",), "'inspct'; see `aps --help`"),
    (("demo", "look"), "'look'; see `aps demo --help`"),
    (("log", "abcd", "abcd"), "(abcd); see `aps log --help`"),
)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    WITHOUT_A_DATABASE,
    ids=[" ".join(words)[:60] for words, _, _ in WITHOUT_A_DATABASE],
)
def test_a_wrong_word_is_one_sentence(
    words: tuple[str, ...], code: int, told: tuple[str, ...]
) -> None:
    cli.refused(cli.call(*words, env={"APS_DSN": NOWHERE}), code, *told)


@pytest.mark.parametrize(
    ("words", "told"),
    OF_THE_PARSER,
    ids=[ascii(" ".join(words)[:60]) for words, _ in OF_THE_PARSER],
)
def test_what_the_parser_does_not_know_is_one_sentence_too(
    words: tuple[str, ...], told: str
) -> None:
    cli.refused(cli.call(*words, env={"APS_DSN": NOWHERE}), Exit.USAGE, told)


def test_without_any_word_the_help_is_shown() -> None:
    said = cli.call()
    assert said.code == Exit.USAGE
    assert "Usage: aps " in said.stderr
    assert "Exit codes:" in said.stderr


@pytest.mark.parametrize("job", ["99", "x", "1.5", "", "9" * 40, "1; DROP TABLE aps.job", "1/2"])
def test_a_job_that_is_not_there_is_named_with_how_jobs_are_named(
    database: Database, job: str
) -> None:
    for command in ("inspect", "reclaim"):
        said = cli.call(command, job, "--dsn", database.dsn())
        cli.refused(said, Exit.NO_SUCH_JOB, repr(job), "job_id (bigint)")


def test_one_wrong_job_among_right_ones_stops_the_command(database: Database) -> None:
    job = trouble.abandoned(database)
    for words in (("inspect",), ("reclaim", "--yes", "--reason", "test")):
        said = cli.call(*words, job, "999", "--dsn", database.dsn())
        cli.refused(said, Exit.NO_SUCH_JOB, "'999'")
    assert database.execute(b"SELECT epoch FROM aps.job") == [(1,)]


def test_a_job_is_the_same_however_its_number_is_written(database: Database) -> None:
    job = trouble.abandoned(database)
    shown = cli.call("inspect", f"0{job}", job, "--format", "jsonl", "--dsn", database.dsn())
    assert shown.stdout.count('"record": "job"') == 1
    said = cli.call("reclaim", f" 0{job}", "--yes", "--reason", "test", "--dsn", database.dsn())
    assert said.code == 0, said
    assert database.execute(b"SELECT job FROM aps_journal.entry") == [(job,)]


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("inspect", "--state", "nope"), 2, ("'nope'", "adoption")),
        (("inspect", "--state", ""), 2, ("''", "adoption")),
        (
            ("inspect", "--state", "adoption", "--where", "nope=1"),
            2,
            ("nope", "worker", "lease_until"),
        ),
        (("reclaim", "--all", "--state", "nope"), 2, ("'nope'",)),
        (("reclaim", "--all", "--state", ""), 2, ("''",)),
        (("reclaim", "--all"), 2, ("--all needs --state", "adoption")),
        ((*RECLAIM, "--where", "nope=1"), 2, ("nope", "worker")),
        ((*RECLAIM, "--limit", "5001"), 25, ("5001", "5000")),
        (("reclaim", "--all", "--state", "ready"), 25, ("ready", "no action")),
        (("reclaim", "--all", "--state", "missing_artifact"), 25, ("reconcile, not reclaim",)),
        (("reclaim", "--all", "--state", "inconsistent row"), 25, ("never in bulk",)),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else str(value),
)
def test_what_the_matrix_does_not_know_or_permit_is_one_sentence(
    database: Database, words: tuple[str, ...], code: int, told: tuple[str, ...]
) -> None:
    cli.refused(cli.call(*words, "--dsn", database.dsn()), code, *told)


def test_jobs_of_two_states_are_not_acted_upon_at_once(database: Database) -> None:
    first = trouble.abandoned(database)
    database.execute(b"UPDATE aps.attempt SET ended_at = now(), ended_as = 'released'")
    second = trouble.abandoned(database, "b")
    said = cli.call("reclaim", first, second, "--dsn", database.dsn())
    cli.refused(said, Exit.USAGE, "adoption", "inconsistent_row", "one state at a time")


def test_an_argument_that_is_no_text_is_one_sentence(database: Database) -> None:
    for words in (("inspect", "\udcff"), ("reclaim", "1", "--reason", "\udcff"), ("log", "\udcff")):
        cli.refused(cli.call(*words, "--dsn", database.dsn()), Exit.USAGE, "udcff")


def test_what_is_said_back_cannot_control_the_terminal(database: Database) -> None:
    said = cli.call("inspect", "\x1b[31m\u202e\n", "--dsn", database.dsn())
    cli.refused(said, Exit.NO_SUCH_JOB)
    said = cli.call("inspect", "--set", "\x1b[31m\n=1", "--dsn", database.dsn())
    cli.refused(said, Exit.USAGE, r"\x1b[31m\n")
    assert "\x1b" not in said.stderr


def test_every_fault_of_a_matrix_is_told_at_its_place(database: Database, tmp_path: Path) -> None:
    pack = trouble.pack(tmp_path, {"ready": "DELETE FROM aps.job"}, {"system: exports": "sytem: x"})
    for command in (("inspect",), ("reclaim", "1", "--yes", "--reason", "test")):
        said = cli.call(*command, "--pack", pack, "--dsn", database.dsn())
        assert said.code == Exit.MATRIX
        assert said.stdout == ""
        lines = said.stderr.removeprefix("aps: ").splitlines()
        assert len(lines) >= 3
        assert any(line.startswith("matrix.yaml:") and "sytem" in line for line in lines)
        assert any(line.startswith("queries/ready.sql:2:") for line in lines)


def test_a_named_job_in_a_locked_table_is_undetermined_and_the_holder_named(
    database: Database,
) -> None:
    holder = database.connect("postgres", autocommit=False)
    holder.execute(b"LOCK TABLE aps.job IN ACCESS EXCLUSIVE MODE")
    said = cli.call("inspect", "1", "--timeout", "100ms", "--dsn", database.dsn())
    assert said.code == Exit.UNDETERMINED, said
    assert f"pid {holder.info.backend_pid} " in said.stdout
