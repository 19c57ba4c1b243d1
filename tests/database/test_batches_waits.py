from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

from aps.database import Limits
from tests.support import triggers
from tests.support.database import Database
from tests.support.operating import abandoned, batches, operator, outcome, untouched
from tests.support.sessions import eventually, waits_for_a_lock
from tests.support.triggers import trigger


def test_an_action_that_runs_out_of_time_fails_once_and_is_not_tried_in_parts(
    database: Database,
) -> None:
    abandoned(database, 64)
    trigger(database, "before", triggers.SLEEPS)
    us = operator(database, limits=Limits(statement=300))
    operation = us.apply(us.plan(*range(1, 65)))
    assert operation.counts == {"failed": 64}
    assert outcome(operation, 1) == (
        "failed", "canceling statement due to statement timeout, which --timeout sets (57014)",
    )  # fmt: skip
    assert operation.exit_code == 27
    assert untouched(database)


def test_an_action_that_waits_for_a_lock_on_another_table_is_told_as_locked(
    database: Database,
) -> None:
    abandoned(database, 4)
    holder = database.connect("postgres", autocommit=False)
    holder.execute(b"SELECT FROM aps.attempt WHERE job_id = 3 FOR UPDATE")
    us = operator(database, limits=Limits(lock=50))
    operation = us.apply(us.plan(1, 2, 3, 4))
    assert operation.counts == {"applied": 3, "locked": 1}
    assert outcome(operation, 3) == ("locked", "canceling statement due to lock timeout (55P03)")
    assert operation.exit_code == 22


def test_the_victim_of_a_deadlock_is_tried_again(database: Database) -> None:
    abandoned(database, 2)
    other = database.connect("postgres", autocommit=False)
    other.execute(b"SET deadlock_timeout = '60 s'")
    other.execute(b"SELECT FROM aps.attempt WHERE job_id = 1 FOR UPDATE")
    tries: list[str] = []

    def entangle(step: str) -> None:
        tries.append(step)
        if tries == ["begun", "locked"]:
            pending.append(pool(lambda: other.execute(b"SELECT FROM aps.job FOR UPDATE")))
            eventually(lambda: waits_for_a_lock(database, other.info.backend_pid))
        if tries.count("begun") == 2 and tries[-1] == "begun":
            pending[0].result()
            other.rollback()

    pending: list[Future[object]] = []
    with ThreadPoolExecutor(max_workers=1) as executor:
        pool = executor.submit
        operation = operator(database).reclaim(1, 2, pause=entangle)
    assert (operation.counts, operation.exit_code) == ({"applied": 2}, 0)
    assert tries.count("begun") == 2
    assert batches(database) == [(2, 2)]


def test_a_deadlock_that_comes_again_and_again_fails_the_batch(database: Database) -> None:
    abandoned(database, 2)
    body = "RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'"
    trigger(database, "before", body, "NEW.job_id = 1")
    tries: list[str] = []
    operation = operator(database).reclaim(1, 2, pause=tries.append)
    assert operation.counts == {"failed": 2}
    assert outcome(operation, 2) == ("failed", "deadlock detected (40P01)")
    assert operation.exit_code == 27
    assert tries.count("begun") == 3
    assert untouched(database)
