"""C35: a counter at its end. The row is refused, the others go on, and nothing wraps or starts anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import agents, tenants
from tests.support.cases import Case, detail, outcomes
from tests.support.database import Database
from tests.support.queue import queue
from tests.support.shipped import Look, install
from tests.support.standby import Standby

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server

TOP = 9223372036854775807
WHY = "the epoch is at the end of its range"


@pytest.fixture
def c(database: Database) -> Case:
    return Case.of(database, "second_c35_counter_at_its_end")


def test_c35_the_row_is_refused_and_says_why(c: Case) -> None:
    told = c.look(135)
    (job,) = told["jobs"]
    assert (job["state"], job["permitted"], job["refusal"]) == ("adoption", False, WHY)
    assert told["exit_code"] == 10
    # 2^53 is passed: as a number of JSON it would come back as another.
    assert job["evidence"]["adoption"][0]["epoch"] == str(TOP)
    assert f"nothing: {WHY}" in c.said("inspect", "135")
    assert WHY in c.refused("reclaim", "135")


def test_c35_the_others_of_the_batch_go_on(c: Case) -> None:
    done = c.apply("reclaim", "--all", "--state", "adoption")
    assert outcomes(done) == {"1351": "applied"}
    assert c.row(1351) == ("ready", None, TOP)
    assert c.row(135) == ("running", "w1", TOP)
    # One operation does one action, and these two would need two.
    assert c.told("reclaim", "135", "1352").code == 2


def test_c35_a_poisoned_job_at_the_top_is_refused_too_and_a_live_one_lives(c: Case) -> None:
    assert c.states(1352, 1355) == ["poisoned", "live_lease"]
    assert c.job(1352)["refusal"] == WHY


def test_c35_a_ready_job_at_the_top_does_not_stop_the_queue(c: Case) -> None:
    """It is the oldest: every claim would fail on it, and no worker would ever get another."""
    worker = queue(c.database)
    claimed = worker.claim("w2")
    assert claimed
    assert claimed["job_id"] == 1354
    assert worker.claim("w2") is None
    job = c.job(1353)
    assert (job["state"], job["permitted"], job["refusal"]) == ("inconsistent_row", False, WHY)
    (row,) = job["evidence"]["inconsistent_row"]
    assert row["fault"] == "ready at an epoch that cannot rise: no worker can claim it"


def test_c35_nor_does_an_overdue_one_stop_adoption(c: Case) -> None:
    worker = queue(c.database)
    adopted = worker.adopt("w2")
    assert adopted
    assert (adopted["job_id"], adopted["epoch"]) == (1351, TOP)
    assert worker.adopt("w2") is None


def test_c35_a_thousand_with_one_at_the_top_all_but_that_one(c: Case) -> None:
    c.run(b"SELECT pg_temp.running(n, 'w1', 1, -5) FROM generate_series(50001, 51000) AS n")
    done = c.apply("reclaim", "--all", "--state", "adoption", "--limit", "5000")
    assert done["counts"] == {"applied": 1001}
    assert c.row(135)[2] == TOP


def test_c35_a_smaller_counter_fails_its_own_row_alone(database: Database, tmp_path: Path) -> None:
    """A queue with a smallint and a pack that does not think of it."""
    folder = tmp_path / "small"
    folder.mkdir()
    pack = tenants.pack(folder)
    c = Case.of(database, "second_c29_one_dead_holder", pack=pack)
    c.run(
        b"ALTER TABLE public.tenant_job ALTER epoch TYPE smallint",
        b"INSERT INTO public.tenant_job VALUES (1, 'running', 'a', 'w', 32767, pg_temp.at(-5), pg_temp.at(-9))",
    )
    done = c.apply("reclaim", "1", "2900")
    assert outcomes(done) == {"1": "failed", "2900": "applied"}
    assert "smallint out of range (22003)" in detail(done, 1)
    assert done["exit_code"] == 27


def test_c35_a_request_at_the_top_is_refused_by_its_statement_and_not_an_error(
    database: Database,
) -> None:
    install(database, agents.PACK)
    owner = agents.owned(database)
    database.execute(
        b"SET session_replication_role = replica; UPDATE agent_step SET version = 9223372036854775807"
    )
    agents.overdue(database)
    answer = owner.acquire()
    assert (answer["answer"], answer["version"]) == ("refused", TOP)
    job = Look(database, agents.PACK).job("r-1/2")
    assert job["permitted"] is False
    assert "the version is at the end of its range" in str(job["refusal"])


def test_c35_on_a_standby_the_number_is_whole_and_nothing_is_done(
    c: Case, standby: Standby
) -> None:
    with standby.of(c.database) as there:
        here = Case(there, role="aps_read")
        job = here.job(1353)
        assert job["state"] == "undetermined"
        assert job["evidence"]["inconsistent_row"][0]["epoch"] == str(TOP)
