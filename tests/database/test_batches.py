from __future__ import annotations

from pathlib import Path

import pytest

from aps.model.operation import Operation
from tests.support import packs, triggers
from tests.support.database import Database
from tests.support.operating import (
    Operator,
    abandoned,
    at,
    batches,
    journal,
    operator,
    outcome,
    standing,
    told,
    untouched,
)
from tests.support.triggers import trigger


def thousand(database: Database) -> tuple[Operator, Operation]:
    us = operator(database)
    operation = us.apply(us.plan(state="adoption", limit=1000))
    assert len(operation.rows) == 1000
    return us, operation


def states(database: Database) -> dict[str, int]:
    rows = database.execute(b"SELECT state, count(*) FROM aps.job GROUP BY state")
    return dict(rows)


def test_one_row_that_raises_fails_alone_in_a_batch_of_1000(database: Database) -> None:
    abandoned(database, 1000)
    trigger(database, "before", triggers.RAISES, "NEW.job_id = 700")
    _, operation = thousand(database)
    assert operation.counts == {"applied": 999, "failed": 1}
    assert outcome(operation, 700) == ("failed", "job 700 may not change (P0042)")
    assert operation.exit_code == 27
    assert states(database) == {"ready": 999, "running": 1}
    assert standing(database, 700) == ("running", 1)
    assert batches(database) == [(1000, 999)]
    assert len(journal(database)) == 999


def test_one_row_that_a_constraint_forbids_is_blocked_and_the_constraint_named(
    database: Database,
) -> None:
    abandoned(database, 1000)
    database.execute(
        b"ALTER TABLE aps.job ADD CONSTRAINT never_700 CHECK (job_id <> 700 OR state = 'running')"
    )
    _, operation = thousand(database)
    assert operation.counts == {"applied": 999, "blocked": 1}
    blocked, detail = outcome(operation, 700)
    assert blocked == "blocked"
    assert "never_700" in detail
    assert detail.endswith("(23514)")
    assert operation.exit_code == 21


def test_a_constraint_that_a_trigger_raises_for_is_named_too(database: Database) -> None:
    abandoned(database)
    body = "RAISE EXCEPTION 'no' USING ERRCODE = 'check_violation', CONSTRAINT = 'house_rule'"
    trigger(database, "before", body)
    operation = operator(database).reclaim(1)
    assert told(operation) == ("blocked", "no (constraint house_rule) (23514)")
    assert operation.exit_code == 20
    assert untouched(database)


def test_a_sibling_that_stands_in_the_way_blocks_one_row_alone(database: Database) -> None:
    abandoned(database, 3)
    database.execute(b"CREATE UNIQUE INDEX one_ready ON aps.job (kind) WHERE state = 'ready'")
    operation = operator(database).reclaim(1, 2, 3)
    assert operation.counts == {"applied": 1, "blocked": 2}
    assert "one_ready" in outcome(operation, 2)[1]
    assert operation.exit_code == 21


def test_a_row_that_a_trigger_keeps_is_blocked(database: Database) -> None:
    abandoned(database, 1000)
    trigger(database, "before", triggers.KEEPS, "NEW.job_id = 700")
    _, operation = thousand(database)
    assert operation.counts == {"applied": 999, "blocked": 1}
    assert outcome(operation, 700) == (
        "blocked", "the action left it as it was: a trigger, rule or policy kept the row",
    )  # fmt: skip
    assert states(database) == {"ready": 999, "running": 1}


def test_where_no_row_is_changed_nothing_is_journaled(database: Database) -> None:
    abandoned(database)
    trigger(database, "before", triggers.KEEPS)
    operation = operator(database).reclaim(1)
    assert (told(operation)[0], operation.exit_code) == ("blocked", 20)
    assert operation.transactions == ()
    assert untouched(database)


@pytest.mark.parametrize("kind", ["before", "after", "deferred"])
def test_a_trigger_that_touches_another_row_of_the_table_rolls_the_batch_back(
    database: Database, kind: str
) -> None:
    abandoned(database, 1000)
    trigger(database, kind, triggers.TOUCHES_ANOTHER, "NEW.job_id = 3 AND NEW.state = 'ready'")
    us = operator(database)
    operation = us.apply(us.plan(*range(1, 11)))
    assert operation.exit_code == 23
    assert operation.counts == {"refused": 10}
    assert "adoption.reclaim.sql changed 11 rows of aps.job, not 10" in (
        operation.rolled_back or ""
    )
    assert states(database) == {"running": 1000}
    assert not batches(database)
    assert database.execute(b"SELECT count(*) FROM aps.event") == [(0,)]


@pytest.mark.parametrize("kind", ["before", "after"])
def test_a_trigger_that_deletes_the_row_rolls_the_batch_back(database: Database, kind: str) -> None:
    abandoned(database, 2)
    trigger(database, kind, triggers.DELETES, "NEW.job_id = 2")
    database.execute(b"ALTER TABLE aps.event DROP CONSTRAINT event_job_id_fkey")
    database.execute(b"ALTER TABLE aps.attempt DROP CONSTRAINT attempt_job_id_fkey")
    operation = operator(database).reclaim(1, 2)
    assert operation.exit_code == 23
    assert states(database) == {"running": 2}
    assert not batches(database)


ABORT = """\
-- A criterion of this test. Returns job_id, reason.
SELECT job_id, 'job ' || job_id || ' is sacred' AS reason FROM aps.job
 WHERE job_id = ANY (%(job_id)s::bigint[]) AND job_id = 15
"""


def test_a_violated_criterion_in_the_second_of_three_batches_ends_the_operation(
    database: Database, tmp_path: Path
) -> None:
    abandoned(database, 30)
    matrix = packs.reference_with(tmp_path, {"queries/adoption.abort.sql": ABORT})
    us = operator(database, matrix)
    operation = us.apply(us.plan(*range(1, 31)), batch_size=10)
    assert operation.exit_code == 23
    assert operation.rolled_back == "queries/adoption.abort.sql: job 15 is sacred (1 of 10 jobs)"
    assert operation.counts == {"applied": 10, "refused": 19, "failed": 1}
    assert outcome(operation, 1)[0] == "applied"
    assert outcome(operation, 15) == ("failed", "rolled back: job 15 is sacred")
    with_it = f"rolled back with its batch: {operation.rolled_back}"
    assert outcome(operation, 12) == ("refused", with_it)
    assert outcome(operation, 30) == ("refused", "not tried: the operation had ended")
    assert len(operation.transactions) == 1
    assert [job for job, _, _ in journal(database)] == sorted(map(str, range(1, 11)))
    assert states(database) == {"ready": 10, "running": 20}


def test_an_outcome_that_was_known_stays_where_the_batch_is_rolled_back(
    database: Database, tmp_path: Path
) -> None:
    abandoned(database, 20)
    matrix = packs.reference_with(tmp_path, {"queries/adoption.abort.sql": ABORT})
    us = operator(database, matrix)
    plan = us.plan(14, 15, 16, 17)
    holder = database.connect("postgres", autocommit=False)
    holder.execute(b"SELECT FROM aps.job WHERE job_id = 16 FOR UPDATE")
    trigger(database, "before", triggers.RAISES, "NEW.job_id = 17")
    operation = us.apply(plan)
    assert [outcome(operation, job)[0] for job in (14, 15, 16, 17)] == [
        "refused", "failed", "locked", "failed",
    ]  # fmt: skip
    assert operation.exit_code == 23


KEEPS_EPOCH = "NEW.epoch := OLD.epoch; RETURN NEW"


@pytest.mark.parametrize("state", ["adoption", "inconsistent_row"])
def test_an_epoch_that_does_not_rise_is_rolled_back(database: Database, state: str) -> None:
    abandoned(database, 2)
    if state == "inconsistent_row":
        database.execute(b"DELETE FROM aps.attempt WHERE job_id = 1")
    trigger(database, "before", KEEPS_EPOCH, "NEW.job_id = 1 AND NEW.state = 'ready'")
    operation = operator(database).reclaim(1)
    assert (operation.state, operation.exit_code) == (state, 23)
    assert outcome(operation, 1)[0] == "failed"
    assert "the epoch did not rise by one" in str(operation.rolled_back)
    assert states(database) == {"running": 2}
    assert journal(database) == []


VERIFY = ABORT.replace("is sacred", "went wrong")


def test_a_failed_verification_is_told_and_ends_the_operation(
    database: Database, tmp_path: Path
) -> None:
    abandoned(database, 30)
    matrix = packs.reference_with(tmp_path, {"queries/adoption.verify.sql": VERIFY})
    us = operator(database, matrix)
    operation = us.apply(us.plan(*range(1, 31)), batch_size=10)
    assert operation.exit_code == 26
    assert operation.not_verified == ("job 15: job 15 went wrong",)
    assert operation.counts == {"applied": 20, "refused": 10}
    assert states(database) == {"ready": 20, "running": 10}


def test_a_verification_that_cannot_be_run_is_no_success(database: Database) -> None:
    abandoned(database)
    hide = b"REVOKE SELECT ON aps.event FROM aps_operate"
    operation = operator(database).reclaim(1, pause=at("committed", lambda: database.execute(hide)))
    assert (told(operation)[0], operation.exit_code) == ("applied", 26)
    assert "permission denied for table event" in operation.not_verified[0]


def test_a_batch_size_of_one_makes_a_transaction_a_job(database: Database) -> None:
    abandoned(database, 3)
    us = operator(database)
    operation = us.apply(us.plan(1, 2, 3), batch_size=1)
    assert operation.counts == {"applied": 3}
    assert len(set(operation.transactions)) == 3
    assert batches(database) == [(3, 1)] * 3
