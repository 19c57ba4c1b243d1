"""A database that cannot be reached, or is not the one: one sentence, the right code, and no secret in it."""

from __future__ import annotations

import shlex
import socket
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from aps.demo import cluster as clusters
from aps.demo.binaries import Binaries
from aps.exits import Exit
from tests.support import cli, trouble
from tests.support.database import Database
from tests.support.sessions import eventually

pytestmark = pytest.mark.one_server

SECRET = "hunter2-Secret"
COMMANDS = (("inspect",), ("inspect", "1"), ("reclaim", "1"), ("log",), ("init",))


@pytest.fixture(scope="module")
def guarded(binaries: Binaries) -> Iterator[clusters.Cluster]:
    """A server that asks for passwords."""
    with clusters.temporary(binaries) as cluster:
        with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
            connection.execute(f"ALTER ROLE postgres PASSWORD '{SECRET}'".encode())
            (cluster.folder / "pg_hba.conf").write_text("local all all scram-sha-256\n")
            connection.execute(b"SELECT pg_reload_conf()")
        eventually(lambda: not lets_in(cluster.dsn()))
        yield cluster


def lets_in(dsn: str) -> bool:
    try:
        psycopg.connect(dsn).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_server_is_one_sentence(words: tuple[str, ...], tmp_path: Path) -> None:
    said = cli.call(*words, "--dsn", f"host={tmp_path} user=x dbname=y")
    cli.refused(said, Exit.DATABASE, "cannot connect", str(tmp_path))


def test_a_closed_port_is_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        said = cli.run("inspect", "--dsn", f"host=127.0.0.1 port={port} user=x password={SECRET}")
    cli.refused(said, Exit.DATABASE, "cannot connect", str(port))
    assert SECRET not in said.stderr


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("dbname=", "dbname=missing_", 'database "missing_'),
        ("user=aps_read", "user=nobody_at_all", 'role "nobody_at_all" does not exist'),
    ],
)
def test_a_wrong_database_or_role_is_one_sentence(
    database: Database, old: str, new: str, told: str
) -> None:
    dsn = database.dsn("aps_read").replace(old, new)
    cli.refused(cli.call("inspect", "--dsn", dsn), Exit.DATABASE, told)


def test_a_wrong_password_is_one_sentence_without_the_password(guarded: clusters.Cluster) -> None:
    wrong = cli.run("inspect", "--dsn", f"{guarded.dsn()} password={SECRET}-wrong")
    cli.refused(wrong, Exit.DATABASE, "password authentication failed")
    assert SECRET not in wrong.stderr
    none = cli.run("inspect", "--dsn", guarded.dsn())
    cli.refused(none, Exit.DATABASE, "no password supplied")


def test_a_password_never_shows(guarded: clusters.Cluster) -> None:
    dsn = f"{guarded.dsn()} password={SECRET}"
    made = cli.run("init", "--dsn", dsn, "--show-sql")
    assert made.code == 0
    for words in (("inspect",), ("inspect", "--format", "json"), ("log",), ("inspect", "1")):
        said = cli.run(*words, "--dsn", dsn, "--show-sql")
        assert said.code in (0, Exit.NO_SUCH_JOB), said
        assert "SELECT" in said.stderr
        assert SECRET not in said.stdout + said.stderr


def test_a_printed_command_reaches_the_same_database_and_holds_no_password(
    database: Database,
) -> None:
    job = trouble.abandoned(database)
    dsn = f"{database.dsn()} password={SECRET}"
    screen = cli.call("inspect", "--dsn", dsn).stdout
    plan = cli.call("reclaim", job, "--dsn", dsn).stdout
    assert SECRET not in screen + plan
    # The narrow column shows that something is left out, so that a paste of it fails instead of missing.
    assert f"aps reclaim {job} --dsn ... " in screen
    shown = next(line for line in plan.splitlines() if line.startswith("apply:"))
    given = shlex.split(shown.removeprefix("apply:").replace("...", "it is over"))
    assert cli.call(*given[1:]).code == 0


@pytest.mark.parametrize(
    ("dsn", "told"),
    [
        ("nonsense", "nonsense"),
        ("host='x", "unterminated"),
        ("hosst=x", "hosst"),
        (f"host=x password=first {SECRET}", "key=value"),
        (f"user:{SECRET}@host", "key=value"),
        (f"postgresql://u:p@{SECRET}@host/db", "%40"),
        (f"postgresql://u:p/{SECRET}@host/db", "%2F"),
        (f"postgresql://u:{SECRET}%zz@host/db", "postgresql://USER@HOST/DATABASE"),
    ],
)
def test_a_connection_string_that_is_none_is_wrong_usage_and_shows_no_secret(
    dsn: str, told: str
) -> None:
    for given in (cli.call("inspect", "--dsn", dsn), cli.call("log", env={"APS_DSN": dsn})):
        cli.refused(given, Exit.USAGE, told)
        assert SECRET not in given.stderr


def test_a_database_without_the_queue_says_how_to_make_it(database: Database) -> None:
    dsn = database.dsn("postgres").replace(f"dbname={database.name}", "dbname=template1")
    cli.refused(cli.call("inspect", "--dsn", dsn), Exit.DATABASE, "no table aps.job", "`aps init`")
    cli.refused(cli.call("reclaim", "1", "--dsn", dsn), Exit.DATABASE, "no table aps.job")
    cli.refused(cli.call("log", "--dsn", dsn), Exit.REFUSED, "no journal", "`aps init`")


def test_without_a_journal_nothing_is_done(database: Database) -> None:
    job = trouble.abandoned(database)
    database.execute(b"DROP SCHEMA aps_journal CASCADE")
    dsn = database.dsn()
    assert cli.call("reclaim", job, "--dsn", dsn).code == Exit.CLEAR
    said = cli.call("reclaim", job, "--yes", "--reason", "test", "--dsn", dsn)
    cli.refused(said, Exit.REFUSED, "no journal", "aps init --journal")
    assert database.execute(b"SELECT state, epoch FROM aps.job") == [("running", 1)]


@pytest.mark.parametrize("by", ["APS_DSN", "PGHOST", "PGSERVICE", "PGSERVICEFILE"])
def test_the_environment_names_the_database(database: Database, tmp_path: Path, by: str) -> None:
    trouble.abandoned(database)
    words = dict(word.split("=", 1) for word in database.dsn("aps_read").split())
    service = tmp_path / "services.conf"
    service.write_text("[q]\n" + "\n".join(f"{name}={value}" for name, value in words.items()))
    given = {
        "APS_DSN": {"APS_DSN": database.dsn("aps_read")},
        "PGHOST": {
            "PGHOST": words["host"],
            "PGPORT": words["port"],
            "PGDATABASE": words["dbname"],
            "PGUSER": words["user"],
        },
        "PGSERVICE": {"PGSERVICE": "q", "PGSERVICEFILE": str(service)},
        "PGSERVICEFILE": {"APS_DSN": "service=q", "PGSERVICEFILE": str(service)},
    }[by]
    said = cli.run("inspect", env=given)
    assert said.code == Exit.WARNING, said
    assert database.name in said.stdout


def test_the_option_wins_over_the_environment(database: Database) -> None:
    said = cli.call("inspect", "--dsn", database.dsn("aps_read"), env={"APS_DSN": "host=/nowhere"})
    assert said.code == Exit.CLEAR


def test_the_environment_names_the_pack_and_printed_commands_follow(
    database: Database, tmp_path: Path
) -> None:
    job = trouble.abandoned(database)
    pack = trouble.pack(tmp_path, {}, {"system: exports": "system: copies"})
    here = {"APS_DSN": database.dsn("aps_read"), "APS_PACK": pack}
    named = cli.call("inspect", env=here)
    assert "aps · copies on" in named.stdout
    assert f"next:  aps inspect {job}\n" in named.stdout
    other = cli.call("inspect", "--pack", "aps", env=here)
    assert "aps · exports on" in other.stdout
    assert f"aps inspect {job} --pack aps" in " ".join(other.stdout.split())


def test_a_pinned_pack_is_that_pack_or_nothing_runs(database: Database) -> None:
    here = {"APS_DSN": database.dsn("aps_read")}
    sha256 = cli.call("inspect", "--format", "json", env=here).stdout.split('"sha256": "')[1][:64]
    assert cli.call("inspect", env=here | {"APS_PACK_SHA256": sha256[:12]}).code == 0
    said = cli.call("inspect", env=here | {"APS_PACK_SHA256": "0" * 64})
    cli.refused(said, Exit.REFUSED, "APS_PACK_SHA256")
