from __future__ import annotations

import time
from collections.abc import Iterator

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
from tests.support.queue import queue
from tests.support.sessions import eventually


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


def test_only_what_was_locked_is_tried_again(database: Database, holder: Connection) -> None:
    us = operator(database)
    database.execute(b"UPDATE aps.job SET request_key = 'held'")
    plan = us.plan(1)
    holder.rollback()
    assert told(us.apply(plan))[0] == "applied"


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


def test_holders_that_share_a_row_are_not_guessed_at(database: Database) -> None:
    abandoned(database)
    for _ in range(2):
        database.connect("postgres", autocommit=False).execute(
            b"SELECT FROM aps.job WHERE job_id = 1 FOR SHARE"
        )
    outcome, detail = told(operator(database).reclaim(1))
    assert outcome == "locked"
    assert "who cannot be told" in detail


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


def test_a_worker_that_waits_for_the_operators_lock_is_refused_afterwards(
    database: Database,
) -> None:
    abandoned(database)
    late = queue(database)
    # A lease that is not over, so that only the epoch can refuse it.
    waiting: list[object] = []

    def send() -> None:
        late.connection.pgconn.send_query_params(
            b"SELECT state, epoch FROM aps.job WHERE job_id = 1 FOR NO KEY UPDATE", []
        )
        late.connection.pgconn.flush()
        eventually(
            lambda: bool(
                database.execute(
                    b"SELECT FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'",
                    [late.pid],
                )
            )
        )
        waiting.append(None)

    operation = operator(database).reclaim(1, pause=at("locked", send))
    assert told(operation)[0] == "applied"
    result = late.connection.pgconn.get_result()
    assert result
    assert (result.get_value(0, 0), result.get_value(0, 1)) == (b"ready", b"2")
    assert waiting
