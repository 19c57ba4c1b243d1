"""The reference worker, on a queue and a store: what becomes of the row, and of the file."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from aps import database as sessions
from aps.demo.export import digest, export
from aps.demo.worker import Claim, Ended, Work, Worker, WorkFailed
from tests.support.database import Database
from tests.support.queue import queue

PATIENCE = timedelta(seconds=60)
LEASE = timedelta(minutes=10)
CONTENT = b"one\ntwo\n"


def work(claim: Claim) -> Iterator[bytes]:
    yield from (b"one\n", b"two\n")


def then(call: Callable[[Claim], object]) -> Work:
    """That work, and at its end something happens."""

    def work_and_more(claim: Claim) -> Iterator[bytes]:
        yield from work(claim)
        call(claim)

    return work_and_more


@pytest.fixture
def hire(database: Database, tmp_path: Path) -> Iterator[Callable[..., Worker]]:
    """Makes a worker on the queue of this test."""
    hired: list[Worker] = []

    def make(
        lease: timedelta = LEASE, limit: int | None = None, patience: timedelta = PATIENCE
    ) -> Worker:
        connect = partial(sessions.connect, database.dsn("aps_work"), application="worker")
        hired.append(Worker(connect, tmp_path, f"w{len(hired) + 1}", lease, limit, patience))
        return hired[-1]

    yield make
    for worker in hired:
        worker.__exit__()


Hire = Callable[..., Worker]


def cut_sessions(database: Database) -> None:
    database.execute(
        b"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
        b" WHERE datname = current_database() AND application_name = 'worker'"
    )


def unreachable() -> sessions.Database:
    return sessions.connect("host=/nowhere", application="worker")


def ended(found: Ended | None) -> Ended:
    assert found
    return found


def test_what_is_published_lies_whole_in_the_store(
    database: Database, hire: Hire, tmp_path: Path
) -> None:
    job = queue(database).accept("r1")["job_id"]
    done = ended(hire().run_one(work))
    assert (done.answer, done.claim.job_id, done.claim.epoch) == ("published", job, 1)
    assert (tmp_path / done.claim.candidate).read_bytes() == CONTENT
    assert database.execute(b"SELECT name, digest, epoch FROM aps.valid_result") == [
        (done.claim.candidate, digest(CONTENT), 1)
    ]


def test_nothing_to_take_is_said_so(hire: Hire) -> None:
    assert hire(limit=3).run_one(work) is None


def test_no_transaction_is_open_while_work_is_done(database: Database, hire: Hire) -> None:
    queue(database).accept("r1")
    seen: list[object] = []

    def see(_: Claim) -> None:
        seen.extend(
            database.execute(
                b"SELECT state FROM pg_stat_activity"
                b" WHERE datname = current_database() AND application_name = 'worker'"
            )
        )

    assert ended(hire().run_one(then(see))).answer == "published"
    assert seen == [("idle",)]


def test_a_job_that_another_worker_left_is_adopted_below_the_limit_only(
    database: Database, hire: Hire
) -> None:
    caller = queue(database)
    job = caller.claimed("gone", lease="-1 s")["job_id"]
    assert hire().run_one(work) is None
    assert hire(limit=1).run_one(work) is None
    assert ended(hire(limit=2).run_one(work)).answer == "published"
    assert caller.ends(job) == [(1, "superseded"), (2, "published")]


def test_a_refused_heartbeat_ends_the_work_and_leaves_the_file(
    database: Database, hire: Hire, tmp_path: Path
) -> None:
    caller = queue(database)
    job = caller.accept("r1")["job_id"]

    def endless(claim: Claim) -> Iterator[bytes]:
        yield b"first\n"
        caller.cancel(claim.job_id, claim.epoch)
        while True:
            time.sleep(0.005)
            yield b"more\n"

    done = ended(hire(lease=timedelta(seconds=0.3)).run_one(endless))
    assert done.answer == "rejected"
    assert (tmp_path / done.claim.candidate).read_bytes().startswith(b"first\nmore\n")
    assert caller.job(job)["state"] == "cancelled"


def test_heartbeats_keep_a_short_lease_through_long_work(database: Database, hire: Hire) -> None:
    caller = queue(database)
    caller.accept("r1")
    lease = timedelta(seconds=1.5)

    def longer_than_the_lease(claim: Claim) -> Iterator[bytes]:
        first = caller.job(claim.job_id)["lease_until"]
        while caller.connection.execute(b"SELECT clock_timestamp() < %s", [first]).fetchone() == (
            True,
        ):
            time.sleep(0.01)
            yield b"row\n"

    assert ended(hire(lease=lease).run_one(longer_than_the_lease)).answer == "published"


@pytest.mark.parametrize(("retry", "state"), [(True, "ready"), (False, "failed")])
def test_work_that_says_it_failed_is_told(
    database: Database, hire: Hire, retry: bool, state: str
) -> None:
    caller = queue(database)
    job = caller.accept("r1")["job_id"]

    def fail(_: Claim) -> None:
        raise WorkFailed("no such customer", retry=retry)

    assert ended(hire().run_one(then(fail))).answer == "failed"
    assert caller.job(job)["state"] == state
    assert caller.ends(job) == [(1, "failed")]


def test_an_error_that_nobody_foresaw_leaves_the_lease_to_end(
    database: Database, hire: Hire
) -> None:
    caller = queue(database)
    job = caller.accept("r1")["job_id"]
    with pytest.raises(ZeroDivisionError):
        hire().run_one(then(lambda claim: 1 // 0))
    assert caller.job(job)["state"] == "running"
    assert caller.ends(job) == [(1, None)]


def test_a_cut_session_is_replaced_and_the_job_published(database: Database, hire: Hire) -> None:
    queue(database).accept("r1")
    assert ended(hire().run_one(then(lambda claim: cut_sessions(database)))).answer == "published"


def test_a_publication_whose_answer_was_lost_is_told_as_repeated(
    database: Database, hire: Hire
) -> None:
    caller = queue(database)
    job = caller.accept("r1")["job_id"]

    def publish_and_lose_the_answer(claim: Claim) -> None:
        caller.publish(claim.job_id, "w1", claim.epoch, digest(CONTENT))
        cut_sessions(database)

    assert ended(hire().run_one(then(publish_and_lose_the_answer))).answer == "repeated"
    assert [kind for kind, *_ in caller.events(job)][-2:] == ["published", "repeated"]


def test_without_any_answer_the_outcome_is_unknown(
    database: Database, hire: Hire, tmp_path: Path
) -> None:
    caller = queue(database)
    job = caller.accept("r1")["job_id"]

    def lose_the_server(_: Claim) -> None:
        cut_sessions(database)
        worker.connect = unreachable

    worker = hire(patience=timedelta(seconds=0.3))
    done = ended(worker.run_one(then(lose_the_server)))
    assert done.answer == "unknown"
    assert (tmp_path / done.claim.candidate).read_bytes() == CONTENT
    assert caller.job(job)["state"] == "running"


def test_an_input_that_changed_fails_the_job(
    database: Database, hire: Hire, tmp_path: Path
) -> None:
    caller = queue(database)
    job = caller.accept("r1", "in/1.csv")["job_id"]
    caller.confirm(job)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.csv").write_bytes(b"something else")
    assert ended(hire().run_one(partial(export, store=tmp_path))).answer == "failed"
    assert "digest differs" in caller.job(job)["reason"]


def test_a_missing_store_is_not_made(database: Database, hire: Hire, tmp_path: Path) -> None:
    caller = queue(database)
    caller.accept("r1")
    worker = hire()
    os.rmdir(tmp_path)
    with pytest.raises(FileNotFoundError):
        worker.run_one(work)
    assert not tmp_path.exists()
    tmp_path.mkdir()
