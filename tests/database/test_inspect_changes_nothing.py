"""Looking leaves no trace: not in a table, not in the session, not in a lock."""

from __future__ import annotations

from typing import Any

import pytest

from aps import triage
from aps.triage import Look
from tests.support import cli, trouble
from tests.support.database import Database
from tests.support.looking import connect, reference
from tests.support.sessions import eventually

_OTHERS = b"""
SELECT pid FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"""
_TABLES = b"""
SELECT schemaname || '.' || relname, n_tup_ins, n_tup_upd, n_tup_del, n_tup_hot_upd, n_live_tup, n_dead_tup
  FROM pg_stat_user_tables ORDER BY 1"""
_WRITES = b"""
SELECT tup_inserted, tup_updated, tup_deleted, temp_files, deadlocks
  FROM pg_stat_database WHERE datname = current_database()"""
_ROWS = b"SELECT job_id, ctid::text, xmin::text, xmax::text FROM aps.job"

LOOKS = (
    ("inspect",),
    ("inspect", "JOB"),
    ("inspect", "--state", "adoption"),
    ("inspect", "--state", "confirmed publication", "--since", "7d"),
    ("reclaim", "JOB"),
    ("reclaim", "--all", "--state", "adoption"),
    ("log",),
)


def written(database: Database) -> list[tuple[Any, ...]]:
    """What was written so far, by table and by row. A session tells its counts when it ends, so none may be left."""
    connection = database.connect("postgres")
    eventually(lambda: not connection.execute(_OTHERS).fetchall())
    connection.execute(b"SELECT pg_stat_clear_snapshot()")
    told = [row for query in (_TABLES, _WRITES, _ROWS) for row in connection.execute(query)]
    connection.close()
    return told


@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_a_look_writes_to_no_table(database: Database, words: tuple[str, ...]) -> None:
    job = trouble.abandoned(database)
    database.close()
    before = written(database)
    said = cli.call(
        *(job if word == "JOB" else word for word in words), "--dsn", database.dsn("aps_operate")
    )
    assert said.code in (0, 11, 10), said
    assert written(database) == before


@pytest.mark.parametrize("words", LOOKS[:4], ids=" ".join)
def test_a_reader_can_look_at_everything(database: Database, words: tuple[str, ...]) -> None:
    job = trouble.abandoned(database)
    trouble.published(database)
    said = cli.call(
        *(job if word == "JOB" else word for word in words), "--dsn", database.dsn("aps_read")
    )
    assert said.code in (10, 11), said
    assert "could not be read: nothing" in said.stdout or words != ("inspect",)
    assert "not read" not in said.stdout


@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_a_look_works_where_every_transaction_is_read_only(
    database: Database, words: tuple[str, ...]
) -> None:
    job = trouble.abandoned(database)
    said = cli.call(
        *(job if word == "JOB" else word for word in words),
        *("--dsn", database.dsn("aps_read") + " options='-c default_transaction_read_only=on'"),
    )
    assert said.code in (0, 10, 11), said


@pytest.mark.parametrize("look", [Look(), Look(jobs=("1",)), Look(state="adoption")], ids=str)
def test_a_look_leaves_nothing_in_its_session(database: Database, look: Look) -> None:
    trouble.abandoned(database)
    with connect(database, "aps_read") as session:
        triage.inspect(reference(), session, look)
        pid = session.pid
        left = session.rows(
            "SELECT (SELECT count(*) FROM pg_prepared_statements WHERE name <> '') AS prepared,"
            " (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') AS advisory,"
            " (SELECT count(*) FROM pg_class WHERE relpersistence = 't') AS temporary,"
            " current_setting('search_path') AS path, current_setting('statement_timeout') AS timeout, %(aps)s::text",
            {"aps": "aps"},
        )[0]
        session.rollback()
        held = database.execute(
            b"SELECT locktype, mode FROM pg_locks WHERE pid = %s AND locktype <> 'virtualxid'",
            [pid],
        )
    assert (left["prepared"], left["advisory"], left["temporary"]) == ("0", "0", "0")
    assert (left["path"], left["timeout"]) == ('"$user", public', "0")
    assert held == []


def test_a_look_does_not_stop_a_worker_and_is_not_stopped_by_one(database: Database) -> None:
    job = trouble.abandoned(database)
    holder = database.connect("aps_work", autocommit=False)
    holder.execute(b"SELECT FROM aps.job WHERE job_id = %s FOR UPDATE", [job])
    said = cli.call("inspect", job, "--dsn", database.dsn("aps_read"))
    assert said.code == 10
    assert f"pid {holder.info.backend_pid}" in said.stdout
