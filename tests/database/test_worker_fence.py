"""What needs the lease: heartbeat, publish, fail, release."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.database import Database
from tests.support.queue import LEASED, OTHER_DIGEST, Answer, Queue, altered, leased, queue, session

all_four = pytest.mark.parametrize("name", LEASED)

ANSWERS = {
    "heartbeat": "renewed",
    "publish": "published",
    "fail": "failed",
    "release": "released",
}
ENDS = {"heartbeat": None, "publish": "published", "fail": "failed", "release": "released"}


def refused(worker: Queue, job: int, call: Callable[[], Answer | None]) -> Answer:
    """The answer, having seen that nothing changed but one `rejected` more on record."""
    before, ends, events = worker.job(job), worker.ends(job), worker.events(job)
    answer = call()
    assert answer
    assert answer["answer"] == "rejected"
    assert worker.job(job) == before
    assert worker.ends(job) == ends
    assert [kind for kind, _, _ in worker.events(job)] == [*(e[0] for e in events), "rejected"]
    told = {name: answer[name] for name in ("state", "epoch", "worker")}
    assert told == {name: before[name] for name in told}
    return answer


@all_four
def test_the_owner_is_served_and_its_attempt_closed(database: Database, name: str) -> None:
    worker = queue(database)
    job = worker.claimed()["job_id"]
    answer = leased(worker, name, job, "w1", 1)
    assert answer
    assert answer["answer"] == ANSWERS[name]
    assert worker.ends(job) == [(1, ENDS[name])]
    assert answer["state"] == worker.job(job)["state"]


@all_four
def test_another_worker_is_refused_and_named_on_record(database: Database, name: str) -> None:
    worker = queue(database)
    job = worker.claimed()["job_id"]
    refused(worker, job, lambda: leased(worker, name, job, "w2", 1))
    assert worker.events(job)[-1] == ("rejected", 1, "w2")


@all_four
@pytest.mark.parametrize("epoch", [1, 3])
def test_another_epoch_is_refused_even_of_the_same_worker_name(
    database: Database, name: str, epoch: int
) -> None:
    worker = queue(database)
    job = worker.claimed()["job_id"]
    worker.release(job, "w1", 1)
    worker.claim("w1")
    refused(worker, job, lambda: leased(worker, name, job, "w1", epoch))
    assert worker.events(job)[-1] == ("rejected", epoch, "w1")


@all_four
@pytest.mark.parametrize("ended", ["publish", "fail", "release", "cancel"])
def test_a_job_that_is_not_running_is_refused_to_its_last_owner(
    database: Database, name: str, ended: str
) -> None:
    worker = queue(database)
    job = worker.claimed()["job_id"]
    if ended == "cancel":
        worker.cancel(job, 1)
    else:
        leased(worker, ended, job, "w1", 1)
    if (name, ended) == ("publish", "publish"):
        refused(worker, job, lambda: worker.publish(job, "w1", 1, OTHER_DIGEST))
    else:
        refused(worker, job, lambda: leased(worker, name, job, "w1", 1))


@all_four
def test_an_expired_lease_is_refused(database: Database, name: str) -> None:
    worker = queue(database)
    job = worker.claimed(lease="-1 s")["job_id"]
    refused(worker, job, lambda: leased(worker, name, job, "w1", 1))


@all_four
def test_the_very_moment_at_which_the_lease_ends_is_too_late(database: Database, name: str) -> None:
    job = queue(database).claimed()["job_id"]
    clock = "clock_timestamp() AS clock"
    late = Queue(session(database), altered(name, clock, "lease_until AS clock"))
    refused(late, job, lambda: leased(late, name, job, "w1", 1))
    just = altered(name, clock, "lease_until - interval '1 microsecond' AS clock")
    in_time = Queue(session(database), just)
    answer = leased(in_time, name, job, "w1", 1)
    assert answer
    assert answer["answer"] == ANSWERS[name]


@pytest.mark.parametrize("name", [*LEASED, "confirm", "cancel"])
def test_an_unknown_job_has_no_answer_and_leaves_no_record(database: Database, name: str) -> None:
    worker = queue(database)
    worker.claimed()
    unknown = 999
    calls: dict[str, Callable[[], Answer | None]] = {
        "confirm": lambda: worker.confirm(unknown),
        "cancel": lambda: worker.cancel(unknown, 1),
    }
    call = calls.get(name, lambda: leased(worker, name, unknown, "w1", 1))
    before = database.execute(b"SELECT count(*) FROM aps.event")
    assert call() is None
    assert database.execute(b"SELECT count(*) FROM aps.event") == before


def test_a_heartbeat_prolongs_the_lease_and_only_progress_is_on_record(database: Database) -> None:
    worker = queue(database)
    job = worker.claimed(lease="1 min")["job_id"]
    before = worker.job(job)
    answer = worker.heartbeat(job, "w1", 1, lease="5 min")
    assert answer
    after = worker.job(job)
    assert answer["lease_until"] == after["lease_until"] > before["lease_until"]
    assert {name for name in after if after[name] != before[name]} == {"lease_until"}
    worker.heartbeat(job, "w1", 1, progress=True)
    assert worker.job(job)["updated_at"] > before["updated_at"]
    kinds = [kind for kind, _, _ in worker.events(job)]
    assert kinds == ["accepted", "claimed", "progressed"]


def test_a_failure_with_retry_makes_the_job_ready_under_the_same_epoch(database: Database) -> None:
    worker = queue(database)
    job = worker.claimed()["job_id"]
    worker.fail(job, "w1", 1, retry=True)
    row = worker.job(job)
    assert (row["state"], row["epoch"], row["reason"]) == ("ready", 1, None)
    again = worker.claim("w2")
    assert again
    assert (again["job_id"], again["epoch"]) == (job, 2)
    assert worker.ends(job) == [(1, "failed"), (2, None)]


def test_a_failure_for_good_keeps_its_reason(database: Database) -> None:
    worker = queue(database)
    job = worker.claimed()["job_id"]
    worker.fail(job, "w1", 1)
    row = worker.job(job)
    assert (row["state"], row["epoch"], row["reason"]) == ("failed", 1, "it broke")
    assert worker.claim("w2") is None
