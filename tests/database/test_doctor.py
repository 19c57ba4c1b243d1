"""What else stands in the way: versions, clocks, poolers, settings, indexes, times, the store."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from psycopg import sql

from aps.exits import Exit
from tests.support import cli, foreign, trouble
from tests.support.database import Database
from tests.support.examining import by_dsn, examined, verdicts
from tests.support.pooler import pooled


@contextmanager
def setting(database: Database, text: str) -> Iterator[None]:
    """For every session in this database; it goes with the database."""
    database.execute(
        sql.SQL("ALTER DATABASE {} SET {}").format(sql.Identifier(database.name), sql.SQL(text))
    )
    yield


def test_what_is_well_stands_in_one_line(database: Database) -> None:
    said = cli.call("doctor", "--dsn", database.dsn("aps_operate"))
    assert said.code == Exit.CLEAR, said
    text = " ".join(said.stdout.split())
    assert "nothing stands in the way" in text
    assert "ok: server, standby, clock, pack, schema, journal, settings, pooler, inspect" in text
    assert "not asked: lag, store, demo" in text


def test_what_is_wrong_stands_first_with_a_line_to_paste(database: Database) -> None:
    database.execute(b"DROP INDEX aps.job_running")
    said = cli.call("doctor", "--dsn", database.dsn("aps_operate"))
    assert said.code == Exit.WARNING
    third = said.stdout.split("\n\n")[1].split("\n")
    assert third[0].startswith(" !  indexes: not there: aps.job_running")
    assert third[1].strip().startswith("CREATE INDEX CONCURRENTLY job_running ON aps.job")
    database.execute(sql.SQL(third[1].strip()))
    assert cli.call("doctor", "--dsn", database.dsn("aps_operate")).code == Exit.CLEAR


def test_an_index_that_is_not_valid_is_no_index(database: Database) -> None:
    database.execute(
        b"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'aps.job_ready'::regclass"
    )
    _, checks = examined(database, "aps_read")
    assert "not valid: aps.job_ready" in checks["indexes"]["sentence"]
    assert checks["indexes"]["remedy"] == ["REINDEX INDEX CONCURRENTLY aps.job_ready;"]


@pytest.mark.parametrize("analysed", [True, False], ids=["analysed", "never analysed"])
def test_a_large_table_that_is_read_from_end_to_end_is_named(
    database: Database, tmp_path: Path, analysed: bool
) -> None:
    foreign.create(database)
    pack = str(foreign.composite(tmp_path).path)
    assert examined(database, "aps_operate", "--pack", pack)[1]["indexes"]["verdict"] == "ok"
    database.execute(
        b"ALTER TABLE task SET (autovacuum_enabled = off);"
        b"INSERT INTO task SELECT 'q', repeat('i', 300) || i FROM generate_series(1, 110000) i;"
        + (b"ANALYZE task" if analysed else b"")
    )
    code, checks = examined(database, "aps_operate", "--pack", pack)
    assert (code, checks["indexes"]["verdict"]) == (Exit.WARNING, "warning")
    assert "public.task (" in checks["indexes"]["sentence"]
    assert "taken_by IS NOT NULL" in checks["indexes"]["sentence"]
    assert ("never analysed" in checks["indexes"]["sentence"]) is not analysed


def test_times_without_a_zone_are_told(database: Database, tmp_path: Path) -> None:
    foreign.create(database)
    database.execute(b"ALTER TABLE task ADD made timestamp, ALTER until TYPE timestamp")
    pack = foreign.composite(tmp_path).path
    (pack / "queries" / "taken.sql").write_text(
        "-- Taken.\nSELECT queue, id, until AS since FROM task WHERE taken_by IS NOT NULL\n"
    )
    _, checks = examined(database, "aps_operate", "--pack", str(pack))
    assert checks["times"]["verdict"] == "warning"
    assert "task (until, made)" in checks["times"]["sentence"]
    assert "the age of taken" in checks["times"]["sentence"]


def test_a_pooler_by_transaction_is_seen_and_aps_works_through_it(database: Database) -> None:
    job = trouble.abandoned(database)
    with pooled(database, "aps_operate") as dsn:
        code, checks = by_dsn(dsn)
        assert (code, verdicts(checks)) == (Exit.CLEAR, set())
        assert "pooler by transaction" in checks["pooler"]["sentence"]
        assert cli.call("inspect", "--dsn", dsn).code == Exit.WARNING
        assert cli.call("reclaim", job, "--yes", "--reason", "test", "--dsn", dsn).code == 0


def test_a_pooler_that_forgets_the_name_is_a_warning(database: Database) -> None:
    with pooled(database, "aps_read", forgets=True) as dsn:
        code, checks = by_dsn(dsn)
    assert (code, checks["pooler"]["verdict"]) == (Exit.WARNING, "warning")
    assert "application_name" in checks["pooler"]["sentence"]


def test_without_a_pooler_none_is_seen_and_none_is_excluded(database: Database) -> None:
    _, checks = examined(database, "aps_read")
    assert checks["pooler"]["sentence"] == "none showed; one that hides itself cannot be excluded"


@pytest.mark.parametrize(
    ("text", "verdict", "told"),
    [
        ("track_counts = off", "critical", "every action is rolled back"),
        ("synchronous_commit = off", "warning", "a crash may take back"),
        ("idle_session_timeout = '2s'", "warning", "idle_session_timeout is 2000 ms"),
        ("statement_timeout = '5s'", "ok", "aps uses its own (--timeout)"),
    ],
)
def test_a_setting_that_matters_is_told(
    database: Database, text: str, verdict: str, told: str
) -> None:
    with setting(database, text):
        _, checks = examined(database, "aps_operate")
    assert checks["settings"]["verdict"] == verdict
    assert told in checks["settings"]["sentence"]


def test_a_schema_or_journal_of_another_version_is_critical(database: Database) -> None:
    for schema in (b"aps", b"aps_journal"):
        database.execute(b"INSERT INTO " + schema + b".version (version) VALUES (99)")
    code, checks = examined(database, "aps_read")
    assert code == Exit.CRITICAL
    for name in ("schema", "journal"):
        assert "has version 99" in checks[name]["sentence"]
        assert checks[name]["remedy"] == ["use the aps that made it, or a newer one"]


def test_an_empty_database_is_told_what_makes_it_one_of_aps(database: Database) -> None:
    database.execute(b"DROP SCHEMA aps CASCADE; DROP SCHEMA aps_journal CASCADE")
    code, checks = examined(database, "postgres")
    assert code == Exit.CRITICAL
    assert "aps init" in checks["queue"]["sentence"]
    assert checks["journal"]["remedy"] == ["aps init --journal"]
    assert "inspect" not in checks


def test_a_queue_that_aps_did_not_make_has_no_version_here(
    database: Database, tmp_path: Path
) -> None:
    foreign.create(database)
    pack = str(foreign.composite(tmp_path).path)
    _, checks = examined(database, "aps_operate", "--pack", pack)
    assert checks["schema"]["verdict"] == "not_asked"
    assert checks["reclaim"]["verdict"] == "ok", checks["reclaim"]


def test_a_pack_that_is_not_the_pinned_one_is_told_where_others_refuse(database: Database) -> None:
    pinned = {"APS_PACK_SHA256": "0" * 64}
    code, checks = examined(database, "aps_read", env=pinned)
    assert (code, checks["pack"]["verdict"]) == (Exit.CRITICAL, "critical")
    told = re.search(
        r"APS_PACK_SHA256=(\w{64})", examined(database, "aps_read")[1]["pack"]["sentence"]
    )
    assert told
    code, checks = examined(database, "aps_read", env={"APS_PACK_SHA256": told[1]})
    assert (code, checks["pack"]["verdict"]) == (Exit.CLEAR, "ok")


def test_a_store_is_examined_where_it_is_given(database: Database, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    code, checks = examined(database, "aps_read", "--store", str(store))
    assert (code, checks["store"]["verdict"]) == (Exit.STORE, "critical")
    assert "not bound to any database" in checks["store"]["sentence"]
    assert cli.call("init", "--store", str(store), "--dsn", database.dsn("postgres")).code == 0
    before = sorted(store.iterdir())
    code, checks = examined(database, "aps_read", "--store", str(store))
    assert (code, checks["store"]["verdict"], checks["store folder"]["verdict"]) == (0, "ok", "ok")
    assert "hard links work" in checks["store folder"]["sentence"]
    assert sorted(store.iterdir()) == before
    _, checks = examined(database, "aps_read")
    assert "publishes into store" in checks["store"]["sentence"]


def test_a_store_that_is_not_there_has_the_code_of_a_store(
    database: Database, tmp_path: Path
) -> None:
    code, checks = examined(database, "aps_read", "--store", str(tmp_path / "nowhere"))
    assert code == Exit.STORE
    assert checks["store folder"]["verdict"] == "unknown"
    assert checks["inspect"]["verdict"] == "ok"


def test_a_database_out_of_reach_is_one_sentence() -> None:
    cli.refused(cli.call("doctor", "--dsn", "host=/nowhere"), Exit.DATABASE, "cannot connect")


@pytest.mark.parametrize("format", ["jsonl", "csv", "markdown"])
def test_every_format_has_every_check(database: Database, format: str) -> None:
    whole = json.loads(
        cli.call("doctor", "--format", "json", "--dsn", database.dsn("aps_read")).stdout
    )
    said = cli.call("doctor", "--format", format, "--dsn", database.dsn("aps_read"))
    assert said.code == Exit.CLEAR
    assert all(check["name"] in said.stdout for check in whole["checks"])
