"""C26, C27 and C28: a file that retention took, a name taken already, a process that outlives its cancellation."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.support.artifacts import Artifacts
from tests.support.cases import Case, outcomes
from tests.support.database import Database
from tests.support.queue import queue
from tests.support.rows import ATTEMPT, RUNNING, insert
from tests.support.standby import Standby

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def case(held: Artifacts, name: str, *more: str) -> Case:
    return Case.of(held.database, f"second_{name}", more=("--store", str(held.root), *more))


def retention(c: Case, job: int) -> str:
    (row,) = c.job(job)["evidence"]["missing_artifact"]
    return str(row["retention"])


def test_c26_a_file_past_its_retention_is_missing_as_expected(held: Artifacts) -> None:
    c = case(held, "c26_retention_removed_a_file", "--set", "result_retention=7d")
    told = c.look(126)
    (job,) = told["jobs"]
    assert (job["state"], job["permitted"], told["exit_code"]) == ("missing_artifact", True, 11)
    assert retention(c, 126) == "expected: past the retention of results"
    assert retention(c, 1261) == "unexpected: within the retention of results"
    page = c.said("inspect", "126")
    assert "missing artifact for 13 d" in page
    assert "retention expected: past the retention of results" in page
    assert "you may not requeue it" in page


def test_c26_it_is_withdrawn_once_and_its_absence_is_no_error_again(held: Artifacts) -> None:
    c = case(held, "c26_retention_removed_a_file", "--set", "result_retention=7d")
    assert outcomes(c.apply("reconcile", "126")) == {"126": "applied"}
    assert c.row(126) == ("complete", None, 1)
    assert c.job(126)["state"] == "withdrawn"
    c.refused("reconcile", "126")


def test_c26_what_is_older_than_the_window_is_looked_at_where_it_is_asked_for(
    held: Artifacts,
) -> None:
    c = case(held, "c26_retention_removed_a_file")
    assert c.state("missing_artifact")["jobs"] == 1
    wide = c.json("inspect", "--since", "30d")["states"]
    assert next(one for one in wide if one["state"] == "missing_artifact")["jobs"] == 2


def test_c26_a_retention_that_ends_between_plan_and_apply_changes_no_verdict(
    held: Artifacts, tmp_path: Path
) -> None:
    c = case(held, "c26_retention_removed_a_file", "--set", "result_retention=13d")
    c.run(
        b"UPDATE aps.job SET finished_at = at, updated_at = at FROM (SELECT now() AS at) AS t WHERE job_id = 1261"
    )
    plan = str(tmp_path / "plan.json")
    c.told("reconcile", "1261", "--plan-out", plan)
    assert outcomes(c.apply("reconcile", "--plan", plan)) == {"1261": "applied"}


def test_c26_an_orphan_that_retention_took_first_is_told_as_gone(
    held: Artifacts, tmp_path: Path
) -> None:
    c = case(held, "c25_write_in_progress")
    file = held.write("1251/3-a.part", b"late")
    plan = str(tmp_path / "plan.json")
    c.told("reconcile", "1251", "--state", "orphan_candidate", "--plan-out", plan)
    file.unlink()
    done = c.apply("reconcile", "--plan", plan)
    assert outcomes(done) == {"1251": "changed"}
    assert done["exit_code"] == 20
    assert c.state("orphan_candidate")["jobs"] == 0


def test_c26_where_retention_took_too_much_at_once_the_store_is_doubted_first(
    held: Artifacts,
) -> None:
    c = case(held, "c26_retention_removed_a_file")
    for number in range(9):
        held.published(f"there {number}")
    for number in range(9):
        held.published(f"gone {number}")[1].unlink()
    said = c.told("reconcile", "--all", "--state", "missing_artifact", "--yes", "--reason", "x")
    assert said.code == 25
    assert "more than 20%: is the store whole, and mounted?" in said.stderr


def test_c27_the_reference_queue_gives_no_name_twice(database: Database) -> None:
    insert(database, "job", RUNNING)
    insert(database, "attempt", ATTEMPT)
    with pytest.raises(psycopg.errors.CheckViolation, match="candidate_of_this_epoch"):
        insert(database, "attempt", ATTEMPT | {"epoch": 2})
    with pytest.raises(psycopg.errors.CheckViolation, match="candidate_of_this_epoch"):
        insert(
            database,
            "job",
            RUNNING | {"job_id": 127, "request_key": "r2", "candidate": "report-127"},
        )


def test_c27_a_file_that_is_there_before_its_owner_confirms_nothing(held: Artifacts) -> None:
    c = case(held, "c27_name_taken")
    file = held.write("report-127", b"of attempt 1")
    told = c.look(127)
    (job,) = told["jobs"]
    # Without the constraint that makes names unique it would be the orphan of attempt 1, under the pen of attempt 2.
    assert (job["state"], job["overlays"], job["permitted"]) == ("live_lease", [], False)
    assert told["exit_code"] == 0
    c.refused("reconcile", "127", "--state", "orphan_candidate")
    assert c.told("reconcile", "127", "--epoch", "2").code == 42
    assert file.read_bytes() == b"of attempt 1"


def test_c27_after_the_lease_it_is_shown_as_unconfirmed_and_stays(held: Artifacts) -> None:
    c = case(held, "c27_name_taken")
    held.write("report-1271", b"of attempt 1")
    job = c.job(1271)
    assert (job["state"], job["overlays"]) == ("adoption", ["unconfirmed_result"])
    assert "the lease is over, and nothing confirms it" in c.said("inspect", "1271")
    assert outcomes(c.apply("reclaim", "1271")) == {"1271": "applied"}
    assert (held.root / "report-1271").read_bytes() == b"of attempt 1"


def test_c28_cancelled_stays_and_nothing_is_cleaned_under_the_writer(held: Artifacts) -> None:
    c = case(held, "c28_cancelled_still_running")
    late = held.write("128/3-a", b"after the cancel")
    told = c.look(128)
    (job,) = told["jobs"]
    assert (job["state"], job["overlays"]) == ("cancelled", ["cancelled_still_leased"])
    assert (job["permitted"], told["exit_code"]) == (False, 0)
    page = c.said("inspect", "128")
    assert "The job is cancelled while its lease has not ended; the process may still run" in page
    assert "you may not start it anew while its lease lives" in page
    c.refused("reconcile", "128")
    c.refused("reclaim", "128")
    assert late.read_bytes() == b"after the cancel"


def test_c28_its_file_is_an_orphan_only_after_the_lease_and_the_grace(held: Artifacts) -> None:
    c = case(held, "c28_cancelled_still_running")
    for job in (128, 1281, 1282, 1284):
        held.write(f"{job}/3-a", b"after the cancel")
    found = {job: c.job(job)["overlays"] for job in (128, 1281, 1282, 1283, 1284)}
    leased = ["cancelled_still_leased"]
    assert found == {128: leased, 1281: [], 1282: ["orphan_candidate"], 1283: [], 1284: leased}
    done = c.apply("reconcile", "--all", "--state", "orphan_candidate")
    assert outcomes(done) == {"1282": "applied"}


def test_c28_the_same_request_is_answered_and_opens_nothing(held: Artifacts) -> None:
    case(held, "c28_cancelled_still_running")
    worker = queue(held.database)
    assert worker.accept("c28-128", kind="render")["answer"] == "repeated"
    assert worker.claim("w5") is None
    for answer in (worker.publish(128, "w4", 3), worker.heartbeat(128, "w4", 3)):
        assert answer
        assert (answer["state"], answer["answer"]) == ("cancelled", "rejected")
    with pytest.raises(psycopg.errors.CheckViolation, match="may not become"):
        held.database.execute(
            b"UPDATE aps.job SET state = 'ready', worker = NULL, lease_until = NULL, candidate = NULL,"
            b" finished_at = NULL, reason = NULL WHERE job_id = 128"
        )


def test_c26_and_c28_on_a_standby_what_rests_on_a_lease_is_not_told(
    held: Artifacts, standby: Standby
) -> None:
    case(held, "c26_retention_removed_a_file")
    case(held, "c28_cancelled_still_running")
    with standby.of(held.database) as there:
        c = Case(there, role="aps_read", more=("--store", str(held.root)))
        assert c.state("cancelled_still_leased")["verdict"] == "undetermined"
        assert c.told("reconcile", "126", "--yes", "--reason", "x").code == 25
