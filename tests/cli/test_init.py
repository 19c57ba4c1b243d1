"""`aps init`: once, whole, by whoever may; what stands there is left as it is."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from aps import packs
from aps.demo import cluster
from aps.demo.binaries import Binaries
from aps.exits import Exit
from tests.support import cli, trouble
from tests.support.database import Database, Server

ALL = "SELECT relname, relkind::text, relacl::text FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace"
STANDING = f"{ALL} WHERE nspname LIKE 'aps%' ORDER BY 1, 2, 3".encode()
QUEUE_THERE = (
    b"SELECT to_regclass('aps.job') IS NOT NULL, to_regclass('aps_journal.batch') IS NOT NULL"
)


@pytest.fixture
def empty(database: Database) -> Database:
    """A database without anything of aps, on a server that has its roles."""
    database.execute(b"DROP SCHEMA aps CASCADE")
    database.execute(b"DROP SCHEMA aps_journal CASCADE")
    return database


def init(database: Database, *words: str, role: str = "postgres") -> cli.Result:
    return cli.call("init", *words, "--dsn", database.dsn(role))


def test_it_says_what_it_made_and_what_was_there(empty: Database) -> None:
    first, second = init(empty), init(empty)
    assert (first.code, second.code) == (0, 0)
    assert first.stdout == (
        "schema aps, version 1: created\nschema aps_journal, version 1: created\n"
    )
    assert second.stdout == first.stdout.replace("created", "there already")


def test_a_second_run_changes_nothing(empty: Database) -> None:
    init(empty)
    trouble.abandoned(empty)
    before = empty.execute(STANDING), empty.execute(b"SELECT job_id, xmin::text FROM aps.job")
    assert init(empty).code == 0
    after = empty.execute(STANDING), empty.execute(b"SELECT job_id, xmin::text FROM aps.job")
    assert after == before


def test_what_it_made_is_what_the_roles_need(empty: Database) -> None:
    assert init(empty).code == 0
    job = trouble.abandoned(empty)
    looked = cli.call("inspect", job, "--dsn", empty.dsn("aps_read"))
    assert looked.code == Exit.WARNING
    assert "not read" not in looked.stdout
    acted = cli.call("reclaim", job, "--yes", "--reason", "x", "--dsn", empty.dsn())
    assert acted.code == 0
    assert cli.call("log", "--dsn", empty.dsn("aps_read")).code == 0


def test_many_at_once_make_it_once(empty: Database) -> None:
    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda _: cli.run("init", "--dsn", empty.dsn("postgres")), range(4)))
    assert [one.code for one in said] == [0, 0, 0, 0], said
    assert sum(one.stdout.count("created") for one in said) == 2
    assert empty.execute(b"SELECT count(*) FROM aps.version") == [(1,)]


def test_two_databases_of_one_server_at_once(empty: Database, server: Server) -> None:
    with server.database() as other, ThreadPoolExecutor(2) as pool:
        other.execute(b"DROP SCHEMA aps CASCADE")
        dsns = [empty.dsn("postgres"), other.dsn("postgres")]
        said = list(pool.map(lambda dsn: cli.run("init", "--dsn", dsn), dsns))
    assert [one.code for one in said] == [0, 0], said


@pytest.mark.parametrize("schema", ["aps", "aps_journal"])
@pytest.mark.parametrize("version", [b"2", b"NULL"], ids=["newer", "none"])
def test_another_version_is_refused_and_left_alone(
    database: Database, schema: str, version: bytes
) -> None:
    database.execute(b"DELETE FROM %b.version" % schema.encode())
    if version != b"NULL":
        database.execute(b"INSERT INTO %b.version VALUES (%b)" % (schema.encode(), version))
    before = database.execute(STANDING)
    said = init(database)
    assert said.code == Exit.REFUSED
    assert f"schema {schema} has version" in said.stderr
    assert said.stderr.count("\n") == 1
    assert database.execute(STANDING) == before


def test_a_schema_of_that_name_made_by_somebody_else_is_left_alone(empty: Database) -> None:
    empty.execute(b"CREATE SCHEMA aps")
    empty.execute(b"CREATE TABLE aps.theirs ()")
    cli.refused(init(empty), Exit.REFUSED, 'schema "aps" already exists', "nothing was changed")
    assert empty.execute(QUEUE_THERE) == [(False, False)]


@pytest.mark.parametrize("words", [(), ("--journal",)], ids=["all", "journal"])
def test_a_role_without_the_right_is_told_who_has_it(
    empty: Database, words: tuple[str, ...]
) -> None:
    said = init(empty, *words, role="aps_read")
    cli.refused(said, Exit.REFUSED, "permission denied for database", "owner", "nothing was")
    assert empty.execute(QUEUE_THERE) == [(False, False)]


def test_a_role_that_may_not_even_look_is_told_so(database: Database) -> None:
    said = init(database, role=trouble.role(database))
    cli.refused(said, Exit.REFUSED, "permission denied for schema aps")


def test_the_journal_alone_makes_nothing_else(empty: Database) -> None:
    said = init(empty, "--journal")
    assert (said.code, said.stdout) == (0, "schema aps_journal, version 1: created\n")
    assert empty.execute(QUEUE_THERE) == [(False, True)]
    assert init(empty, "--journal").stdout == "schema aps_journal, version 1: there already\n"


def test_it_works_where_every_transaction_is_read_only_by_default(empty: Database) -> None:
    empty.execute(f"ALTER DATABASE {empty.name} SET default_transaction_read_only = on".encode())
    assert init(empty).code == 0


def test_the_journal_alone_makes_the_roles_that_a_pack_gives_its_table_to(
    binaries: Binaries,
) -> None:
    """On a server that never had them: roles belong to the whole server, so it is one of its own."""
    made = "SELECT count(*) FROM pg_roles WHERE rolname IN ('aps_read', 'aps_operate')"
    with (
        cluster.temporary(binaries) as started,
        psycopg.connect(started.dsn(), autocommit=True) as session,
    ):
        session.execute("CREATE ROLE plain LOGIN; GRANT CREATE ON DATABASE postgres TO plain")
        # Who may not make roles makes the journal all the same.
        assert cli.call("init", "--journal", "--dsn", started.dsn(role="plain")).code == 0
        assert session.execute(made).fetchone() == (0,)
        assert cli.call("init", "--journal", "--dsn", started.dsn()).code == 0
        assert session.execute(made).fetchone() == (2,)
        for name in ("schema.sql", "roles.sql"):
            session.execute((packs.find("articles") / "queries" / name).read_bytes())
        session.execute("CREATE ROLE looks LOGIN IN ROLE aps_operate")
        looks = started.dsn(role="looks")
        looked = cli.call("inspect", "--pack", "articles", "--dsn", looks)
        assert (looked.code, "could not be read: nothing" in looked.stdout) == (0, True), looked
        assert cli.call("log", "--dsn", looks).code == 0
