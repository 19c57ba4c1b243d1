"""C06, C07: a ready row that still has an owner, and a slow job under a live lease."""

from __future__ import annotations

from pathlib import Path

import pytest
from psycopg import errors

from aps.exits import Exit
from tests.support.artifacts import Artifacts
from tests.support.cases import Case, outcomes
from tests.support.database import Database
from tests.support.queue import queue

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server


def test_c06_a_ready_row_with_an_owner_is_no_healthy_backlog(database: Database) -> None:
    case = Case.of(database, "first_c06_ready_with_owner")
    assert queue(database).claim("w9") is None
    assert case.state("ready")["jobs"] == 0
    job = case.job(106)
    assert (job["state"], job["command"].split(" --")[0]) == ("inconsistent_row", "aps reclaim 106")
    assert (
        job["evidence"]["inconsistent_row"][0]["fault"] == "ready with a worker, lease or candidate"
    )
    assert case.told("inspect", "106").code == Exit.WARNING
    assert "The row is one that no correct writer leaves" in case.said("inspect", "106")


def test_c06_the_reclaim_clears_the_owner_under_the_next_epoch(database: Database) -> None:
    # The case says: at the same epoch. Every reclaim raises it by one (DESIGN 2), and the old worker is refused.
    case = Case.of(database, "first_c06_ready_with_owner")
    assert case.preview("reclaim", "106")["state"] == "inconsistent_row"
    told = case.apply("reclaim", "106")
    assert (told["exit_code"], outcomes(told)) == (Exit.CLEAR, {"106": "applied"})
    assert case.row(106) == ("ready", None, 7)
    assert case.ends(106) == [(6, "abandoned")]
    claimed = queue(database).claim("w9")
    assert claimed
    assert (claimed["job_id"], claimed["epoch"]) == (106, 8)


def test_c06_the_old_candidate_stays_in_the_store_as_an_orphan_candidate(
    database: Database, tmp_path: Path
) -> None:
    held = Artifacts.bound(database, tmp_path / "store")
    case = Case.of(database, "first_c06_ready_with_owner")
    file = held.write("106/6-000000000006")
    assert held.state(106) == ("inconsistent_row", ())
    case.apply("reclaim", "106")
    assert held.state(106) == ("ready", ("orphan_candidate",))
    assert file.exists()


@pytest.mark.parametrize(
    "left",
    [
        b"worker = NULL, lease_until = NULL",
        b"worker = NULL, candidate = NULL",
        b"lease_until = NULL",
        b"lease_until = clock_timestamp() + interval '100 years'",
        b"epoch = 7, candidate = '106/7-a'",
    ],
    ids=[
        "only the candidate",
        "only the lease",
        "all but the lease",
        "a lease in the far future",
        "one epoch on",
    ],
)
def test_c06_whatever_part_of_an_owner_is_left_the_row_is_inconsistent(
    database: Database, left: bytes
) -> None:
    case = Case.of(database, "first_c06_ready_with_owner")
    case.run(
        b"ALTER TABLE aps.job DROP CONSTRAINT ownership_whole",
        b"UPDATE aps.job SET " + left + b" WHERE job_id = 106",
    )
    assert case.states(106) == ["inconsistent_row"]
    assert case.look()["exit_code"] == Exit.WARNING
    case.apply("reclaim", "106")
    assert case.states(106) == ["ready"]


def test_c06_a_thousand_of_them_are_shown_as_critical_and_never_acted_upon_in_bulk(
    database: Database,
) -> None:
    case = Case.of(database, "first_c06_ready_with_owner")
    case.run(
        b"SELECT pg_temp.running(n, 'w4', 6, -300) FROM generate_series(1000, 1999) AS n",
        b"UPDATE aps.job SET state = 'ready' WHERE job_id >= 1000",
    )
    found = case.state("inconsistent_row")
    assert (found["jobs"], found["severity"]) == (1001, "critical")
    assert case.state("unclassified")["jobs"] == 0
    said = case.refused("reclaim", "--state", "inconsistent_row", "--all", "--limit", "1000")
    assert "named jobs only, never in bulk" in said


def test_c06_as_shipped_the_constraint_refuses_the_row(database: Database) -> None:
    case = Case(database)
    with pytest.raises(errors.CheckViolation, match="ownership_where_running"):
        case.run(
            b"SELECT pg_temp.running(1, 'w4', 6, -300)",
            b"UPDATE aps.job SET state = 'ready'",
        )


def test_c07_a_live_lease_is_left_alone_whatever_its_age(database: Database) -> None:
    case = Case.of(database, "first_c07_slow")
    job = case.job(107)
    assert (job["state"], job["overlays"], job["permitted"]) == ("live_lease", [], False)
    assert job["age_seconds"] > 180 * 60
    said = case.told("inspect", "107")
    assert said.code == Exit.CLEAR
    assert "reclaim it, whatever its age" in said.stdout
    assert "the matrix permits no action on it" in case.refused("reclaim", "107")


@pytest.mark.parametrize("state", ["live_lease", "adoption"])
def test_c07_older_than_filters_and_never_makes_a_job_eligible(
    database: Database, state: str
) -> None:
    case = Case.of(database, "first_c07_slow")
    case.refused("reclaim", "--state", state, "--all", "--older-than", "30 min")
    assert case.row(107) == ("running", "w5", 1)


@pytest.mark.parametrize(
    ("lease", "state"),
    [
        (b"0.5", "live_lease"),
        (b"14.9", "live_lease"),
        (b"16", "inconsistent_row"),
        (b"52560000", "inconsistent_row"),
        (b"0", "adoption"),
        (b"-52560000", "adoption"),
    ],
    ids=["nearly over", "nearly the longest", "beyond", "far future", "this moment", "far past"],
)
def test_c07_the_end_of_the_lease_alone_tells(database: Database, lease: bytes, state: str) -> None:
    case = Case(database)
    case.run(b"SELECT pg_temp.running(1071, 'w5', 1, " + lease + b", -190)")
    assert case.states(1071) == [state]


def test_c07_a_job_without_a_start_has_an_unknown_age_and_a_live_lease(database: Database) -> None:
    case = Case.of(database, "first_c07_slow")
    case.run(b"UPDATE aps.job SET started_at = NULL")
    job = case.job(107)
    assert (job["state"], job["age_seconds"]) == ("live_lease", None)


def test_c07_among_a_thousand_old_jobs_only_the_expired_one_is_taken(database: Database) -> None:
    case = Case.of(database, "first_c07_slow")
    case.run(
        b"SELECT pg_temp.running(n, 'w5', 1, 4, -190 - n) FROM generate_series(1000, 1999) AS n",
        b"SELECT pg_temp.running(2000, 'w5', 1, -4, -20)",
    )
    told = case.apply("reclaim", "--state", "adoption", "--all")
    assert outcomes(told) == {"2000": "applied"}
    assert case.state("live_lease")["jobs"] == 1001


def test_c07_a_role_that_only_looks_sees_the_same_and_may_not_act(database: Database) -> None:
    case = Case.of(database, "first_c07_slow").under("aps_read")
    assert case.states(107) == ["live_lease"]
    case.run(b"SELECT pg_temp.running(1, 'w5', 1, -4)")
    assert case.states(1) == ["adoption"]
    said = case.refused("reclaim", "1")
    assert "GRANT" in said or "permission denied" in said, said
