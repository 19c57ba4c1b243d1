"""What became of a completion: each answer on rows that the real statements of workers and operators leave."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aps.errors import NoSuchJob, Usage
from aps.exits import Exit
from aps.model.completion import Asked, Completion
from aps.observed import NOBODY_LOOKED
from tests.support.completing import acted, ask, ask_of, contents
from tests.support.database import Database
from tests.support.looking import connect, reference
from tests.support.queue import DIGEST, OTHER_DIGEST, Answer, Queue, queue


@pytest.fixture
def q(database: Database) -> Queue:
    return queue(database)


def published(q: Queue) -> Answer:
    claim = q.claimed()
    assert q.publish(claim["job_id"], "w1", claim["epoch"])
    return claim


def is_(told: Completion, answer: str, code: Exit, *words: str) -> None:
    assert (told.answer, told.exit_code) == (answer, code), told
    for word in words:
        assert word in told.reason, told.reason


def test_what_was_published_is_applied_at_the_level_recorded(database: Database, q: Queue) -> None:
    claim = published(q)
    told = ask_of(database, claim)
    is_(told, "applied", Exit.CLEAR, claim["candidate"], DIGEST)
    assert (told.level, told.final, told.store.url) == ("recorded", False, None)
    assert "--store" in told.next
    assert told.evidence["compared"] == "epoch"


def test_all_that_is_given_is_compared(database: Database, q: Queue) -> None:
    claim = published(q)
    known = {"worker": "w1", "candidate": claim["candidate"], "digest": DIGEST}
    told = ask(database, claim["job_id"], 1, **known)
    is_(told, "applied", Exit.CLEAR)
    assert told.evidence["compared"] == "epoch, worker, candidate, digest"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"worker": "w2"}, "w1's, not w2's"),
        ({"worker": "w1 "}, "w1's, not w1 's"),
        ({"candidate": "1/1-other"}, "not 1/1-other"),
        ({"digest": OTHER_DIGEST}, f"{DIGEST}, not {OTHER_DIGEST}"),
    ],
)
def test_each_given_thing_that_differs_from_the_publication_is_named(
    database: Database, q: Queue, wrong: dict[str, str], told: str
) -> None:
    claim = published(q)
    known = {"worker": "w1", "candidate": claim["candidate"], "digest": DIGEST}
    is_(ask(database, claim["job_id"], 1, **(known | wrong)), "incompatible", Exit(43), told)


def test_everything_that_differs_is_named_together(database: Database, q: Queue) -> None:
    claim = published(q)
    told = ask(database, claim["job_id"], 1, worker="w2", digest=OTHER_DIGEST)
    is_(told, "incompatible", Exit.INCOMPATIBLE, "w1's, not w2's; ", f"not {OTHER_DIGEST}")
    assert told.final


def test_the_old_epoch_is_superseded_by_the_holder_of_the_new(database: Database, q: Queue) -> None:
    old = q.claimed(lease="-1 s")
    assert q.adopt("w2")
    told = ask(database, old["job_id"], 1, worker="w1", candidate=old["candidate"], digest=DIGEST)
    is_(told, "superseded", Exit.SUPERSEDED, "epoch 2 is held by w2 since ")
    assert (told.evidence["epoch"], told.final) == ("2", True)
    assert old["candidate"] in told.next


def test_the_old_epoch_is_superseded_by_the_publication_of_the_new(
    database: Database, q: Queue
) -> None:
    old = q.claimed(lease="-1 s")
    assert q.adopt("w2")
    assert q.publish(old["job_id"], "w2", 2)
    # The digest of the other epoch is not what this one is compared with.
    for given in (None, DIGEST, OTHER_DIGEST):
        told = ask(database, old["job_id"], 1, digest=given)
        is_(told, "superseded", Exit(40), "w2 published under epoch 2")
        assert told.evidence["compared"] == "epoch"
    is_(ask(database, old["job_id"], 2, worker="w2", digest=DIGEST), "applied", Exit.CLEAR)


def test_after_a_reclaim_the_old_epoch_is_superseded_and_the_new_is_nobodys(
    database: Database, q: Queue
) -> None:
    old = q.claimed(lease="-1 s")
    acted(database, "adoption.reclaim", old["job_id"])
    is_(ask_of(database, old), "superseded", Exit.SUPERSEDED, "the job is ready at epoch 2")
    is_(ask(database, old["job_id"], 2), "incompatible", Exit(43), "No worker ever had epoch 2")
    # Still so when a worker has the next one.
    assert q.claim("w3")
    is_(ask(database, old["job_id"], 2), "incompatible", Exit(43), "No worker ever had epoch 2")
    is_(ask(database, old["job_id"], 3), "open", Exit.OPEN)


def test_a_cancelled_job_refuses_its_epoch_with_the_reason(database: Database, q: Queue) -> None:
    claim = q.claimed()
    assert q.cancel(claim["job_id"], 1)
    told = ask_of(database, claim)
    is_(told, "cancelled", Exit.CANCELLED, "not needed", "ended no process")
    assert told.final
    is_(ask(database, claim["job_id"], 1, worker="w2"), "incompatible", Exit.INCOMPATIBLE)


def test_of_a_cancelled_job_an_older_epoch_is_superseded(database: Database, q: Queue) -> None:
    old = q.claimed(lease="-1 s")
    assert q.adopt("w2")
    assert q.cancel(old["job_id"], 2)
    is_(ask_of(database, old), "superseded", Exit(40), "cancelled at epoch 2 (not needed)")


@pytest.mark.parametrize(("lease", "told"), [("10 min", "may publish"), ("-1 s", "is refused")])
def test_a_running_job_is_open_and_told_whether_its_lease_lives(
    database: Database, q: Queue, lease: str, told: str
) -> None:
    claim = q.claimed(lease=lease)
    is_(ask_of(database, claim), "open", Exit.OPEN, "Nothing is published", told)
    is_(ask(database, claim["job_id"], 1, worker="w1", digest=DIGEST), "open", Exit.OPEN)


def test_another_workers_epoch_is_never_open(database: Database, q: Queue) -> None:
    claim = q.claimed()
    told = ask(database, claim["job_id"], 1, worker="w2")
    is_(told, "incompatible", Exit.INCOMPATIBLE, "it is w1's, not w2's")
    is_(ask(database, claim["job_id"], 1, candidate="1/1-x"), "incompatible", Exit(43), "not 1/1-x")


@pytest.mark.parametrize(("epoch", "told"), [(0, "Nobody ever owns"), (2, "never reached epoch 2")])
def test_an_epoch_that_nobody_had_is_incompatible(
    database: Database, q: Queue, epoch: int, told: str
) -> None:
    claim = q.claimed()
    is_(ask(database, claim["job_id"], epoch), "incompatible", Exit.INCOMPATIBLE, told)


def test_the_largest_epoch_is_a_number_like_any_other(database: Database, q: Queue) -> None:
    told = ask(database, q.claimed()["job_id"], 2**63 - 1)
    is_(told, "incompatible", Exit.INCOMPATIBLE, f"never reached epoch {2**63 - 1}")


@pytest.mark.parametrize("input_name", [None, "in.csv"])
def test_a_job_that_no_worker_had_yet(database: Database, q: Queue, input_name: str | None) -> None:
    job = q.accept("r1", input_name)["job_id"]
    is_(ask(database, job, 0), "incompatible", Exit.INCOMPATIBLE)
    is_(ask(database, job, 1), "incompatible", Exit.INCOMPATIBLE, "it is at epoch 0")


def test_a_failed_job_tells_its_reason(database: Database, q: Queue) -> None:
    claim = q.claimed()
    assert q.fail(claim["job_id"], "w1", 1)
    is_(ask_of(database, claim), "incompatible", Exit(43), "failed under epoch 1: it broke")


def test_a_job_that_an_operator_failed_supersedes_with_the_reason(
    database: Database, q: Queue
) -> None:
    claim = q.claimed(lease="-1 s")
    acted(database, "poisoned.reclaim", claim["job_id"])
    is_(ask_of(database, claim), "superseded", Exit(40), "the job is failed at epoch 2 (a test)")


@pytest.mark.parametrize("how", ["released", "failed"])
def test_a_job_that_its_worker_gave_back(database: Database, q: Queue, how: str) -> None:
    claim = q.claimed()
    job = claim["job_id"]
    assert q.release(job, "w1", 1) if how == "released" else q.fail(job, "w1", 1, retry=True)
    told = ask_of(database, claim)
    is_(told, "incompatible", Exit(43), f"gave the job back ({how})")
    assert claim["candidate"] in told.next
    is_(ask(database, job, 1, candidate="1/1-x"), "incompatible", Exit(43), "not 1/1-x")
    assert q.cancel(job, 1)
    is_(ask_of(database, claim), "cancelled", Exit.CANCELLED)


def test_a_withdrawn_publication_is_not_applied(database: Database, q: Queue) -> None:
    claim = published(q)
    acted(database, "missing_artifact.reconcile", claim["job_id"])
    is_(ask_of(database, claim), "incompatible", Exit.INCOMPATIBLE, "withdrew")
    told = ask(database, claim["job_id"], 1, digest=OTHER_DIGEST)
    is_(told, "incompatible", Exit.INCOMPATIBLE, f"not {OTHER_DIGEST}")


def test_where_the_attempt_is_not_recorded_nothing_is_guessed(database: Database, q: Queue) -> None:
    claim = published(q)
    database.execute(b"DELETE FROM aps.attempt")
    is_(ask_of(database, claim), "applied", Exit.CLEAR)
    told = ask(database, claim["job_id"], 1, worker="w1")
    is_(told, "undetermined", Exit.UNDETERMINED, "not recorded")
    assert told.evidence["compared"] == "epoch"
    is_(ask(database, claim["job_id"], 1, candidate=claim["candidate"]), "applied", Exit.CLEAR)


def test_an_attempt_above_its_row_is_a_contradiction(database: Database, q: Queue) -> None:
    claim = q.claimed()
    database.execute(
        b"INSERT INTO aps.attempt (job_id, epoch, worker, candidate) VALUES (1, 2, 'w2', '1/2-x')"
    )
    is_(ask(database, claim["job_id"], 2), "undetermined", Exit.UNDETERMINED, "contradicts itself")
    is_(ask(database, claim["job_id"], 3), "incompatible", Exit.INCOMPATIBLE)


def test_another_job_changes_no_answer(database: Database, q: Queue) -> None:
    first = published(q)
    second = q.claimed("w2", key="r2")
    is_(ask(database, first["job_id"], 1, worker="w1"), "applied", Exit.CLEAR)
    is_(ask(database, second["job_id"], 1, worker="w2"), "open", Exit.OPEN)
    taken = [q.claimed("w1", "-1 s", key)["job_id"] for key in ("r3", "r4")]
    for job, worker in zip(taken, ("w3", "w4"), strict=True):
        assert (q.adopt(worker) or {})["job_id"] == job
    for job, worker in zip(taken, ("w3", "w4"), strict=True):
        is_(ask(database, job, 1), "superseded", Exit.SUPERSEDED, f"is held by {worker} since")
        assert q.publish(job, worker, 2)
    for job, worker in zip(taken, ("w3", "w4"), strict=True):
        is_(ask(database, job, 1), "superseded", Exit.SUPERSEDED, f"{worker} published under")


def test_a_running_row_without_its_attempt_is_compared_by_itself(
    database: Database, q: Queue
) -> None:
    claim = q.claimed()
    database.execute(b"DELETE FROM aps.attempt")
    known = {"worker": "w1", "candidate": claim["candidate"]}
    is_(ask(database, claim["job_id"], 1, **known), "open", Exit.OPEN)
    is_(ask(database, claim["job_id"], 1, worker="w2"), "incompatible", Exit.INCOMPATIBLE)
    is_(ask(database, claim["job_id"], 1, candidate="1/1-x"), "incompatible", Exit.INCOMPATIBLE)


@pytest.mark.parametrize(
    ("moved", "told"),
    [("-1 microsecond", "may publish"), ("0", "is refused"), ("1 microsecond", "is refused")],
)
def test_a_lease_is_over_at_the_very_moment_it_ends(
    database: Database, q: Queue, moved: str, told: str
) -> None:
    claim = q.claimed()
    (row,) = database.execute(
        b"SELECT lease_until + %s::interval FROM aps.job WHERE job_id = %s",
        [moved, claim["job_id"]],
    )
    query = reference().completion
    assert query
    bound: dict[str, object] = {**NOBODY_LOOKED.bound, "clock": row[0], "job_id": [claim["job_id"]]}
    bound |= {"epoch": 1, "worker": None, "candidate": None, "digest": None}
    (answer,) = database.execute(query.sql.encode(), bound)
    assert answer[0] == "open"
    assert told in answer[2]


def test_a_job_that_does_not_exist_is_told_as_such(database: Database) -> None:
    with pytest.raises(NoSuchJob, match="no job '7'"):
        ask(database, 7, 1)


def test_asking_writes_nothing(database: Database, q: Queue) -> None:
    old = q.claimed(lease="-1 s")
    assert q.adopt("w2")
    claim = published_second(q)
    before = contents(database)
    for told in (old, claim):
        ask_of(database, told)
        ask(database, told["job_id"], 9, worker="w9", candidate="1/9-x", digest=OTHER_DIGEST)
    assert contents(database) == before


def published_second(q: Queue) -> Answer:
    claim = q.claimed(key="r2")
    assert q.publish(claim["job_id"], "w1", claim["epoch"])
    return claim


def test_what_may_not_be_read_is_undetermined_with_the_grant(database: Database, q: Queue) -> None:
    claim = published(q)
    database.execute(b"REVOKE SELECT ON aps.attempt FROM aps_read")
    told = ask_of(database, claim)
    is_(told, "undetermined", Exit.UNDETERMINED, "GRANT SELECT ON aps.attempt TO aps_read")


def test_a_table_that_somebody_holds_is_undetermined_with_the_holder(
    database: Database, q: Queue
) -> None:
    claim = published(q)
    holder = database.connect("postgres", autocommit=False)
    holder.execute(b"LOCK TABLE aps.job IN ACCESS EXCLUSIVE MODE")
    told = ask_of(database, claim)
    holder.rollback()
    is_(told, "undetermined", Exit.UNDETERMINED, f"pid {holder.info.backend_pid}")


def test_a_pack_without_the_query_says_so(database: Database, q: Queue) -> None:
    from aps import completion

    claim = published(q)
    without = replace(reference(), completion=None)
    with (
        connect(database, "aps_read") as session,
        pytest.raises(Usage, match=r"no queries/completion\.sql"),
    ):
        completion.answer(without, session, str(claim["job_id"]), Asked("1"), None)
