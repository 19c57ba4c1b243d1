from __future__ import annotations

import psycopg
import pytest

from aps import packs
from tests.support.database import Connection, Database
from tests.support.queue import queue

ROLES = ("aps_read", "aps_operate", "aps_work")
SCHEMAS = ("aps", "aps_journal")
every_role = pytest.mark.parametrize("role", ROLES)

# What each role may write, in full: (table, privilege) to columns; every other write must be refused.
MAY: dict[str, dict[tuple[str, str], set[str]]] = {
    "aps_read": {},
    "aps_operate": {
        ("aps.job", "UPDATE"): {
            *("state", "worker", "epoch", "lease_until", "candidate"),
            *("reason", "withdrawn_at", "ready_at", "updated_at", "finished_at"),
        },
        ("aps.attempt", "UPDATE"): {"ended_at", "ended_as"},
        ("aps.event", "INSERT"): {"job_id", "kind", "epoch", "worker", "detail"},
    },
    "aps_work": {
        ("aps.job", "INSERT"): {
            *("request_key", "kind", "state", "input_name", "input_digest", "ready_at"),
        },
        ("aps.job", "UPDATE"): {
            *("state", "worker", "epoch", "lease_until", "candidate"),
            *("published_name", "published_digest", "published_epoch", "published_at"),
            *("reason", "ready_at", "started_at", "updated_at", "finished_at"),
        },
        ("aps.attempt", "INSERT"): {
            *("job_id", "epoch", "worker", "candidate", "ended_at", "ended_as"),
        },
        ("aps.attempt", "UPDATE"): {"ended_at", "ended_as"},
        ("aps.event", "INSERT"): {"job_id", "kind", "epoch", "worker", "detail"},
    },
}
JOURNALED = {"aps_journal.batch", "aps_journal.entry"}


def relations(database: Database, kinds: str = "r") -> list[str]:
    """Tables, and with kind `v` views, by their names."""
    rows = database.execute(
        b"SELECT oid::regclass::text FROM pg_class WHERE relkind::text = ANY (%s)"
        b" AND relnamespace = ANY (%s::regnamespace[]) ORDER BY 1",
        [list(kinds), list(SCHEMAS)],
    )
    return [row[0] for row in rows]


def refuses(connection: Connection, statement: str) -> bool:
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(statement.encode())
    except psycopg.errors.InsufficientPrivilege:
        return True
    except psycopg.Error:
        return False
    return False


@every_role
@pytest.mark.parametrize("verb", ["DELETE FROM", "TRUNCATE"])
def test_no_role_can_delete_anything(database: Database, role: str, verb: str) -> None:
    connection = database.connect(role)
    allowed = [name for name in relations(database) if not refuses(connection, f"{verb} {name}")]
    assert allowed == []


@every_role
def test_no_role_can_change_the_schema(database: Database, role: str) -> None:
    connection = database.connect(role)
    for statement in (
        "CREATE TABLE aps.mine ()",
        "ALTER TABLE aps.event DISABLE TRIGGER guard_event",
        "ALTER TABLE aps.job DROP CONSTRAINT state_known",
        "DROP TRIGGER guard_job ON aps.job",
        "CREATE OR REPLACE FUNCTION aps.guard_job() RETURNS trigger AS 'BEGIN END' LANGUAGE plpgsql",
        "SET session_replication_role = replica",
    ):
        assert refuses(connection, statement), statement


@every_role
def test_every_role_can_read_every_table_and_view_of_the_queue(
    database: Database, role: str
) -> None:
    connection = database.connect(role)
    for name in relations(database, "rv"):
        if name.startswith("aps."):
            connection.execute(f"SELECT * FROM {name}".encode())


@every_role
def test_a_role_writes_the_columns_that_it_needs_and_no_other(
    database: Database, role: str
) -> None:
    rows = database.execute(
        b"SELECT c.table_schema || '.' || c.table_name, p.privilege, c.column_name"
        b"  FROM information_schema.columns c"
        b" CROSS JOIN (VALUES ('INSERT'), ('UPDATE'), ('REFERENCES')) AS p (privilege)"
        b" WHERE c.table_schema = 'aps' AND has_column_privilege("
        b"       %s, format('%%I.%%I', c.table_schema, c.table_name), c.column_name, p.privilege)",
        [role],
    )
    found: dict[tuple[str, str], set[str]] = {}
    for table, privilege, column in rows:
        found.setdefault((table, privilege), set()).add(column)
    assert found == MAY[role]


def test_only_the_operator_writes_the_journal_and_only_adds_to_it(database: Database) -> None:
    rows = database.execute(
        b"SELECT r.role, t.name, p.privilege"
        b"  FROM unnest(%s::text[]) AS r (role), unnest(%s::text[]) AS t (name),"
        b"       (VALUES ('INSERT'), ('UPDATE'), ('DELETE'), ('TRUNCATE')) AS p (privilege)"
        b" WHERE has_table_privilege(r.role, t.name, p.privilege)"
        b"    OR (p.privilege IN ('INSERT', 'UPDATE')"
        b"        AND has_any_column_privilege(r.role, t.name, p.privilege))",
        [list(ROLES), [name for name in relations(database) if name.startswith("aps_journal.")]],
    )
    assert set(rows) == {("aps_operate", name, "INSERT") for name in JOURNALED}


def test_the_reader_is_refused_every_write_by_the_server(database: Database) -> None:
    queue(database).claimed()
    connection = database.connect("aps_read")
    for statement in (
        "UPDATE aps.job SET reason = NULL",
        "UPDATE aps.attempt SET ended_at = NULL",
        "INSERT INTO aps.event (job_id, kind) VALUES (1, 'claimed')",
        "INSERT INTO aps.store (store_id) VALUES ('s')",
        "SELECT FROM aps.job FOR KEY SHARE",
        "LOCK TABLE aps.job IN EXCLUSIVE MODE",
        "SELECT nextval('aps.job_job_id_seq')",
    ):
        assert refuses(connection, statement), statement


def test_the_operator_cannot_publish_or_hand_out_work(database: Database) -> None:
    worker = queue(database)
    worker.accept("r1")
    connection = database.connect()
    for statement in (
        "UPDATE aps.job SET published_name = '1/1-a'",
        "UPDATE aps.job SET request_key = 'r2'",
        "UPDATE aps.job SET input_digest = NULL",
        "UPDATE aps.attempt SET candidate = '1/1-b'",
        "INSERT INTO aps.attempt (job_id, epoch, worker, candidate) VALUES (1, 1, 'w', '1/1-a')",
        "INSERT INTO aps.job (request_key, kind, state) VALUES ('r2', 'export', 'ready')",
        "INSERT INTO aps.event (job_id, kind, at) VALUES (1, 'claimed', '2000-01-01')",
    ):
        assert refuses(connection, statement), statement


def test_a_worker_cannot_withdraw_what_it_published(database: Database) -> None:
    worker = queue(database)
    worker.publish(worker.claimed()["job_id"], "w1", 1)
    assert refuses(worker.connection, "UPDATE aps.job SET withdrawn_at = now()")


def test_the_roles_can_be_given_again(database: Database) -> None:
    before = database.execute(b"SELECT relacl::text FROM pg_class ORDER BY oid")
    database.execute((packs.HOME / "queries" / "roles.sql").read_bytes())
    assert database.execute(b"SELECT relacl::text FROM pg_class ORDER BY oid") == before
