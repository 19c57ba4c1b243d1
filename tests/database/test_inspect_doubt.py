"""A job whose state is in doubt: two claim it, none does, or a query could not run. Nothing is ever done to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aps.exits import Exit
from tests.support import cli, trouble
from tests.support.database import Database

READY = "SELECT job_id, ready_at AS since FROM aps.job WHERE state = 'ready'"
OVERLAPPING = "SELECT job_id, created_at AS since FROM aps.job WHERE state IN ('ready', 'running')"
NO_COLUMN = "SELECT job_id, no_such_column FROM aps.job WHERE state = 'ready'"
DIVIDES = "SELECT job_id, 1 / (epoch - epoch) AS ratio FROM aps.job WHERE state = 'ready'"
COMPARES = "SELECT job_id FROM aps.job WHERE state = 'ready' AND 1 / (epoch - epoch) > 0"
SLEEPS = "SELECT job_id FROM aps.job WHERE state = 'ready' AND pg_sleep(600) IS NULL"
UNCOUNTABLE = {
    "missing column": (NO_COLUMN, "no_such_column"),
    "the condition divides by zero": (COMPARES, "division by zero"),
    "too slow": (SLEEPS, "statement timeout"),
}
# The rows of this one can be counted; what cannot be told is the evidence of each.
FAILING = UNCOUNTABLE | {"one row divides by zero": (DIVIDES, "division by zero")}


def inspect(database: Database, pack: str, *words: str) -> tuple[int, dict[str, Any]]:
    dsn = database.dsn("aps_read")
    said = cli.call(
        *("inspect", *words, "--pack", pack, "--dsn", dsn, "--format", "json"),
        *("--timeout", "200ms"),
    )
    assert said.stderr == "", said
    return said.code, json.loads(said.stdout)


def state(report: dict[str, Any], name: str) -> dict[str, Any]:
    return next(found for found in report["states"] if found["state"] == name)


def nothing_is_done(database: Database, pack: str, job: str, words: str) -> None:
    """A preview offers nothing (20), an apply is refused (25), and the row stays as it is."""
    image = b"SELECT row_to_json(j)::text, xmin::text FROM aps.job j WHERE job_id = %s"
    before = database.execute(image, [job])
    here = ("--pack", pack, "--dsn", database.dsn(), "--timeout", "200ms")
    preview = cli.call("reclaim", job, *here)
    assert preview.code == Exit.NOTHING_APPLIED, preview
    assert words in " ".join(preview.stdout.split())
    applied = cli.call("reclaim", job, *here, "--yes", "--reason", "test")
    assert applied.code == Exit.REFUSED, applied
    assert database.execute(image, [job]) == before
    assert database.execute(b"SELECT count(*) FROM aps_journal.batch") == [(0,)]


def test_two_states_that_claim_one_job_are_a_conflict(database: Database, tmp_path: Path) -> None:
    pack = trouble.pack(tmp_path, {"live_lease": OVERLAPPING})
    other, job = trouble.leased(database), trouble.ready(database)
    code, report = inspect(database, pack)
    assert code == Exit.UNDETERMINED
    assert (state(report, "conflict")["jobs"], state(report, "conflict")["worst"]) == (1, job)
    code, report = inspect(database, pack, job, other)
    assert code == Exit.UNDETERMINED
    assert [one["state"] for one in report["jobs"]] == ["conflict", "live_lease"]
    assert sorted(report["jobs"][0]["evidence"]) == ["live_lease", "ready"]
    nothing_is_done(database, pack, job, "ready and live_lease both claim this job")


def test_a_job_that_no_state_claims_is_unclassified(database: Database) -> None:
    job = trouble.paused(database)
    code, report = inspect(database, "aps")
    assert code == Exit.UNDETERMINED
    assert (state(report, "unclassified")["jobs"], report["jobs"][0]["job"]) == (1, job)
    code, report = inspect(database, "aps", job)
    assert (code, report["jobs"][0]["state"]) == (Exit.UNDETERMINED, "unclassified")
    nothing_is_done(database, "aps", job, "no state of the matrix claims this job")


@pytest.mark.parametrize(("query", "why"), UNCOUNTABLE.values(), ids=UNCOUNTABLE)
def test_a_state_whose_query_fails_is_undetermined_and_the_others_are_told(
    database: Database, tmp_path: Path, query: str, why: str
) -> None:
    pack = trouble.pack(tmp_path, {"ready": query})
    trouble.ready(database)
    trouble.abandoned(database, "a")
    trouble.ready(database, "r2")
    code, report = inspect(database, pack)
    assert code == report["exit_code"] == Exit.UNDETERMINED
    assert state(report, "adoption")["jobs"] == 1
    failed = state(report, "ready")
    assert (failed["verdict"], failed["jobs"]) == ("undetermined", None)
    assert why in failed["error"]
    assert state(report, "unclassified")["verdict"] == "undetermined"


@pytest.mark.parametrize(("query", "why"), FAILING.values(), ids=FAILING)
def test_a_job_is_undetermined_while_a_lifecycle_query_fails(
    database: Database, tmp_path: Path, query: str, why: str
) -> None:
    pack = trouble.pack(tmp_path, {"ready": query})
    job = trouble.ready(database)
    code, report = inspect(database, pack, job)
    assert (code, report["jobs"][0]["state"]) == (Exit.UNDETERMINED, "undetermined")
    assert why in report["jobs"][0]["refusal"]
    nothing_is_done(database, pack, job, "not every state could be read")


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("SELECT job_id, nothing FROM aps.job", "nothing"),
        ("SELECT job_id / 0 AS job_id FROM aps.job", "division by zero"),
        ("SELECT job_id FROM aps.job WHERE pg_sleep(600) IS NULL", "statement timeout"),
    ],
)
def test_without_the_population_nobody_says_that_every_job_is_claimed(
    database: Database, tmp_path: Path, query: str, why: str
) -> None:
    pack = trouble.pack(tmp_path, {"population": query})
    trouble.paused(database)
    trouble.abandoned(database)
    code, report = inspect(database, pack)
    assert code == Exit.UNDETERMINED
    assert state(report, "unclassified")["verdict"] == "undetermined"
    assert state(report, "unclassified")["jobs"] is None
    assert why in state(report, "unclassified")["error"]
    assert state(report, "conflict")["verdict"] == "clear"
    assert state(report, "adoption")["jobs"] == 1


def test_states_that_can_only_be_read_apart_are_counted_and_the_doubts_stay_open(
    database: Database, tmp_path: Path
) -> None:
    sleeping = "SELECT job_id FROM aps.job WHERE state = '{}' AND pg_sleep(0.12) IS NOT NULL"
    pack = trouble.pack(
        tmp_path,
        {"ready": READY + " AND pg_sleep(0.12) IS NOT NULL", "failed": sleeping.format("ready")},
    )
    trouble.ready(database)
    code, report = inspect(database, pack)
    assert code == Exit.UNDETERMINED
    assert (state(report, "ready")["jobs"], state(report, "failed")["jobs"]) == (1, 1)
    for doubt in ("conflict", "unclassified"):
        assert state(report, doubt)["verdict"] == "undetermined"
        assert "could not be read together" in state(report, doubt)["error"]


@pytest.mark.parametrize("narrowed", [(), ("--where", "ratio=1")], ids=["listed", "narrowed"])
def test_a_state_whose_evidence_fails_is_undetermined_where_it_is_listed(
    database: Database, tmp_path: Path, narrowed: tuple[str, ...]
) -> None:
    pack = trouble.pack(tmp_path, {"ready": DIVIDES})
    job = trouble.ready(database)
    code, report = inspect(database, pack, "--state", "ready", *narrowed)
    assert code == Exit.UNDETERMINED
    assert [one["state"] for one in report["jobs"]] == ([] if narrowed else ["undetermined"])
    assert [one["job"] for one in report["jobs"]] == ([] if narrowed else [job])
    assert "division by zero" in state(report, "ready")["error"]


def test_jobs_without_an_age_are_listed_in_the_order_of_their_keys(
    database: Database, tmp_path: Path
) -> None:
    pack = trouble.pack(tmp_path, {"ready": "SELECT job_id FROM aps.job WHERE state = 'ready'"})
    jobs = [trouble.ready(database, key) for key in "abc"]
    _, report = inspect(database, pack, "--state", "ready")
    assert [one["job"] for one in report["jobs"]] == jobs
    assert {one["age_seconds"] for one in report["jobs"]} == {None}


def test_a_locked_table_is_told_with_its_holder_and_waited_for_once(database: Database) -> None:
    trouble.abandoned(database)
    holder = database.connect("postgres", autocommit=False)
    holder.execute("LOCK TABLE aps.attempt IN ACCESS EXCLUSIVE MODE")
    said = cli.call("inspect", "--dsn", database.dsn(), "--timeout", "1s", "--format", "json")
    states = {state["state"]: state for state in json.loads(said.stdout)["states"]}
    assert said.code == Exit.UNDETERMINED
    assert f"pid {holder.info.backend_pid} " in states["adoption"]["error"]
    assert "aps.attempt" in states["adoption"]["error"]
    # The one wait is over: the others are not waited for (1 ms), and what is free is read.
    assert states["withdrawn"]["verdict"] == "clear"
    assert states["adoption"]["jobs"] is None
