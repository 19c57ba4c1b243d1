"""C08, C09, C10, C11: a flapping lease, a lease without progress, a job that kills its workers, an attempt limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps.exits import Exit
from tests.support import packs
from tests.support.artifacts import Artifacts
from tests.support.cases import Case, detail, outcomes
from tests.support.database import Database

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server


def test_c08_a_flapping_lease_is_named_with_what_will_help(database: Database) -> None:
    # The case calls it adoptable; three lost workers make it poisoned here (DESIGN 2). The warning lies over it.
    case = Case.of(database, "first_c08_flapping")
    job = case.job(108)
    assert job["state"] == "poisoned"
    assert set(job["overlays"]) == {"lease_flapping", "repeat_abandonment", "rejected_result"}
    (flapping,) = job["evidence"]["lease_flapping"]
    assert (flapping["lost"], flapping["workers"], flapping["refused_later"]) == ("8", "3", "2")
    said = case.said("inspect", "108")
    assert "Reclaiming will not help. Wait a whole lease" in said
    assert "export-dev" in said
    assert case.told("inspect", "108").code == Exit.CRITICAL
    preview = case.said("reclaim", "108")
    assert "lease flapping: job 108." in preview


def test_c08_the_reclaim_fails_the_job_and_does_not_feed_the_loop(database: Database) -> None:
    case = Case.of(database, "first_c08_flapping")
    assert case.refused("reclaim", "--state", "adoption", "--all")
    told = case.apply("reclaim", "108")
    assert outcomes(told) == {"108": "applied"}
    assert case.row(108) == ("failed", None, 10)
    assert case.ends(108)[-1] == (9, "abandoned")


def test_c08_whole_files_of_the_earlier_attempts_are_shown_and_kept(
    database: Database, tmp_path: Path
) -> None:
    held = Artifacts.bound(database, tmp_path / "store")
    case = Case.of(database, "first_c08_flapping")
    files = [held.write(f"108/{n}-{n:012x}") for n in (7, 8, 9)]
    (job,) = held.report(108).jobs
    assert {"lease_flapping", "unconfirmed_result", "orphan_candidate"} <= set(job.overlays)
    orphans = job.evidence["orphan_candidate"]
    assert len({row["observed_digest"] for row in orphans}) == 1
    assert len(orphans) == 2
    case.apply("reclaim", "108")
    assert all(file.exists() for file in files)


@pytest.mark.parametrize(
    ("change", "flaps"),
    [
        (b"", True),
        (b"UPDATE aps.attempt SET ended_as = 'failed' WHERE epoch = 4", False),
        (b"UPDATE aps.attempt SET ended_as = 'released' WHERE epoch <= 5", False),
        (b"UPDATE aps.attempt SET ended_as = 'released' WHERE epoch <= 4", True),
        (b"UPDATE aps.attempt SET ended_at = ended_at - interval '10 h' WHERE epoch < 9", False),
    ],
    ids=["as it is", "one failed in words", "three are lost", "four are lost", "long ago"],
)
def test_c08_a_lease_flaps_where_enough_was_lost_lately_and_nothing_failed(
    database: Database, change: bytes, flaps: bool
) -> None:
    case = Case.of(database, "first_c08_flapping")
    case.run(*([change] if change else []))
    assert ("lease_flapping" in case.job(108)["overlays"]) is flaps


def test_c08_of_a_thousand_jobs_the_flapping_ones_are_counted(database: Database) -> None:
    case = Case.of(database, "first_c08_flapping")
    case.run(
        b"SELECT pg_temp.running(n, 'w6', 9, 5) FROM generate_series(1001, 2000) AS n",
        b"SELECT pg_temp.attempt(n, e, 'w1', -20, -10 + e, 'superseded')"
        b" FROM generate_series(1001, 2000) AS n, generate_series(1, CASE n % 2 WHEN 0 THEN 4 ELSE 3 END) AS e",
    )
    assert case.state("lease_flapping")["jobs"] == 501


def test_c09_a_lease_without_progress_is_shown_apart_and_never_reclaimed(
    database: Database,
) -> None:
    case = Case.of(database, "first_c09_no_progress")
    job = case.job(109)
    assert (job["state"], job["overlays"], job["permitted"]) == (
        "live_lease",
        ["no_progress"],
        False,
    )
    assert case.told("inspect", "109").code == Exit.WARNING
    said = case.said("inspect", "109")
    assert "no progress was reported for longer than the parameter allows." in said
    assert "To end it, stop the process, then wait for the lease to run out." in said
    assert case.state("no_progress")["oldest_seconds"] > 418 * 60
    assert "the matrix permits no action on it" in case.refused("reclaim", "109")


def test_c09_when_the_lease_has_run_out_it_may_be_reclaimed(database: Database) -> None:
    case = Case.of(database, "first_c09_no_progress")
    case.run(b"UPDATE aps.job SET lease_until = pg_temp.at(0)")
    job = case.job(109)
    assert (job["state"], job["overlays"]) == ("adoption", [])
    assert outcomes(case.apply("reclaim", "109")) == {"109": "applied"}


@pytest.mark.parametrize(
    ("updated", "shown"),
    [(b"-59", False), (b"-60", True), (b"-52560000", True), (b"5", False)],
    ids=["within", "equal", "far past", "in the future"],
)
def test_c09_the_parameter_is_the_bound(database: Database, updated: bytes, shown: bool) -> None:
    case = Case(database)
    case.run(b"SELECT pg_temp.running(109, 'w7', 2, 3, -420, " + updated + b")")
    assert ("no_progress" in case.job(109)["overlays"]) is shown


def test_c10_a_job_that_lost_many_workers_is_never_requeued(database: Database) -> None:
    case = Case.of(database, "first_c10_poison")
    job = case.job(110)
    (evidence,) = job["evidence"]["poisoned"]
    assert job["state"] == "poisoned"
    assert (evidence["epoch"], evidence["abandoned"], evidence["workers"]) == ("54", "54", "8")
    said = case.told("inspect", "110")
    assert said.code == Exit.CRITICAL
    assert "requeue it once more; raise the limit to make it disappear" in said.stdout
    assert "export-dev" in said.stdout
    case.refused("reclaim", "--state", "adoption", "--all")
    told = case.apply("reclaim", "110")
    assert (told["exit_code"], outcomes(told)) == (Exit.CLEAR, {"110": "applied"})
    assert case.row(110) == ("failed", None, 55)
    reason = database.execute(b"SELECT reason FROM aps.job WHERE job_id = 110")
    assert reason == [("a case",)]
    assert case.ends(110)[-1] == (54, "abandoned")


@pytest.mark.parametrize(
    ("limit", "state"), [("1", "poisoned"), ("54", "poisoned"), ("55", "adoption")]
)
def test_c10_the_limit_counts_the_loss_in_hand_and_equality_is_enough(
    database: Database, limit: str, state: str
) -> None:
    case = Case.of(database, "first_c10_poison")
    assert case.json("inspect", "110", "--set", f"abandon_limit={limit}")["jobs"][0]["state"] == (
        state
    )


@pytest.mark.parametrize("limit", ["0", "-1", "", "NULL"])
def test_c10_a_limit_that_means_nothing_is_refused(database: Database, limit: str) -> None:
    case = Case.of(database, "first_c10_poison")
    said = case.told("inspect", "110", "--set", f"abandon_limit={limit}")
    assert said.code == Exit.USAGE, said


def test_c10_two_poisoned_in_a_batch_of_a_thousand_are_not_requeued_with_it(
    database: Database,
) -> None:
    case = Case.of(database, "first_c10_poison")
    case.run(
        b"SELECT pg_temp.running(n, 'w1', 3, -9) FROM generate_series(1001, 2000) AS n",
        b"SELECT pg_temp.attempt(n, e, 'w' || e, -50, -40, 'abandoned')"
        b" FROM generate_series(1500, 1501) AS n, generate_series(1, 2) AS e",
    )
    told = case.apply("reclaim", "--state", "adoption", "--all", "--limit", "1000")
    assert told["counts"] == {"applied": 998}
    assert not {"1500", "1501", "110"} & set(outcomes(told))
    assert case.state("poisoned")["jobs"] == 3


TASKS = {
    "matrix.yaml": """\
matrix: 1
system: tasks
table: task
key: id
fencing: none
owner: {team: task-oncall}
states:
  ready: {means: anybody may take it, action: none}
  live_lease: {means: somebody has it, action: none}
  adoption:
    means: its lease is over
    severity: {warning: 1}
    action: {run: reclaim, attest: all-workers-stopped, effect: ready with one attempt more}
    rollback: {criterion: another row changes, irreversible: the attempt is counted}
absent:
  unconfirmed_materialization: there are no inputs
  orphan_candidate: there are no files
  confirmed_publication: what is done is deleted
  missing_artifact: there are no files
""",
    "queries/population.sql": "-- All.\nSELECT id FROM task\n",
    "queries/ready.sql": "-- Ready.\nSELECT id FROM task WHERE state = 'ready'\n",
    "queries/live_lease.sql": (
        "-- Live.\nSELECT id FROM task WHERE state = 'running' AND lease_until > %(clock)s\n"
    ),
    "queries/adoption.sql": (
        "-- Over. NULL is no limit, 0 means that none is allowed.\n"
        "SELECT id, lease_until AS since, CASE WHEN attempts >= max_attempts THEN\n"
        "  'it would be unclaimable: ' || attempts || ' of ' || max_attempts || ' attempts' END AS refusal,\n"
        "  attempts, max_attempts FROM task WHERE state = 'running' AND lease_until <= %(clock)s\n"
    ),
    "queries/adoption.reclaim.sql": (
        "-- Returns id.\nUPDATE task SET state = 'ready', attempts = attempts + 1, lease_until = NULL\n"
        " WHERE id = ANY (%(id)s::bigint[]) RETURNING id\n"
    ),
}
STOPPED = ("--attest", "all-workers-stopped")
UNHEEDED = {
    "CASE WHEN attempts >= max_attempts THEN": "CASE WHEN false THEN",
}


def tasks(database: Database, folder: Path, *, heeds: bool = True) -> Case:
    """The queue with an attempt limit; with a pack whose evidence heeds it, or not."""
    files = dict(TASKS)
    for old, new in {} if heeds else UNHEEDED.items():
        files["queries/adoption.sql"] = files["queries/adoption.sql"].replace(old, new)
    packs.made(folder, files)
    return Case.of(database, "first_c11_attempt_limit", pack=str(folder))


def test_c11_a_requeue_that_would_be_unclaimable_is_refused_and_the_others_proceed(
    database: Database, tmp_path: Path
) -> None:
    # The reference queue counts abandonments, not attempts: shown on a queue that has such a column.
    case = tasks(database, tmp_path)
    said = case.refused("reclaim", "111", *STOPPED)
    assert "it would be unclaimable: 5 of 5 attempts" in said
    assert case.job(111)["refusal"] == "it would be unclaimable: 5 of 5 attempts"
    assert case.job(1113)["refusal"] == "it would be unclaimable: 0 of 0 attempts"
    told = case.apply("reclaim", "--state", "adoption", "--all", *STOPPED)
    applied = {job for job, outcome in outcomes(told).items() if outcome == "applied"}
    assert applied == {"1111", "1112"}


def test_c11_a_constraint_that_nobody_thought_of_blocks_its_row_alone(
    database: Database, tmp_path: Path
) -> None:
    case = tasks(database, tmp_path, heeds=False)
    told = case.apply("reclaim", "111", "1111", "1112", "1113", *STOPPED)
    assert outcomes(told) == {
        "111": "blocked",
        "1111": "applied",
        "1112": "applied",
        "1113": "blocked",
    }
    assert "attempts_within_limit" in detail(told, 111)
    assert told["exit_code"] == Exit.IN_PART


def test_c11_in_a_batch_of_a_thousand_the_limit_stops_only_its_own_rows(
    database: Database, tmp_path: Path
) -> None:
    case = tasks(database, tmp_path, heeds=False)
    case.run(
        b"INSERT INTO task SELECT n, 'running', n % 100, 98, pg_temp.at(-6)"
        b" FROM generate_series(2001, 3000) AS n WHERE n % 100 <= 98"
    )
    told = case.apply("reclaim", "--state", "adoption", "--all", "--limit", "1000", *STOPPED)
    assert told["counts"] == {"applied": 982, "blocked": 12}
