from __future__ import annotations

import pytest

from aps import action, settlement
from aps import database as sessions
from aps.database import Limits
from tests.support import outages
from tests.support.database import Database
from tests.support.operating import (
    BEFORE_COMMIT,
    abandoned,
    at,
    batches,
    operator,
    outcome,
    reclaimed_once,
    told,
    untouched,
)
from tests.support.proxy import listening
from tests.support.sessions import eventually, in_background

each_step = pytest.mark.parametrize("step", BEFORE_COMMIT)


@each_step
def test_a_session_that_is_terminated_once_is_made_good(database: Database, step: str) -> None:
    abandoned(database)
    operation = operator(database).reclaim(1, pause=at(step, lambda: outages.terminate(database)))
    assert (told(operation)[0], operation.exit_code) == ("applied", 0)
    assert reclaimed_once(database)


@each_step
def test_a_session_that_is_terminated_twice_fails_the_batch(database: Database, step: str) -> None:
    abandoned(database, 2)

    def end() -> None:
        outages.terminate(database)

    operation = operator(database).reclaim(1, 2, pause=at(step, end, end), batch_size=1)
    failed, detail = outcome(operation, 1)
    assert failed == "failed"
    lost = "the answer to COMMIT was lost, and the journal does not have it"
    ended = "the session ended: terminating connection due to administrator command"
    assert detail.startswith(f"not applied: {lost if step == 'journaled' else ended}")
    assert detail.endswith("(08006)")
    # The server is in trouble: what had not begun is not begun.
    assert outcome(operation, 2) == ("refused", "not tried: the operation had ended")
    assert operation.exit_code == 27
    assert untouched(database)
    assert untouched(database, 2)


def test_batches_before_the_loss_stand(database: Database) -> None:
    abandoned(database, 3)

    def end() -> None:
        outages.terminate(database)

    operation = operator(database).reclaim(1, 2, 3, pause=at("acted", int, end, end), batch_size=1)
    assert [outcome(operation, job)[0] for job in (1, 2, 3)] == ["applied", "failed", "refused"]
    assert operation.exit_code == 27
    assert batches(database) == [(3, 1)]


def test_a_transaction_that_idles_too_long_is_one_lost_session(database: Database) -> None:
    abandoned(database)
    us = operator(database, limits=Limits(idle=50))

    def idle() -> None:
        eventually(
            lambda: (
                not database.execute(
                    b"SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'aps/reclaim/%'"
                    b" AND state = 'idle in transaction'"
                )
            )
        )

    operation = us.reclaim(1, pause=at("locked", idle))
    assert told(operation)[0] == "applied"
    assert reclaimed_once(database)


def test_a_session_that_only_its_client_has_lost_does_not_lock_the_next_try_out(
    database: Database,
) -> None:
    abandoned(database)
    with listening(database) as (proxy, dsn):
        us = operator(database, dsn=dsn)
        run = us.run(us.plan(1), pause=at("acted", proxy.part))
        opened: list[None] = []

        def connect() -> sessions.Database:
            opened.append(None)
            # One to check, one for the batch, two that find the lost one still there.
            if len(opened) == 5:
                proxy.heal()
            return us.session()

        run.connect = connect
        operation = action.apply(run)
    assert (told(operation)[0], operation.exit_code) == ("applied", 0)
    assert reclaimed_once(database)


def test_the_next_try_waits_until_the_lost_session_is_gone(database: Database) -> None:
    lost = database.connect()
    us = operator(database)
    asked: list[None] = []

    def connect() -> sessions.Database:
        asked.append(None)
        return us.session()

    pid = lost.info.backend_pid
    with in_background(lambda: settlement.ended(pid, connect)) as waiting:
        eventually(lambda: len(asked) > 2)
        assert not waiting.done()
        lost.close()
        waiting.result()


def test_it_waits_for_a_session_that_does_not_end_no_longer_than_it_has_patience(
    database: Database,
) -> None:
    lost = database.connect()
    settlement.ended(lost.info.backend_pid, operator(database).session, patience=0.2)
    assert lost.execute(b"SELECT 1").fetchall() == [(1,)]
