"""The rehearsal of the reference queue, groups 1 to 13; group 14 is in test_worker_requests."""

from __future__ import annotations

from tests.support.database import Connection, Database
from tests.support.looking import finding, report, states
from tests.support.queue import DIGEST, OTHER_DIGEST, Answer, Queue, queue
from tests.support.sessions import eventually

LOCK = b"SELECT FROM aps.job WHERE job_id = %s FOR UPDATE"


def lost(database: Database) -> tuple[Queue, Answer, Answer]:
    """The session of a worker that lost its job, and the two ownerships."""
    old, new = queue(database), queue(database)
    before = old.claimed("w1", lease="-1 s")
    after = new.adopt("w2")
    assert after
    return old, before, after


def holding(database: Database, job: int) -> Connection:
    """A session that holds the row and does nothing."""
    holder = database.connect(autocommit=False)
    holder.execute(b"SET application_name = 'someone'")
    holder.execute(LOCK, [job])
    return holder


def test_1_two_claimers_get_different_jobs(database: Database) -> None:
    first, second = queue(database), queue(database)
    jobs = [first.accept(key)["job_id"] for key in ("r1", "r2", "r3")]
    first.connection.execute(b"BEGIN")
    one, other = first.claim("w1"), second.claim("w2")
    first.connection.execute(b"COMMIT")
    assert one
    assert other
    assert [one["job_id"], other["job_id"]] == jobs[:2]


def test_2_a_crash_between_choosing_and_possession_leaves_the_job_ready(database: Database) -> None:
    worker = queue(database)
    job = worker.accept("r1")["job_id"]
    before = worker.job(job)
    crashing = queue(database)
    crashing.connection.execute(b"BEGIN")
    assert crashing.claim("w1")
    database.execute(b"SELECT pg_terminate_backend(%s)", [crashing.pid])
    eventually(lambda: is_gone(database, crashing.pid))
    assert (worker.job(job), worker.ends(job)) == (before, [])
    assert states(database, job) == ["ready"]
    claimed = worker.claim("w2")
    assert claimed
    assert claimed["epoch"] == 1


def is_gone(database: Database, pid: int) -> bool:
    return not database.execute(b"SELECT FROM pg_stat_activity WHERE pid = %s", [pid])


def test_3_an_empty_claim_while_the_job_is_locked_is_no_empty_queue(database: Database) -> None:
    worker = queue(database)
    job = worker.accept("r1")["job_id"]
    holder = holding(database, job)
    assert worker.claim("w1") is None
    ready = finding(database, "ready")
    assert (ready.jobs, ready.locked) == (1, 1)
    seen = report(database, job).jobs[0]
    assert seen.state == "ready"
    assert seen.detail
    assert seen.detail.holders
    assert [found.pid for found in seen.detail.holders] == [holder.info.backend_pid]
    assert seen.detail.holders[0].application == "someone"
    assert seen.detail.holders[0].state == "idle in transaction"
    holder.rollback()
    assert finding(database, "ready").locked == 0
    assert worker.claim("w1")


def tried(database: Database, worker: Queue, times: int) -> str:
    """A bounded retry, and what its failure means."""
    if any(worker.claim("w1") for _ in range(times)):
        return "claimed"
    return "not available now" if finding(database, "ready").jobs else "nothing eligible"


def test_4_a_bounded_retry_tells_nothing_eligible_from_not_available_now(
    database: Database,
) -> None:
    worker = queue(database)
    assert tried(database, worker, 3) == "nothing eligible"
    holder = holding(database, worker.accept("r1")["job_id"])
    assert tried(database, worker, 3) == "not available now"
    holder.rollback()
    assert tried(database, worker, 3) == "claimed"
    assert tried(database, worker, 3) == "nothing eligible"


def test_5_and_6_an_adoption_changes_nothing_before_the_lease_ends_and_one_row_after(
    database: Database,
) -> None:
    worker = queue(database)
    job = worker.claimed("w1")["job_id"]
    before = worker.job(job)
    assert worker.adopt("w2") is None
    assert worker.job(job) == before
    worker.heartbeat(job, "w1", 1, lease="-1 s")
    assert worker.adopt("w2")
    row = worker.job(job)
    assert (row["worker"], row["epoch"]) == ("w2", before["epoch"] + 1)


def test_7_the_old_session_still_works_after_it_lost_authority(database: Database) -> None:
    old, before, _ = lost(database)
    assert old.job(before["job_id"])["worker"] == "w2"
    other = old.claimed("w1", key="r2")
    assert old.publish(other["job_id"], "w1", 1)


def test_8_its_heartbeat_matches_nothing_and_does_not_prolong_the_new_lease(
    database: Database,
) -> None:
    old, before, after = lost(database)
    answer = old.heartbeat(before["job_id"], "w1", 1, lease="1 h")
    assert answer
    assert answer["answer"] == "rejected"
    assert old.job(before["job_id"])["lease_until"] == after["lease_until"]


def test_9_its_publication_matches_nothing_and_its_file_stays_on_record(database: Database) -> None:
    old, before, _ = lost(database)
    job = before["job_id"]
    answer = old.publish(job, "w1", 1)
    assert answer
    assert (answer["answer"], answer["published_name"]) == ("rejected", None)
    assert database.execute(b"SELECT count(*) FROM aps.valid_result") == [(0,)]
    kept = database.execute(b"SELECT candidate, ended_as FROM aps.attempt WHERE epoch = 1")
    assert kept == [(before["candidate"], "superseded")]
    late = finding(database, "rejected_result")
    assert (late.jobs, late.items) == (1, 1)
    assert report(database, job).jobs[0].overlays == ("rejected_result",)


def test_10_the_current_epoch_publishes_once_with_name_and_digest(database: Database) -> None:
    old, before, after = lost(database)
    job = before["job_id"]
    answer = old.publish(job, "w2", 2)
    assert answer
    assert answer["answer"] == "published"
    results = database.execute(b"SELECT job_id, name, digest, epoch FROM aps.valid_result")
    assert results == [(job, after["candidate"], DIGEST, 2)]
    assert states(database, job) == ["confirmed_publication"]


def test_11_a_repeated_completion_matches_nothing_and_is_told_to_be_applied_already(
    database: Database,
) -> None:
    old, before, _ = lost(database)
    job = before["job_id"]
    old.publish(job, "w2", 2)
    row = old.job(job)
    again = old.publish(job, "w2", 2)
    assert again
    assert (again["answer"], again["published_epoch"]) == ("repeated", 2)
    assert old.job(job) == row
    assert old.events(job)[-1] == ("repeated", 2, "w2")


def test_12_the_same_completion_from_the_old_epoch_is_told_to_be_superseded(
    database: Database,
) -> None:
    old, before, _ = lost(database)
    job = before["job_id"]
    old.publish(job, "w2", 2)
    row = old.job(job)
    for epoch, digest in ((1, DIGEST), (2, OTHER_DIGEST)):
        answer = old.publish(job, "w1", epoch, digest)
        assert answer
        assert (answer["answer"], answer["published_epoch"]) == ("rejected", 2)
        assert answer["published_digest"] == DIGEST
    assert old.job(job) == row
    assert old.ends(job) == [(1, "superseded"), (2, "published")]


def test_13_a_cancelled_job_refuses_its_worker_while_the_process_goes_on(
    database: Database,
) -> None:
    worker, caller = queue(database), queue(database)
    job = worker.claimed("w1")["job_id"]
    caller.cancel(job, 1)
    assert report(database, job).jobs[0].overlays == ("cancelled_still_leased",)
    for answer in (worker.heartbeat(job, "w1", 1), worker.publish(job, "w1", 1)):
        assert answer
        assert (answer["answer"], answer["state"]) == ("rejected", "cancelled")
    assert states(database, job) == ["cancelled"]
    assert worker.claim("w1") is None
    assert worker.claimed("w1", key="r2")
