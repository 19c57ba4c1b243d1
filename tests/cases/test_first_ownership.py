"""C02, C03, C04: two people recover one job, a displaced owner releases late, two processes have one name."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps.exits import Exit
from tests.support.cases import Case, detail, outcomes, squeezed
from tests.support.database import Database
from tests.support.queue import queue

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server


def saved(case: Case, folder: Path, *words: str) -> str:
    file = str(folder / "plan.json")
    assert case.told("reclaim", *words, "--plan-out", file).code == Exit.CLEAR
    return file


def test_c02_the_second_recoverer_is_told_who_holds_the_job_and_changes_nothing(
    database: Database, tmp_path: Path
) -> None:
    case = Case.of(database, "first_c02_two_recoverers")
    plan = saved(case, tmp_path, "102")
    assert queue(database).adopt("w9")
    before = case.image()
    told = case.apply("reclaim", "--plan", plan)
    assert (told["exit_code"], outcomes(told)) == (Exit.NOTHING_APPLIED, {"102": "changed"})
    assert "live lease now" in detail(told, 102).replace("_", " ")
    assert "worker w9, epoch 5" in detail(told, 102)
    assert told["transactions"] == []
    assert case.image() == before
    job = case.job(102)
    assert (job["state"], job["permitted"]) == ("live_lease", False)


def test_c02_of_two_persons_with_plans_of_one_moment_one_is_applied(
    database: Database, tmp_path: Path
) -> None:
    case = Case.of(database, "first_c02_two_recoverers")
    first, second = (saved(case, folder(tmp_path, name), "102") for name in "ab")
    assert case.apply("reclaim", "--plan", first)["exit_code"] == Exit.CLEAR
    told = case.apply("reclaim", "--plan", second)
    assert (told["exit_code"], outcomes(told)) == (Exit.NOTHING_APPLIED, {"102": "changed"})
    assert case.row(102) == ("ready", None, 5)
    assert case.ends(102)[-1] == (4, "abandoned")


def folder(parent: Path, name: str) -> Path:
    made = parent / name
    made.mkdir()
    return made


def test_c02_the_same_plan_twice_is_already_done_and_no_further_epoch(
    database: Database, tmp_path: Path
) -> None:
    case = Case.of(database, "first_c02_two_recoverers")
    plan = saved(case, tmp_path, "102")
    case.apply("reclaim", "--plan", plan)
    told = case.apply("reclaim", "--plan", plan)
    assert outcomes(told) == {"102": "already"}
    assert case.row(102) == ("ready", None, 5)


def test_c02_in_a_batch_of_a_thousand_only_the_raced_jobs_are_left_alone(
    database: Database, tmp_path: Path
) -> None:
    case = Case(database)
    case.run(b"SELECT pg_temp.running(n, 'w4', 1, -10 - n) FROM generate_series(1, 1000) AS n")
    plan = saved(case, tmp_path, "--state", "adoption", "--all", "--limit", "1000")
    adopted = {str(row["job_id"]) for row in (queue(database).adopt("w9"),) if row}
    told = case.apply("reclaim", "--plan", plan)
    assert told["exit_code"] == Exit.IN_PART
    changed = {job for job, outcome in outcomes(told).items() if outcome == "changed"}
    assert changed == adopted
    assert told["counts"]["applied"] == 999


def test_c03_a_late_release_is_refused_and_shown_and_the_new_owner_keeps_the_job(
    database: Database,
) -> None:
    case = Case.of(database, "first_c03_late_release")
    before = case.image("aps.job", "aps.attempt")
    late = queue(database).release(103, "w1", 1)
    assert late
    assert late["answer"] == "rejected"
    assert case.image("aps.job", "aps.attempt") == before
    job = case.job(103)
    assert (job["state"], job["overlays"]) == ("live_lease", ["rejected_result"])
    assert job["permitted"] is False
    assert job["evidence"]["rejected_result"][0]["worker"] == "w1"
    said = case.said("inspect", "103")
    assert "A write came too late and the fence refused it; nothing was overwritten." in said
    assert "2 w2" in said
    assert "1 w1" in said
    assert "superseded" in said
    assert case.told("inspect", "103").code == Exit.WARNING
    assert "the matrix permits no action on it" in case.refused("reclaim", "103")


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (
            b"state = 'ready', worker = NULL, lease_until = NULL, candidate = NULL",
            "ready with an open attempt",
        ),
        (b"worker = NULL", "running without a worker"),
        (b"lease_until = NULL", "running without a lease"),
    ],
)
def test_c03_a_lease_that_vanished_without_a_step_of_the_epoch_has_an_unfenced_writer(
    database: Database, written: bytes, fault: str
) -> None:
    # The constraints allow the first of these; they are dropped for the others.
    case = Case.of(database, "first_c03_late_release")
    case.run(
        b"ALTER TABLE aps.job DROP CONSTRAINT ownership_where_running",
        b"ALTER TABLE aps.job DROP CONSTRAINT ownership_whole",
        b"UPDATE aps.job SET " + written + b" WHERE job_id = 103",
    )
    job = case.job(103)
    assert job["state"] == "inconsistent_row"
    assert job["evidence"]["inconsistent_row"][0]["fault"] == fault
    said = case.said("inspect", "103")
    assert "Somebody wrote past the worker statements; find out who first." in said
    assert "export-dev" in said
    # It is not claimable as it stands: a third worker would start beside the second.
    assert queue(database).claim("w3") is None
    assert "never in bulk" in case.refused("reclaim", "--state", "inconsistent_row", "--all")
    assert outcomes(case.apply("reclaim", "103")) == {"103": "applied"}
    assert case.row(103) == ("ready", None, 3)
    assert case.ends(103) == [(1, "superseded"), (2, "abandoned")]
    late = queue(database).publish(103, "w2", 2)
    assert late
    assert late["answer"] == "rejected"


def test_c04_the_lease_of_the_row_decides_and_not_the_name_of_its_owner(database: Database) -> None:
    case = Case.of(database, "first_c04_owner_name")
    assert case.states(104, 1041) == ["adoption", "live_lease"]
    said = case.said("inspect", "104")
    assert "The lease ran out on the database clock" in said
    assert "worker pod-0 · epoch 7 · lease until" in said
    assert "is up" not in said
    case.apply("reclaim", "--state", "adoption", "--all", "--where", "worker=pod-0")
    assert case.row(104) == ("ready", None, 8)
    assert case.row(1041) == ("running", "pod-0", 8)
    assert "the matrix permits no action on it" in case.refused("reclaim", "1041")


def test_c04_the_new_run_of_a_name_is_not_fenced_out_and_the_old_one_is(database: Database) -> None:
    case = Case.of(database, "first_c04_owner_name")
    case.apply("reclaim", "104")
    workers = queue(database)
    claimed = workers.claim("pod-0")
    assert claimed
    assert (claimed["job_id"], claimed["epoch"]) == (104, 9)
    for epoch, answer in ((7, "rejected"), (8, "rejected"), (9, "renewed")):
        beat = workers.heartbeat(104, "pod-0", epoch)
        assert beat
        assert (beat["answer"] == "rejected") is (answer == "rejected"), beat


@pytest.mark.parametrize("other", ["pod-01", "pod", "POD-0", "pod-%"])
def test_c04_a_name_is_never_a_prefix_or_a_pattern(database: Database, other: str) -> None:
    case = Case.of(database, "first_c04_owner_name")
    told = case.told("reclaim", "--state", "adoption", "--all", "--where", f"worker={other}")
    assert told.code == Exit.NOTHING_APPLIED
    assert "104" not in squeezed(told.stdout).split("--")[0]


def test_c04_of_a_thousand_jobs_of_one_name_only_the_expired_are_taken(database: Database) -> None:
    case = Case(database)
    case.run(
        b"SELECT pg_temp.running(n, 'pod-0', 1, CASE WHEN n % 2 = 0 THEN 9 ELSE -9 END)"
        b" FROM generate_series(1, 1000) AS n"
    )
    words = ("--state", "adoption", "--all", "--where", "worker=pod-0", "--limit", "1000")
    told = case.apply("reclaim", *words)
    assert told["counts"] == {"applied": 500}
    assert {int(job) % 2 for job in outcomes(told)} == {1}
    assert case.state("live_lease")["jobs"] == 500
