from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.database import Database
from tests.support.operating import (
    abandoned,
    at,
    batches,
    journal,
    left_alone,
    operator,
    standing,
    told,
)
from tests.support.queue import Queue, leased, queue
from tests.support.sessions import eventually

SHORT = "300 ms"
EARLIER = "lease_until = clock_timestamp() - interval '1 s'"


def is_over(database: Database) -> bool:
    """The lease of the only job."""
    return database.execute(b"SELECT lease_until <= clock_timestamp() FROM aps.job") == [(True,)]


class InFlight:
    """A worker whose statement was within its lease and is not committed until the lease is over."""

    def __init__(self, database: Database, statement: str) -> None:
        self._worker = queue(database)
        self.job = self._worker.claimed(lease=SHORT)["job_id"]
        self._worker.connection.execute(b"BEGIN")
        answer = leased(self._worker, statement, self.job, "w1", 1)
        assert answer
        assert answer["answer"] in ("renewed", "published")
        eventually(lambda: is_over(database))

    def commit(self) -> None:
        self._worker.connection.execute(b"COMMIT")


def adopted(database: Database) -> None:
    answer = queue(database).adopt("w2")
    assert answer
    assert answer["epoch"] == 2


def back_under_its_old_name(database: Database) -> None:
    """The process is restarted: its new run adopts the job, and its lease is over again."""
    answer = queue(database).adopt("w1")
    assert answer
    database.execute(f"UPDATE aps.job SET {EARLIER}".encode())


def cancelled(database: Database) -> None:
    answer = queue(database).cancel(1, 1)
    assert answer
    assert answer["answer"] == "cancelled"


Meanwhile = Callable[[Database], None]
MEANWHILE = [
    (adopted, "live lease now: ", "worker w2"),
    (back_under_its_old_name, "epoch 1 -> 2", "still adoption"),
    (cancelled, "cancelled now: ", "not needed"),
]
each = pytest.mark.parametrize(("meanwhile", "begins", "holds"), MEANWHILE)


@each
def test_what_a_worker_did_between_plan_and_apply_is_told_and_left(
    database: Database, meanwhile: Meanwhile, begins: str, holds: str
) -> None:
    abandoned(database)
    us = operator(database)
    plan = us.plan(1)
    meanwhile(database)
    before = standing(database)
    operation = us.apply(plan)
    outcome, detail = told(operation)
    assert (outcome, operation.exit_code) == ("changed", 20)
    assert begins in detail
    assert holds in detail
    assert standing(database) == before
    assert not batches(database)


@each
def test_what_a_worker_did_between_begin_and_lock_is_told_and_left(
    database: Database, meanwhile: Meanwhile, begins: str, holds: str
) -> None:
    abandoned(database)
    operation = operator(database).reclaim(1, pause=at("begun", lambda: meanwhile(database)))
    outcome, detail = told(operation)
    assert outcome == "changed"
    assert begins in detail
    assert holds in detail
    assert not batches(database)


@pytest.mark.parametrize(
    ("statement", "now"),
    [("publish", "confirmed publication now: "), ("heartbeat", "live lease now: ")],
)
@pytest.mark.parametrize("when", ["before the apply", "before the lock"])
def test_a_worker_whose_commit_came_late_keeps_its_job(
    database: Database, statement: str, now: str, when: str
) -> None:
    worker = InFlight(database, statement)
    us = operator(database)
    plan = us.plan(worker.job)
    assert [job.job for job in plan.jobs] == [str(worker.job)]
    if when == "before the apply":
        worker.commit()
    operation = us.apply(plan, pause=at("begun", worker.commit))
    outcome, detail = told(operation)
    assert (outcome, operation.exit_code) == ("changed", 20)
    assert detail.startswith(now)
    assert standing(database, worker.job)[1] == 1
    assert not journal(database)


def test_while_the_late_worker_has_not_committed_its_job_is_locked(database: Database) -> None:
    worker = InFlight(database, "publish")
    operation = operator(database).reclaim(worker.job)
    assert told(operation)[0] == "locked"
    worker.commit()
    assert standing(database, worker.job) == ("complete", 1)


@pytest.mark.parametrize("step", ["locked", "judged", "acted", "checked", "journaled"])
def test_a_worker_that_comes_after_the_lock_is_refused_by_the_new_epoch(
    database: Database, step: str
) -> None:
    abandoned(database)
    late = queue(database)
    refused: list[object] = []

    def come() -> None:
        # Adoption never waits for the row that the operator holds.
        refused.append(late.adopt("w2"))

    operation = operator(database).reclaim(1, pause=at(step, come))
    assert told(operation)[0] == "applied"
    assert refused == [None]
    answer = late.publish(1, "w1", 1)
    assert answer
    assert (answer["answer"], answer["state"], answer["epoch"]) == ("rejected", "ready", 2)


def test_a_worker_may_claim_the_job_before_the_verification(database: Database) -> None:
    abandoned(database)
    claimed: list[object] = []
    worker = Queue(database.connect("aps_work"))
    operation = operator(database).reclaim(
        1, pause=at("committed", lambda: claimed.append(worker.claim("w2")))
    )
    assert (told(operation)[0], operation.exit_code) == ("applied", 0)
    assert claimed[0]
    assert standing(database) == ("running", 3)


def test_a_deleted_job_is_gone(database: Database) -> None:
    abandoned(database)
    us = operator(database)
    plan = us.plan(1)
    database.execute(b"DELETE FROM aps.attempt")
    database.execute(b"DELETE FROM aps.job")
    operation = us.apply(plan)
    assert told(operation) == ("gone", "no such row any more")
    assert operation.exit_code == 20


def test_each_job_of_a_batch_has_its_own_outcome(database: Database) -> None:
    abandoned(database, 6)
    us = operator(database)
    plan = us.plan(*range(1, 7))
    holder = database.connect(autocommit=False)
    holder.execute(b"SELECT FROM aps.job WHERE job_id = 1 FOR UPDATE")
    queue(database).adopt("w2")
    queue(database).cancel(3, 1)
    database.execute(b"DELETE FROM aps.attempt WHERE job_id = 4")
    database.execute(b"DELETE FROM aps.job WHERE job_id = 4")
    operation = us.apply(plan, batch_size=4)
    assert {row.job: row.outcome for row in operation.rows} == {
        "1": "locked", "2": "changed", "3": "changed", "4": "gone", "5": "applied", "6": "applied",
    }  # fmt: skip
    assert operation.exit_code == 22
    assert batches(database) == [(6, 2)]
    assert left_alone(database, operation.operation) == {
        "1": "locked", "2": "changed", "3": "changed", "4": "gone",
    }  # fmt: skip


def test_the_lease_is_compared_with_the_clock_after_the_lock(database: Database) -> None:
    abandoned(database)

    def renew_and_outwait() -> None:
        database.execute(
            b"UPDATE aps.job SET lease_until = clock_timestamp() + interval '200 ms' RETURNING 1"
        )
        eventually(lambda: is_over(database))

    outcome, detail = told(operator(database).reclaim(1, pause=at("begun", renew_and_outwait)))
    assert outcome == "changed"
    # By the clock of the plan's check it would be a live lease.
    assert "still adoption" in detail
