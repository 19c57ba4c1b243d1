from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.support.database import Connection, Database
from tests.support.operating import (
    abandoned,
    at,
    operator,
    reclaimed_once,
    told,
    untouched,
)
from tests.support.queue import Answer, queue
from tests.support.sessions import eventually, waits_for_a_lock


@pytest.fixture
def holder(database: Database) -> Connection:
    """Somebody's forgotten transaction, which holds the row of job 1."""
    abandoned(database)
    connection = database.connect("postgres", autocommit=False)
    connection.execute(b"SET application_name = 'forgotten psql'")
    connection.execute(b"SELECT FROM aps.job WHERE job_id = 1 FOR UPDATE")
    return connection


def test_a_held_row_is_locked_and_its_holder_named(database: Database, holder: Connection) -> None:
    before = time.monotonic()
    operation = operator(database).reclaim(1)
    # Less than any lock would be waited for.
    assert time.monotonic() - before < 2
    outcome, detail = told(operation)
    assert (outcome, operation.exit_code) == ("locked", 22)
    pid = holder.info.backend_pid
    assert detail.startswith(
        f"pid {pid} (forgotten psql, postgres) holds the row, idle in transaction for "
    )
    assert untouched(database)


def test_a_retry_applies_what_was_let_go_meanwhile(database: Database, holder: Connection) -> None:
    rests: list[None] = []

    def rest() -> None:
        rests.append(None)
        if len(rests) == 2:
            holder.rollback()

    operation = operator(database).reclaim(1, retries=5, rest=rest)
    assert (told(operation)[0], operation.exit_code, len(rests)) == ("applied", 0, 2)
    assert reclaimed_once(database)


def test_retries_end_and_leave_what_is_still_held(database: Database, holder: Connection) -> None:
    rests: list[None] = []
    operation = operator(database).reclaim(1, retries=3, rest=lambda: rests.append(None))
    assert (told(operation)[0], len(rests)) == ("locked", 3)
    holder.rollback()


def test_what_the_holder_left_behind_is_judged_anew(database: Database, holder: Connection) -> None:
    def rest() -> None:
        holder.execute(b"UPDATE aps.job SET worker = 'w9', epoch = 2, candidate = '1/2-z'")
        holder.commit()

    operation = operator(database).reclaim(1, retries=1, rest=rest)
    assert told(operation)[0] == "changed"


@pytest.fixture
def unprivileged(database: Database) -> Iterator[None]:
    """The operator may not see what other sessions do."""
    database.execute(b"REVOKE pg_read_all_stats FROM aps_operate")
    yield
    database.execute(b"GRANT pg_read_all_stats TO aps_operate")


@pytest.mark.usefixtures("unprivileged")
def test_what_the_role_may_not_see_of_the_holder_is_said(
    database: Database, holder: Connection
) -> None:
    outcome, detail = told(operator(database).reclaim(1))
    assert outcome == "locked"
    assert detail.startswith(f"pid {holder.info.backend_pid} ")
    assert detail.endswith("holds the row, in a state that this role may not see")


def test_holders_that_share_a_row_are_all_named(database: Database) -> None:
    abandoned(database, 2)
    sharers = [database.connect("postgres", autocommit=False) for _ in range(2)]
    for sharer in sharers:
        sharer.execute(b"SELECT FROM aps.job WHERE job_id = 2 FOR SHARE")
    sharers[0].execute(b"SELECT FROM aps.job WHERE job_id = 1 FOR SHARE")
    rows = {row.job: row for row in operator(database).reclaim(1, 2).rows}
    pids = [f"pid {sharer.info.backend_pid} " for sharer in sharers]
    assert pids[0] in rows["1"].detail
    assert pids[1] not in rows["1"].detail
    assert all(pid in rows["2"].detail for pid in pids)


def test_a_holder_that_changed_the_row_under_a_savepoint_is_named_once(database: Database) -> None:
    abandoned(database)
    holder = database.connect("postgres", autocommit=False)
    holder.execute(b"SELECT FROM aps.job FOR UPDATE")
    with holder.transaction():
        holder.execute(b"UPDATE aps.job SET updated_at = clock_timestamp()")
    outcome, detail = told(operator(database).reclaim(1))
    assert outcome == "locked"
    assert detail.count(f"pid {holder.info.backend_pid} ") == 1


def test_a_child_row_that_is_being_inserted_holds_nothing_up(database: Database) -> None:
    abandoned(database)
    child = database.connect("aps_work", autocommit=False)
    child.execute(b"INSERT INTO aps.event (job_id, kind) VALUES (1, 'progressed')")
    operation = operator(database).reclaim(1)
    assert (told(operation)[0], operation.exit_code) == ("applied", 0)
    child.commit()
    assert reclaimed_once(database)


def test_an_attempt_that_is_being_inserted_holds_nothing_up(database: Database) -> None:
    abandoned(database)
    child = database.connect("aps_work", autocommit=False)
    child.execute(
        b"INSERT INTO aps.attempt (job_id, epoch, worker, candidate) VALUES (1, 7, 'w7', '1/7-x')"
    )
    operation = operator(database).reclaim(1)
    assert told(operation)[0] == "applied"
    child.rollback()
    assert reclaimed_once(database)


def test_a_child_row_inserted_under_the_lock_holds_nothing_up(database: Database) -> None:
    abandoned(database)
    child = database.connect("aps_work", autocommit=False)
    insert = b"INSERT INTO aps.event (job_id, kind) VALUES (1, 'progressed')"
    operation = operator(database).reclaim(1, pause=at("locked", lambda: child.execute(insert)))
    assert told(operation)[0] == "applied"
    child.commit()


def test_a_worker_that_waits_for_the_operators_lock_meets_the_new_epoch(
    database: Database,
) -> None:
    abandoned(database)
    late = queue(database)
    waiting: list[Future[Answer | None]] = []

    def publish() -> None:
        waiting.append(pool.submit(late.publish, 1, "w1", 1))
        eventually(lambda: waits_for_a_lock(database, late.pid))

    with ThreadPoolExecutor(max_workers=1) as pool:
        operation = operator(database).reclaim(1, pause=at("locked", publish))
        answer = waiting[0].result()
    assert told(operation)[0] == "applied"
    assert answer
    assert (answer["answer"], answer["state"], answer["epoch"]) == ("rejected", "ready", 2)
