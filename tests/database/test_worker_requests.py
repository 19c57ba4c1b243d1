"""The caller's side: accept, confirm_input, cancel."""

from __future__ import annotations

import pytest

from tests.support.database import Database
from tests.support.queue import OTHER_DIGEST, Queue, queue, session
from tests.support.sessions import eventually, in_background, waits_for_a_lock


def test_a_request_without_an_input_is_ready_at_once(database: Database) -> None:
    caller = queue(database)
    answer = caller.accept("r1")
    assert (answer["state"], answer["answer"]) == ("ready", "accepted")
    assert caller.events(answer["job_id"]) == [("accepted", None, None)]


def test_a_request_sent_twice_is_one_job(database: Database) -> None:
    caller = queue(database)
    first, second = caller.accept("r1"), caller.accept("r1")
    assert second == first | {"answer": "repeated"}
    assert database.execute(b"SELECT count(*) FROM aps.job") == [(1,)]
    assert caller.events(first["job_id"]) == [("accepted", None, None)]


def test_a_repeated_request_is_told_what_became_of_it(database: Database) -> None:
    caller = queue(database)
    job = caller.claimed(key="r1")["job_id"]
    before = caller.job(job)
    answer = caller.accept("r1")
    assert (answer["job_id"], answer["state"], answer["answer"]) == (job, "running", "repeated")
    assert caller.job(job) == before


@pytest.mark.parametrize(("kind", "input_name"), [("import", None), ("export", "in/1.csv")])
def test_the_same_key_with_other_content_is_a_conflict_and_changes_nothing(
    database: Database, kind: str, input_name: str | None
) -> None:
    caller = queue(database)
    job = caller.accept("r1")["job_id"]
    before = caller.job(job)
    answer = caller.accept("r1", input_name, kind)
    assert (answer["job_id"], answer["answer"]) == (job, "conflict")
    assert caller.job(job) == before
    assert caller.events(job) == [("accepted", None, None)]


@pytest.mark.parametrize(("kind", "answer"), [("export", "repeated"), ("import", "conflict")])
def test_two_sessions_that_send_one_key_at_the_same_time_get_one_job(
    database: Database, kind: str, answer: str
) -> None:
    first, second = queue(database), queue(database)
    first.connection.execute(b"BEGIN")
    accepted = first.accept("r1")
    with in_background(lambda: second.accept("r1", kind=kind)) as other:
        eventually(lambda: waits_for_a_lock(database, second.pid))
        first.connection.execute(b"COMMIT")
    assert other.result() == accepted | {"answer": answer}
    assert database.execute(b"SELECT count(*) FROM aps.job") == [(1,)]


def test_a_repeated_request_does_not_keep_others_from_recording_the_job(database: Database) -> None:
    """It would with a key column in its SET: the row locked FOR UPDATE stops every child row."""
    caller = Queue(session(database))
    job = caller.accept("r1")["job_id"]
    operator = database.connect()
    operator.execute(b"SET lock_timeout = '1 s'")
    with caller.connection.transaction():
        caller.accept("r1")
        operator.execute(b"INSERT INTO aps.event (job_id, kind) VALUES (%s, 'reclaimed')", [job])


def test_an_unconfirmed_input_is_not_claimable_and_is_confirmed_by_its_digest_only(
    database: Database,
) -> None:
    caller = queue(database)
    job = caller.accept("r1", "in/1.csv")["job_id"]
    assert caller.claim("w1") is None
    wrong = caller.confirm(job, OTHER_DIGEST)
    assert wrong == {"job_id": job, "state": "materializing", "answer": "rejected"}
    assert caller.claim("w1") is None
    assert caller.confirm(job) == {"job_id": job, "state": "ready", "answer": "confirmed"}
    claimed = caller.claim("w1")
    assert claimed
    assert claimed["input_name"] == "in/1.csv"
    kinds = [kind for kind, _, _ in caller.events(job)]
    assert kinds == ["accepted", "rejected", "confirmed", "claimed"]


@pytest.mark.parametrize("later", ["ready", "running", "cancelled"])
def test_an_input_confirmed_twice_is_repeated_whatever_became_of_the_job(
    database: Database, later: str
) -> None:
    caller = queue(database)
    job = caller.accept("r1", "in/1.csv")["job_id"]
    caller.confirm(job)
    if later == "running":
        caller.claim("w1")
    elif later == "cancelled":
        caller.cancel(job, 0)
    before = caller.job(job)
    assert caller.confirm(job) == {"job_id": job, "state": later, "answer": "repeated"}
    assert caller.job(job) == before
    answer = caller.confirm(job, OTHER_DIGEST)
    assert answer == {"job_id": job, "state": later, "answer": "rejected"}


def test_an_input_of_a_job_cancelled_before_is_rejected_and_not_taken_for_confirmed(
    database: Database,
) -> None:
    caller = queue(database)
    job = caller.accept("r1", "in/1.csv")["job_id"]
    caller.cancel(job, 0)
    assert caller.confirm(job) == {"job_id": job, "state": "cancelled", "answer": "rejected"}


@pytest.mark.parametrize("state", ["materializing", "ready", "running"])
def test_an_unfinished_job_is_cancelled_at_the_epoch_that_its_caller_saw(
    database: Database, state: str
) -> None:
    caller = queue(database)
    job = caller.accept("r1", "in/1.csv" if state == "materializing" else None)["job_id"]
    if state == "running":
        caller.claim("w1")
    before = caller.job(job)
    answer = caller.cancel(job, before["epoch"])
    assert answer
    assert (answer["state"], answer["answer"]) == ("cancelled", "cancelled")
    after = caller.job(job)
    kept = ("epoch", "worker", "lease_until", "candidate")
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert caller.ends(job) == ([(1, "cancelled")] if state == "running" else [])
    assert caller.events(job)[-1][0] == "cancelled"


def test_a_cancellation_at_another_epoch_is_rejected(database: Database) -> None:
    caller = queue(database)
    job = caller.claimed()["job_id"]
    before = caller.job(job)
    for epoch in (0, 2):
        answer = caller.cancel(job, epoch)
        assert answer
        assert (answer["answer"], answer["epoch"], answer["worker"]) == ("rejected", 1, "w1")
        assert caller.events(job)[-1] == ("rejected", epoch, None)
    assert caller.job(job) == before
    assert caller.ends(job) == [(1, None)]


def test_a_cancellation_sent_twice_is_repeated_and_one_that_comes_too_late_rejected(
    database: Database,
) -> None:
    caller = queue(database)
    cancelled, done = caller.claimed(key="r1")["job_id"], caller.claimed(key="r2")["job_id"]
    caller.cancel(cancelled, 1)
    caller.publish(done, "w1", 1)
    for job, expected in ((cancelled, "repeated"), (done, "rejected")):
        before = caller.job(job)
        answer = caller.cancel(job, 1)
        assert answer
        assert answer["answer"] == expected
        assert caller.job(job) == before
        assert caller.events(job)[-1][0] == expected
