from __future__ import annotations

from pathlib import Path

import pytest

from aps import planfile
from aps.errors import Refused
from aps.model import key
from aps.model.matrix import Matrix
from tests.support import foreign
from tests.support.database import Database
from tests.support.operating import Operator, batches, journal, operator, outcome, told

KEYS = [
    ("mail", "1"),
    ("", ""),
    ("", "7"),
    ("a/b", "c"),
    ("a", "b/c"),
    ("it's", 'a "quote"'),
    ("with space", " "),
    ("100%", "%2F"),
    ("back\\slash", "{curly},comma"),
    ("ü漢🚲", "NULL"),
    ("line\nbreak", "\t"),
]
ATTESTED = ("all-workers-stopped",)


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    return foreign.composite(tmp_path)


@pytest.fixture
def us(database: Database, matrix: Matrix) -> Operator:
    foreign.create(database)
    for values in KEYS:
        foreign.taken(database, *values)
    return operator(database, matrix)


def test_keys_of_any_text_are_planned_and_applied(us: Operator, tmp_path: Path) -> None:
    plan = us.plan(state="taken")
    assert sorted(job.key for job in plan.jobs) == sorted(KEYS)
    file = tmp_path / "plan.json"
    planfile.write(plan, file)
    operation = us.apply(planfile.read(file), attested=ATTESTED)
    assert operation.counts == {"applied": len(KEYS)}
    assert operation.exit_code == 0
    assert sorted(job for job, _, _ in journal(us.database)) == sorted(map(key.text, KEYS))
    assert us.database.execute(b"SELECT count(*) FROM task WHERE taken_by IS NOT NULL") == [(0,)]
    assert us.apply(plan, attested=ATTESTED).counts == {"already": len(KEYS)}


def test_one_job_is_named_by_the_text_of_its_key_and_no_other_is_touched(us: Operator) -> None:
    for values in KEYS:
        plan = us.plan(key.text(values))
        assert [job.key for job in plan.jobs] == [values]
        assert told(us.apply(plan, attested=ATTESTED))[0] == "applied"
        rows = us.database.execute(b"SELECT queue, id FROM task WHERE taken_by IS NULL")
        assert rows == [values]
        us.database.execute(b"UPDATE task SET taken_by = 'w1'")


def test_a_locked_a_gone_and_a_changed_job_are_told_apart_by_their_whole_key(us: Operator) -> None:
    plan = us.plan(state="taken")
    holder = us.database.connect("postgres", autocommit=False)
    holder.execute(b"SELECT FROM task WHERE queue = 'a/b' FOR UPDATE")
    us.database.execute(b"DELETE FROM task WHERE queue = '' AND id = ''")
    us.database.execute(b"UPDATE task SET taken_by = 'w2' WHERE queue = '100%'")
    operation = us.apply(plan, attested=ATTESTED)
    assert outcome(operation, "a%2Fb/c")[0] == "locked"
    assert outcome(operation, "/")[0] == "gone"
    assert outcome(operation, "100%25/%252F")[0] == "changed"
    assert outcome(operation, "a/b%2Fc")[0] == "applied"
    assert operation.counts == {"applied": len(KEYS) - 3, "locked": 1, "gone": 1, "changed": 1}


def test_without_a_fence_in_the_queue_nothing_is_done_unattested(us: Operator) -> None:
    plan = us.plan("mail/1")
    with pytest.raises(Refused, match="asks for the attestation 'all-workers-stopped'"):
        us.apply(plan)
    assert not batches(us.database)


def test_what_a_verification_finds_is_told_by_the_text_of_the_key(
    us: Operator, tmp_path: Path
) -> None:
    folder = tmp_path / "verified"
    us = operator(us.database, foreign.composite(folder, verify=True))
    operation = us.apply(us.plan("a%2Fb/c"), attested=ATTESTED)
    assert operation.not_verified == ("job a%2Fb/c: it is not what it was",)
    assert operation.exit_code == 26


def test_a_time_without_end_and_nothing_at_all_compare_as_themselves(us: Operator) -> None:
    us.database.execute(b"UPDATE task SET until = 'infinity' WHERE queue = 'mail'")
    plan = us.plan("mail/1", "a/b%2Fc")
    until = {job.job: job.evidence[0]["until"] for job in plan.jobs}
    assert until == {"mail/1": "infinity", "a/b%2Fc": None}
    us.database.execute(b"UPDATE task SET until = '-infinity' WHERE queue = 'a'")
    operation = us.apply(plan, attested=ATTESTED)
    assert outcome(operation, "mail/1")[0] == "applied"
    changed, detail = outcome(operation, "a/b%2Fc")
    assert changed == "changed"
    assert detail.startswith("until nothing -> -infinity: ")
    assert journal(us.database) == [
        ("mail/1", {"taken_by": "w1", "until": "infinity"}, {"taken_by": None, "until": None})
    ]


def test_a_row_that_an_action_deletes_is_whole_in_the_journal(us: Operator, tmp_path: Path) -> None:
    us = operator(us.database, foreign.composite(tmp_path / "deleting", deletes=True))
    operation = us.reclaim("mail/1", attested=ATTESTED)
    assert told(operation)[0] == "applied"
    ((job, before, after),) = journal(us.database)
    assert (job, after) == ("mail/1", None)
    assert before == {"queue": "mail", "id": "1", "taken_by": "w1", "until": None}
    assert us.database.execute(b"SELECT count(*) FROM task") == [(len(KEYS) - 1,)]
