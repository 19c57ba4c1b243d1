"""C29, C30 and C32: one cause behind many jobs, thousands of jobs, and a first page with nothing to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import tenants
from tests.support.cases import Case, counts, outcomes
from tests.support.database import Database

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server


@pytest.fixture
def c29(database: Database, tmp_path: Path) -> Case:
    folder = tmp_path / "tenants"
    folder.mkdir()
    return Case.of(database, "second_c29_one_dead_holder", pack=tenants.pack(folder))


def states(c: Case) -> dict[str, int]:
    return counts(c.look()["states"])


def test_c29_the_one_blocker_is_named_once_as_the_cause(c29: Case) -> None:
    said = c29.said("inspect")
    line = "cause: 2900 stands in the way of 40 of 42 ready: act on that one alone, then look again"
    assert said.count(line) == 1
    assert said.count("2900") == said.count("inspect 2900") + said.count("reclaim 2900") + 2
    told = c29.look()
    assert told["causes"][0] == {
        "state": "ready",
        "what": "blocked_by",
        "value": "2900",
        "jobs": 40,
        "among": 42,
    }
    assert told["exit_code"] == 10


def test_c29_a_ready_job_says_what_it_waits_for_and_is_not_touched(c29: Case) -> None:
    job = c29.job(2901)
    assert (job["state"], job["permitted"]) == ("ready", False)
    assert job["evidence"]["ready"][0]["blocked_by"] == "2900"
    c29.refused("reclaim", "2901", "2940")


def test_c29_acting_on_the_blocker_alone_frees_the_forty(c29: Case) -> None:
    done = c29.apply("reclaim", "2900")
    assert outcomes(done) == {"2900": "applied"}
    assert states(c29) == {"ready": 43, "live_lease": 1}
    causes = c29.look()["causes"]
    assert [(one["what"], one["value"], one["jobs"]) for one in causes] == [
        ("blocked_by", "2950", 1)
    ]


def test_c29_two_blockers_are_told_apart_and_the_greater_first(c29: Case) -> None:
    c29.run(
        b"INSERT INTO public.tenant_job"
        b" VALUES (3000, 'running', 'tenant-2', 'w-dead', 1, pg_temp.at(-5), pg_temp.at(-9))"
    )
    causes = [one for one in c29.look()["causes"] if one["what"] == "blocked_by"]
    assert [(one["value"], one["jobs"]) for one in causes] == [
        ("2900", 40),
        ("2950", 1),
        ("3000", 1),
    ]


def test_c29_a_session_that_holds_forty_ready_rows_is_named_once(database: Database) -> None:
    c = Case.of(database)
    c.run(b"SELECT pg_temp.ready(n) FROM generate_series(2901, 2940) AS n")
    idle = database.connect("postgres", autocommit=False)
    idle.execute(b"SET application_name = 'batch-fix'")
    idle.execute(b"SELECT FROM aps.job FOR UPDATE")
    said = c.said("inspect")
    pid = idle.info.backend_pid
    assert (
        said.count(f"cause: pid {pid} (batch-fix, postgres) holds them, idle in transaction") == 1
    )
    assert "40 of 40 ready" in said
    assert c.under("aps_read").said("inspect").count(f"cause: pid {pid}") == 1
    idle.rollback()
    assert c.look()["causes"] == []


def test_c29_two_sessions_share_forty_rows_and_both_are_named(database: Database) -> None:
    c = Case.of(database)
    c.run(b"SELECT pg_temp.ready(n) FROM generate_series(2901, 2940) AS n")
    both = [database.connect("postgres", autocommit=False) for _ in range(2)]
    for one in both:
        one.execute(b"SELECT FROM aps.job FOR SHARE")
    held = [cause for cause in c.look()["causes"] if cause["what"] == "locked"]
    # A row held by a group has a group's number: `locked` does not see it, and nothing untrue is told.
    assert held == []
    for one in both:
        one.rollback()
    one = both[0]
    one.execute(b"SELECT FROM aps.job WHERE job_id <= 2930 FOR UPDATE")
    both[1].execute(b"SELECT FROM aps.job WHERE job_id > 2930 FOR UPDATE")
    held = [cause for cause in c.look()["causes"] if cause["what"] == "locked"]
    assert [cause["jobs"] for cause in held] == [30, 10]


def test_c30_a_plan_takes_the_oldest_hundred_and_says_of_how_many(database: Database) -> None:
    c = Case.of(database, "second_c30_mass_expiry")
    plan = json.loads(c.told("reclaim", "--all", "--state", "adoption", "--format", "json").stdout)
    assert (plan["found"], len(plan["jobs"])) == (5000, 100)
    oldest = database.execute(
        b"SELECT job_id::text FROM aps.job ORDER BY lease_until, job_id LIMIT 100"
    )
    assert [job["job"] for job in plan["jobs"]] == [row[0] for row in oldest]
    assert "100 of 5000 jobs" in c.said("reclaim", "--all", "--state", "adoption")
    # Seven workers, 42 kinds, 15 hours: nothing that most of them share, and so nothing is told.
    assert plan["causes"] == []


def test_c30_the_one_thing_that_they_share_is_told_as_their_cause(database: Database) -> None:
    c = Case.of(database, "second_c30_mass_expiry")
    c.run(
        b"SET session_replication_role = replica",
        b"UPDATE aps.attempt SET worker = 'w3'",
        b"UPDATE aps.job SET worker = 'w3', lease_until = date_trunc('minute', now()) - interval '16 h'"
        b" + job_id % 50 * interval '1 s' WHERE job_id > 30020",
        b"UPDATE aps.job SET worker = 'w3' WHERE job_id <= 30020",
    )
    said = c.said("inspect")
    assert said.count("in common: adoption: worker w3 (all 5000), since 20") == 1
    assert "Z (4980 of 5000)" in said
    assert "in common: worker w3 (all 5000)" in c.said("reclaim", "--all", "--state", "adoption")


def test_c30_one_after_another_the_hundreds_are_taken_and_nothing_twice(database: Database) -> None:
    c = Case.of(database, "second_c30_mass_expiry")
    first = c.apply("reclaim", "--all", "--state", "adoption")
    second = c.apply("reclaim", "--all", "--state", "adoption")
    assert first["counts"] == second["counts"] == {"applied": 100}
    assert not set(outcomes(first)) & set(outcomes(second))
    assert states(c) == {"adoption": 4800, "ready": 200}


def test_c30_an_apply_of_all_that_stopped_goes_on_from_its_plan(
    database: Database, tmp_path: Path
) -> None:
    c = Case.of(database, "second_c30_mass_expiry")
    plan = str(tmp_path / "plan.json")
    c.told("reclaim", "--all", "--state", "adoption", "--limit", "5000", "--plan-out", plan)
    # A batch whose criterion is violated ends the operation; those before it stand.
    c.run(
        b"CREATE FUNCTION public.stop() RETURNS trigger LANGUAGE plpgsql AS"
        b" $$BEGIN NEW.worker := 'x'; NEW.lease_until := now(); NEW.candidate := NEW.job_id || '/2-x';"
        b" NEW.state := 'running'; RETURN NEW; END$$",
        b"CREATE TRIGGER stop BEFORE UPDATE ON aps.job FOR EACH ROW"
        b" WHEN (OLD.lease_until > now() - interval '6 min 30 s') EXECUTE FUNCTION public.stop()",
    )
    stopped = c.apply("reclaim", "--plan", plan)
    assert stopped["exit_code"] == 23
    assert stopped["counts"]["applied"] == 4000
    c.run(b"DROP TRIGGER stop ON aps.job")
    again = c.apply("reclaim", "--plan", plan)
    assert again["counts"] == {"applied": 1000, "already": 4000}
    assert states(c) == {"ready": 5000}


def test_c30_more_than_the_matrix_lets_one_operation_take_is_refused(database: Database) -> None:
    c = Case.of(database, "second_c30_mass_expiry")
    assert "--limit 5001: the matrix lets one operation take 5000 of adoption" in c.refused(
        "reclaim", "--all", "--state", "adoption", "--limit", "5001"
    )


def test_c30_narrowed_to_one_kind_only_that_kind_is_taken(database: Database) -> None:
    c = Case.of(database, "second_c30_mass_expiry")
    done = c.apply(
        "reclaim", "--all", "--state", "adoption", "--where", "kind=k7", "--limit", "500"
    )
    assert done["counts"] == {"applied": 119}
    assert database.execute(b"SELECT DISTINCT kind FROM aps.job WHERE state = 'ready'") == [("k7",)]
