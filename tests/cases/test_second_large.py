"""C31: a table too large to look at. The answer comes in bounded time, is partial, and says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.cases import Case, outcomes
from tests.support.database import Database

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server

# Seconds that one statement may take.
STATEMENT = 1.0
BRIEF = ("--timeout", f"{STATEMENT:g}s")


@pytest.fixture
def c(database: Database) -> Case:
    return Case.of(database, "second_c31_too_large_to_look_at", role="aps_read", more=BRIEF)


def test_c31_what_can_be_read_in_time_is_told_and_the_rest_is_not_called_zero(c: Case) -> None:
    told = c.look()
    assert told["exit_code"] == 12
    states = {one["state"]: one for one in told["states"]}
    slow = states["live_lease"]
    assert (slow["verdict"], slow["jobs"]) == ("undetermined", None)
    assert "its share of --timeout: it may lack an index" in slow["error"]
    assert (
        states["confirmed_publication"]["verdict"],
        states["confirmed_publication"]["jobs"],
    ) == (
        "found",
        1,
    )
    assert states["unclassified"]["verdict"] == "undetermined"


def test_c31_the_screen_says_that_it_is_partial(c: Case) -> None:
    said = c.said("inspect")
    assert "a partial answer: " in said
    assert "could not be read: " in said
    assert "live lease" in said.partition("could not be read: ")[2]


def test_c31_a_named_job_is_told_whole(c: Case) -> None:
    # One job costs one scan a state, which fits.
    told = c.look(310001, 310600)
    assert [job["state"] for job in told["jobs"]] == ["adoption", "live_lease"]


def test_c31_a_bulk_plan_acts_on_nothing_that_it_could_not_judge(c: Case) -> None:
    said = c.under("aps_operate").refused("reclaim", "--all", "--state", "adoption")
    # Whether the list or the judgement of the jobs was what took too long, no job is acted upon.
    assert "statement timeout" in said


def test_c31_with_its_index_the_same_table_is_read_whole(c: Case) -> None:
    c.run(b"CREATE INDEX ON aps.attempt (job_id, epoch)", b"ANALYZE aps.attempt")
    told = c.look()
    assert {one["verdict"] for one in told["states"]} == {"found", "clear", "not_looked"}
    counts = {one["state"]: one["jobs"] for one in told["states"] if one["jobs"]}
    assert counts["adoption"] == 100
    assert counts["live_lease"] == 500
    done = c.under("aps_operate").apply("reclaim", "--all", "--state", "adoption")
    assert set(outcomes(done).values()) == {"applied"}


def test_c31_without_an_index_on_the_state_the_answer_is_whole_as_long_as_there_is_time(
    c: Case,
) -> None:
    c.run(
        b"CREATE INDEX ON aps.attempt (job_id, epoch)",
        b"DROP INDEX aps.job_unfinished, aps.job_materializing, aps.job_ready, aps.job_running, aps.job_finished",
        b"SET session_replication_role = replica",
        b"INSERT INTO aps.job (job_id, request_key, kind, state, epoch, reason, finished_at)"
        b" OVERRIDING SYSTEM VALUE SELECT 900000 + n, 'old ' || n, 'render', 'failed', 1, 'x', now() - interval '9 d'"
        b" FROM generate_series(1, 50000) AS n",
        b"ANALYZE",
    )
    whole = replace(c, more=())
    counts = {one["state"]: one["jobs"] for one in whole.look()["states"] if one["jobs"]}
    assert counts == {"adoption": 100, "live_lease": 500, "ready": 5, "confirmed_publication": 1}
    hurried = replace(c, more=("--timeout", "1ms"))
    said = hurried.told("inspect")
    assert said.code in (12, 31)
    assert "clear: all" not in said.stdout


def test_c31_a_look_holds_nothing_back_for_longer_than_its_statements(c: Case) -> None:
    """No snapshot stays open behind a look that was cut off: vacuum would wait for it."""
    c.look()
    assert c.database.execute(
        b"SELECT count(*) FROM pg_stat_activity"
        b" WHERE application_name LIKE 'aps/%' AND datname = current_database()"
    ) == [(0,)]
