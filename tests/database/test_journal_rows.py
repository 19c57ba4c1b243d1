from __future__ import annotations

import pytest
from psycopg import sql

from tests.support.database import Database
from tests.support.operating import abandoned, batches, journal, operator, told
from tests.support.rows import insert

HOSTILE = [
    "a \"quoted\" 'word'",
    "two\nlines\r\nand\ta tab",
    "back\\slash \\n \\. \\N",
    "\\.",
    "\\N",
    "ünï漢字🚲 \u202e\u0001",
    "%s %(x)s {} $1",
    "x" * 5000,
]
COLUMNS = (
    "state", "epoch", "worker", "lease_until", "candidate", "ready_at", "updated_at",
)  # fmt: skip


def row(database: Database, job: int = 1) -> dict[str, str | None]:
    """The row as its columns read as text, in UTC."""
    rows = database.execute(b"SELECT row_to_json(j) FROM aps.job j WHERE job_id = %s", [job])
    return {name: None if value is None else str(value) for name, value in rows[0][0].items()}


@pytest.fixture(autouse=True)
def utc(database: Database) -> None:
    name = sql.Identifier(database.name)
    database.execute(sql.SQL("ALTER DATABASE {} SET timezone = 'UTC'").format(name))


def test_before_and_after_are_the_columns_that_changed_and_no_others(database: Database) -> None:
    abandoned(database, 2)
    before = row(database)
    operator(database).reclaim(1)
    after = row(database)
    ((job, told_before, told_after),) = journal(database)
    changed = [name for name in before if before[name] != after[name]]
    assert sorted(changed) == sorted(COLUMNS)
    assert job == "1"
    assert told_before == {name: before[name] for name in changed}
    assert told_after == {name: after[name] for name in changed}
    assert told_after["worker"] is None


def test_the_operation_tells_what_the_journal_has(database: Database) -> None:
    abandoned(database, 2)
    operation = operator(database).reclaim(1, 2)
    told_rows = [(one.job, one.before, one.after) for one in operation.rows]
    assert told_rows == journal(database)
    rows = database.execute(b"SELECT DISTINCT transaction_id::text FROM aps_journal.batch")
    assert [transaction for (transaction,) in rows] == list(operation.transactions)


def test_who_why_and_what_is_signed(database: Database) -> None:
    abandoned(database)
    us = operator(database)
    plan = us.plan(1)
    us.apply(plan)
    rows = database.execute(
        b"SELECT operation::text, command, system, state, pack, pack_sha256, plan_sha256, role,"
        b" acting_role, client_user, client_host, reason, ticket, planned, applied"
        b" FROM aps_journal.batch"
    )
    assert rows == [
        (
            plan.operation, "reclaim", "exports", "adoption", "aps", us.matrix.sha256,
            plan.fingerprint, "aps_operate", "aps_operate", "tester", "here", "a test", None, 1, 1,
        )
    ]  # fmt: skip


def test_text_of_any_kind_comes_whole_into_the_journal(database: Database) -> None:
    abandoned(database, len(HOSTILE))
    database.execute(b"ALTER TABLE aps.job DISABLE TRIGGER ALL")
    for job, text in enumerate(HOSTILE, start=1):
        database.execute(b"UPDATE aps.job SET worker = %s WHERE job_id = %s", [text, job])
    operation = operator(database).reclaim(*range(1, len(HOSTILE) + 1))
    assert operation.counts == {"applied": len(HOSTILE)}
    assert [before["worker"] for _, before, _ in journal(database)] == HOSTILE
    # And the server reads it so, too.
    rows = database.execute(b"SELECT before->>'worker' FROM aps_journal.entry ORDER BY job")
    assert [text for (text,) in rows] == HOSTILE


def test_a_high_epoch_is_counted_to_the_digit(database: Database) -> None:
    epochs = (2**53 - 1, 2**53, 2**53 + 1, 2**63 - 2)
    for job, epoch in enumerate(epochs, start=1):
        high(database, job, epoch)
    operation = operator(database).reclaim(1, 2, 3, 4)
    assert operation.counts == {"applied": 4}
    for epoch, (_, before, after) in zip(epochs, journal(database), strict=True):
        assert after
        assert (before["epoch"], after["epoch"]) == (str(epoch), str(epoch + 1))


def test_an_epoch_at_the_end_of_its_range_is_refused(database: Database) -> None:
    high(database, 1, 2**63 - 1)
    plan = operator(database).plan(1)
    assert not plan.jobs
    operation = operator(database).apply(plan)
    assert told(operation) == ("refused", "the epoch is at the end of its range")
    assert operation.exit_code == 25
    assert not batches(database)


def high(database: Database, job: int, epoch: int) -> None:
    """A job that was abandoned under that epoch."""
    owned = {"epoch": epoch, "worker": "w1", "candidate": f"{job}/{epoch}-a"}
    running = {"request_key": f"r{job}", "kind": "export", "state": "running"}
    long_ago = {"lease_until": "2026-01-01", "ready_at": "2026-01-01"}
    insert(database, "job", {"job_id": job, **running, **owned, **long_ago})
    insert(database, "attempt", {"job_id": job, **owned})
