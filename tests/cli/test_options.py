"""Each option does what its help says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aps.exits import Exit
from tests.support import cli, trouble
from tests.support.database import Database

pytestmark = pytest.mark.one_server


def report(database: Database, *words: str) -> dict[str, Any]:
    said = cli.call("inspect", *words, "--format", "json", "--dsn", database.dsn("aps_read"))
    assert said.stderr == "", said
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def jobs(database: Database, *words: str) -> list[str]:
    return [job["job"] for job in report(database, *words)["jobs"]]


def planned(database: Database, *words: str) -> list[str]:
    said = cli.call("reclaim", *words, "--format", "json", "--dsn", database.dsn())
    assert said.code in (Exit.CLEAR, Exit.NOTHING_APPLIED), said
    return [job["job"] for job in json.loads(said.stdout)["jobs"]]


@pytest.fixture
def three(database: Database) -> list[str]:
    """Three abandoned jobs, the oldest last, of workers that differ by one letter."""
    made = [("a", "w1", "1 min"), ("b", "w10", "2 min"), ("c", "w1 ", "30 min")]
    return [trouble.abandoned(database, key, worker, ago) for key, worker, ago in made]


def test_state_lists_the_jobs_of_that_state_oldest_first(
    database: Database, three: list[str]
) -> None:
    trouble.ready(database)
    for name in ("adoption", " adoption "):
        assert jobs(database, "--state", name) == three[::-1]
    assert jobs(database, "--state", "live lease") == jobs(database, "--state", "live-lease") == []


def test_limit_is_the_most_jobs_and_the_total_is_told(database: Database, three: list[str]) -> None:
    shown = report(database, "--state", "adoption", "--limit", "2")
    assert [job["job"] for job in shown["jobs"]] == three[:0:-1]
    assert shown["jobs_total"] == 3
    assert len(report(database, "--limit", "1")["jobs"]) == 1
    assert planned(database, "--all", "--state", "adoption", "--limit", "2") == three[:0:-1]


def test_where_is_exact_and_no_prefix(database: Database, three: list[str]) -> None:
    for look in (jobs, planned):
        bulk = ("--all",) if look is planned else ()
        here = (*bulk, "--state", "adoption", "--where")
        assert look(database, *here, "worker=w1") == three[:1]
        assert look(database, *here, "worker=w1 ") == three[2:]
        assert look(database, *here, "worker=w") == []
        assert look(database, *here, "worker=w1%") == []
        assert look(database, *here, "worker=w1", "--where", "epoch=1") == three[:1]
        assert look(database, *here, "worker=w1", "--where", "epoch=2") == []
        assert look(database, *here, "refusal=") == []


def test_where_takes_a_time_as_a_report_shows_it_and_as_sql_writes_it(
    database: Database, three: list[str]
) -> None:
    evidence = report(database, three[0])["jobs"][0]["evidence"]["adoption"][0]
    query = b"SELECT lease_until::text FROM aps.job WHERE job_id = %s"
    connection = database.connect()
    connection.execute(b"SET TimeZone = 'UTC'")
    written = connection.execute(query, [three[0]]).fetchall()[0][0]
    for value in (evidence["lease_until"], written):
        assert jobs(database, "--state", "adoption", "--where", f"lease_until={value}") == three[:1]


def test_older_than_keeps_the_older_ones(database: Database, three: list[str]) -> None:
    here = ("--all", "--state", "adoption", "--older-than")
    assert planned(database, *here, "90s") == three[:0:-1]
    assert planned(database, *here, "10 min") == three[2:]
    assert planned(database, *here, "365d") == []


def test_since_is_the_window_of_finished_states_and_not_of_named_jobs(database: Database) -> None:
    job = trouble.published(database)
    assert jobs(database, "--state", "confirmed_publication", "--since", "1d") == [job]
    long_ago = b"now() - interval '40 days'"
    database.execute(b"ALTER TABLE aps.job DISABLE TRIGGER guard_job")
    database.execute(b"UPDATE aps.job SET finished_at = %b" % long_ago)
    assert jobs(database, "--state", "confirmed_publication", "--since", "1d") == []
    assert jobs(database, "--state", "confirmed_publication", "--since", "50d") == [job]
    assert report(database, job)["jobs"][0]["state"] == "confirmed_publication"


def test_set_gives_a_parameter_to_every_query(database: Database, three: list[str]) -> None:
    assert report(database, three[0], "--set", "abandon_limit=1")["jobs"][0]["state"] == "poisoned"
    assert report(database, three[0])["jobs"][0]["state"] == "adoption"
    said = cli.call("inspect", "--set", "abandon_limit=1", "--dsn", database.dsn())
    assert "--set abandon_limit=1" in " ".join(said.stdout.split())


def test_schema_names_where_the_tables_of_a_pack_lie(database: Database, tmp_path: Path) -> None:
    pack = trouble.errands(tmp_path)
    for schema, names in (("public", "a"), ("Other Queue", "b")):
        database.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"'.encode())
        database.execute(
            f'CREATE TABLE "{schema}".errand (name text PRIMARY KEY, taken_at timestamptz)'.encode()
        )
        database.execute(f"INSERT INTO \"{schema}\".errand VALUES ('{names}', now())".encode())
        database.execute(f'GRANT USAGE ON SCHEMA "{schema}" TO aps_operate'.encode())
        database.execute(f'GRANT SELECT, UPDATE ON "{schema}".errand TO aps_operate'.encode())
    here = ("--pack", pack, "--dsn", database.dsn())
    looks = ((), "a"), (("--schema", "public"), "a"), (("--schema", "Other Queue"), "b")
    for words, job in looks:
        said = cli.call("inspect", *words, *here)
        assert said.code == Exit.WARNING
        assert f"aps inspect {job} --pack" in " ".join(said.stdout.split())
    acted = ("reclaim", "b", "--schema", "Other Queue", "--attest", "all-workers-stopped")
    assert cli.call(*acted, "--yes", "--reason", "x", *here).code == 0
    assert database.execute(b'SELECT taken_at FROM "Other Queue".errand') == [(None,)]
    assert database.execute(b"SELECT count(taken_at) FROM public.errand") == [(1,)]
    cli.refused(cli.call("inspect", "--schema", "none", *here), Exit.DATABASE, "none.errand")
    cli.refused(cli.call("inspect", "--schema", "a.b", *here), Exit.USAGE, "a.b")
    cli.refused(cli.call("inspect", "--schema", "", *here), Exit.USAGE, "--schema")


def test_attest_is_asked_for_by_name_before_anything_is_done(
    database: Database, tmp_path: Path
) -> None:
    database.execute(b"CREATE TABLE errand (name text PRIMARY KEY, taken_at timestamptz)")
    database.execute(b"GRANT SELECT, UPDATE ON errand TO aps_operate")
    database.execute(b"INSERT INTO errand VALUES ('a', now())")
    here = ("--pack", trouble.errands(tmp_path), "--dsn", database.dsn(), "--yes", "--reason", "x")
    for attested in ((), ("--attest", "no")):
        said = cli.call("reclaim", "a", *attested, *here)
        cli.refused(said, Exit.REFUSED, "all-workers-stopped", "--attest")
    assert database.execute(b"SELECT count(taken_at) FROM errand") == [(1,)]


def test_attest_takes_only_what_the_matrix_asks_for(database: Database, tmp_path: Path) -> None:
    job = trouble.abandoned(database)
    said = cli.call("reclaim", job, "--attest", "foo", "--dsn", database.dsn())
    cli.refused(said, Exit.REFUSED, "--attest foo", "adoption", "asks for none")
    database.execute(b"CREATE TABLE errand (name text PRIMARY KEY, taken_at timestamptz)")
    database.execute(b"GRANT SELECT, UPDATE ON errand TO aps_operate")
    database.execute(b"INSERT INTO errand VALUES ('a', now())")
    here = ("--pack", trouble.errands(tmp_path), "--dsn", database.dsn())
    asked = ("--attest", "all-workers-stopped")
    for words in (("--attest", "no"), (*asked, "--attest", "no", "--yes", "--reason", "x")):
        said = cli.call("reclaim", "a", *words, *here)
        cli.refused(said, Exit.REFUSED, "--attest no", "asks for 'all-workers-stopped'")
    assert database.execute(b"SELECT count(taken_at) FROM errand") == [(1,)]


@pytest.mark.parametrize("words", [("inspect",), ("reclaim", "1"), ("log",), ("init",)])
def test_show_sql_prints_every_statement_to_stderr_alone(
    database: Database, words: tuple[str, ...]
) -> None:
    trouble.abandoned(database)
    role = "postgres" if words == ("init",) else "aps_operate"
    silent = cli.call(*words, "--dsn", database.dsn(role))
    shown = cli.call(*words, "--dsn", database.dsn(role), "--show-sql")
    assert (silent.stderr, shown.code) == ("", silent.code)
    assert "set_config('statement_timeout'" in shown.stderr
    assert "SELECT set_config" not in shown.stdout
    if words[0] == "inspect":
        # What each evidence query returns is asked too.
        assert shown.stderr.count("LIMIT %(aps_limit)s") >= 18
    if words == ("init",):
        assert "CREATE ROLE aps_read" in shown.stderr


def test_show_sql_shows_what_an_apply_writes(database: Database) -> None:
    job = trouble.abandoned(database)
    words = ("reclaim", job, "--yes", "--reason", "x", "--show-sql", "--dsn", database.dsn())
    shown = cli.call(*words).stderr
    for statement in ("UPDATE aps.job", "INSERT INTO aps_journal.batch", "COPY aps_journal.entry"):
        assert statement in shown


def test_format_chooses_how_it_is_printed(database: Database, three: list[str]) -> None:
    begins = {"json": "{", "jsonl": '{"record"', "csv": "state,", "table": "aps · ", "markdown": ""}
    said = {
        name: cli.call("inspect", "--format", name, "--dsn", database.dsn()).stdout
        for name in begins
    }
    assert all(text.startswith(begins[name]) for name, text in said.items())
    assert len(set(said.values())) == len(said)


def test_ticket_and_reason_are_in_the_journal(database: Database) -> None:
    job = trouble.abandoned(database)
    words = ("--yes", "--reason", "  lease over ", "--ticket", "OPS-7", "--dsn", database.dsn())
    assert cli.call("reclaim", job, *words).code == 0
    assert database.execute(b"SELECT reason, ticket, role FROM aps_journal.batch") == [
        ("lease over", "OPS-7", "aps_operate")
    ]
    shown = cli.call("log", "--dsn", database.dsn()).stdout
    assert "lease over" in shown


def test_batch_is_how_many_jobs_a_transaction_takes(database: Database, three: list[str]) -> None:
    here = ("--dsn", database.dsn(), "--yes", "--reason", "x", "--batch", "2")
    assert cli.call("reclaim", *three, *here).code == 0
    assert database.execute(b"SELECT applied FROM aps_journal.batch ORDER BY at") == [(2,), (1,)]
