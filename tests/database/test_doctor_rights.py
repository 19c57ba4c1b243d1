"""What a role may and may not do here, and the statement that gives what it lacks."""

from __future__ import annotations

from pathlib import Path

import pytest
from psycopg import sql

from aps.exits import Exit
from tests.support import cli, foreign, trouble
from tests.support.database import Database
from tests.support.examining import Checks, examined, verdicts

COMMANDS = ("inspect", "reclaim", "reconcile")
ACTS = ("reclaim", "reconcile")
IMAGE = b"SELECT row_to_json(j)::text, xmin::text FROM aps.job j"


def of(checks: Checks, *names: str) -> list[str]:
    return [checks[name]["verdict"] for name in names]


def give(database: Database, checks: Checks, *names: str) -> None:
    """Paste the remedies, as the superuser would."""
    for name in names:
        for line in checks[name]["remedy"]:
            database.execute(sql.SQL(line))


def test_a_reader_may_look_and_is_told_that_it_may_do_no_more(database: Database) -> None:
    code, checks = examined(database, "aps_read")
    assert (code, verdicts(checks)) == (Exit.CLEAR, set())
    assert of(checks, *COMMANDS) == ["ok", "not_asked", "not_asked"]
    for name in ACTS:
        assert "may only look" in checks[name]["sentence"]
        assert "aps_operate" in checks[name]["remedy"][0]


def test_an_operator_may_do_all(database: Database) -> None:
    code, checks = examined(database, "aps_operate")
    assert (code, verdicts(checks)) == (Exit.CLEAR, set())
    assert of(checks, *COMMANDS) == ["ok"] * 3


def test_a_superuser_may_do_all_and_is_named_as_one(database: Database) -> None:
    said = cli.call("doctor", "--dsn", database.dsn("postgres"))
    assert said.code == Exit.CLEAR, said
    assert "postgres (superuser)" in said.stdout
    assert "inspect, reclaim, reconcile" in " ".join(said.stdout.split())


def test_a_role_with_nothing_is_told_what_to_be_given(database: Database) -> None:
    role = trouble.role(database)
    code, checks = examined(database, role)
    assert code == Exit.CRITICAL
    assert of(checks, *COMMANDS) == ["critical", "not_asked", "not_asked"]
    assert checks["inspect"]["remedy"] == [f'GRANT aps_read TO "{role}";']
    give(database, checks, "inspect")
    code, checks = examined(database, role)
    assert of(checks, "inspect", "lock holders") == ["ok", "ok"]
    give(database, checks, "reclaim")
    assert examined(database, role)[0] == Exit.CLEAR


def test_a_few_missing_grants_are_named_one_by_one(database: Database) -> None:
    role = trouble.role(database, "USAGE ON SCHEMA aps", "SELECT ON aps.job")
    _, checks = examined(database, role)
    assert checks["inspect"]["remedy"] == [
        f'GRANT SELECT ON aps.attempt TO "{role}";',
        f'GRANT SELECT ON aps.event TO "{role}";',
    ]
    give(database, checks, "inspect")
    assert of(examined(database, role)[1], "inspect") == ["ok"]


def test_half_an_operator_is_told_the_columns_that_it_lacks(database: Database) -> None:
    role = trouble.role(database)
    database.execute(f'GRANT aps_operate TO "{role}"'.encode())
    database.execute(b"REVOKE UPDATE (epoch, worker) ON aps.job FROM aps_operate")
    try:
        code, checks = examined(database, role)
        assert (code, of(checks, *COMMANDS)) == (Exit.CRITICAL, ["ok", "critical", "ok"])
        assert "no UPDATE (epoch, worker) on aps.job" in checks["reclaim"]["sentence"]
        give(database, checks, "reclaim")
        assert of(examined(database, role)[1], "reclaim") == ["ok"]
    finally:
        database.execute(b"GRANT UPDATE (epoch, worker) ON aps.job TO aps_operate")


def test_an_operator_without_the_journal_is_told_so(database: Database) -> None:
    database.execute(b"REVOKE INSERT ON aps_journal.entry FROM aps_operate")
    _, checks = examined(database, "aps_operate")
    assert of(checks, *ACTS) == ["critical", "critical"]
    assert checks["reclaim"]["remedy"] == ["GRANT INSERT ON aps_journal.entry TO aps_operate;"]


def test_the_right_to_see_who_holds_a_lock_is_asked_for(database: Database) -> None:
    role = trouble.role(database)
    _, checks = examined(database, role)
    assert checks["lock holders"]["remedy"] == [f'GRANT pg_read_all_stats TO "{role}";']


def test_a_policy_that_hides_rows_is_named_with_its_remedy(database: Database) -> None:
    database.execute(b"ALTER TABLE aps.attempt ENABLE ROW LEVEL SECURITY")
    _, checks = examined(database, "aps_read")
    assert of(checks, "inspect") == ["critical"]
    assert "row-level security" in checks["inspect"]["sentence"]
    assert checks["inspect"]["remedy"] == ["ALTER ROLE aps_read BYPASSRLS;"]


def test_an_overlay_that_cannot_be_read_is_a_warning(database: Database) -> None:
    role = trouble.role(
        database, "USAGE ON SCHEMA aps", "SELECT ON aps.job", "SELECT ON aps.attempt"
    )
    _, checks = examined(database, role)
    assert of(checks, "inspect") == ["warning"]


def test_a_locked_table_is_no_missing_grant(database: Database) -> None:
    holder = database.connect("postgres", autocommit=False)
    holder.execute("LOCK TABLE aps.attempt IN ACCESS EXCLUSIVE MODE")
    _, checks = examined(database, "aps_read", "--timeout", "200ms")
    assert of(checks, "inspect") == ["unknown"]
    assert checks["inspect"]["remedy"] == []


@pytest.mark.parametrize("role", ["aps_operate", "postgres"])
def test_an_examination_changes_nothing(database: Database, role: str) -> None:
    trouble.abandoned(database)
    trouble.published(database)
    before = database.execute(IMAGE)
    written = b"SELECT pg_current_xact_id_if_assigned() IS NULL, pg_current_wal_insert_lsn()"
    examined(database, role)
    assert database.execute(IMAGE) == before
    assert database.execute(written)[0][0] is True
    assert database.execute(b"SELECT count(*) FROM aps_journal.batch") == [(0,)]


def test_a_function_that_may_not_be_called_is_named(database: Database, tmp_path: Path) -> None:
    foreign.create(database)
    database.execute(
        b"CREATE FUNCTION give_back(q text[], i text[]) RETURNS SETOF task LANGUAGE sql AS"
        b" 'UPDATE task SET taken_by = NULL WHERE (queue, id) IN (SELECT unnest(q), unnest(i)) RETURNING *'"
    )
    database.execute(b"REVOKE EXECUTE ON FUNCTION give_back FROM public")
    pack = foreign.composite(tmp_path).path
    (pack / "queries" / "taken.reclaim.sql").write_text(
        "-- Returns queue, id.\nSELECT queue, id FROM give_back(%(queue)s::text[], %(id)s::text[])\n"
    )
    _, checks = examined(database, "aps_operate", "--pack", str(pack))
    assert of(checks, "reclaim", "reconcile") == ["critical", "not_asked"]
    assert checks["reclaim"]["remedy"] == ["GRANT EXECUTE ON FUNCTION give_back TO aps_operate;"]
