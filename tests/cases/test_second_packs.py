"""The kinds of the second half on the packs `articles` and `agent-requests`, and in bulk on a standby."""

from __future__ import annotations

import pytest

from tests.support import agents
from tests.support.cases import Case, counts, outcomes
from tests.support.database import Database
from tests.support.shipped import install
from tests.support.standby import Standby

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server

ATTEST = ("--attest", "all-workers-stopped")


@pytest.fixture
def articles(database: Database) -> Case:
    install(database, "articles")
    database.execute(
        b"INSERT INTO article_claim_demo (id, title, state)"
        b" SELECT n, 'title ' || n, CASE WHEN n <= 40 THEN 'ready' ELSE 'processing' END"
        b" FROM generate_series(1, 45) AS n"
    )
    return Case(database, pack="articles")


@pytest.fixture
def requests(database: Database) -> Case:
    """120 steps of one case whose owner's time ran out, one that is owned, two whose write elsewhere is open."""
    install(database, agents.PACK)
    database.execute(
        b"INSERT INTO agent_case (request, scope) VALUES ('r-1', 'step');"
        b"INSERT INTO agent_step"
        b" (request, step, state, task, worker, version, renewed_at, expires_at, external_operation)"
        b" SELECT 'r-1', n, 'owned', 'task', CASE WHEN n <= 120 THEN 'w1' ELSE 'w2' END, 1, now() - interval '20 min',"
        b" now() + CASE WHEN n = 121 THEN interval '9 min' ELSE interval '-10 min' END,"
        b" CASE WHEN n > 121 THEN 'op-' || n END FROM generate_series(1, 123) AS n;"
        b"INSERT INTO agent_ownership (request, step, version, worker)"
        b" SELECT request, step, version, worker FROM agent_step"
    )
    return Case(database, pack=agents.PACK)


def test_c20_a_write_elsewhere_that_nobody_confirmed_is_nobodys_to_repeat(requests: Case) -> None:
    job = requests.job("r-1/122")
    assert job["state"] == "uncertain_external_write"
    assert "agent_settle" in job["command"]
    assert "its action is manual" in requests.said("reclaim", "r-1/122")
    assert requests.told("reclaim", "r-1/122", "--yes", "--reason", "x").code in (20, 25)


def test_c21_an_article_whose_rendered_title_is_empty_is_not_done_right(articles: Case) -> None:
    articles.run(
        b"UPDATE public.article_claim_demo SET state = 'done', rendered_title = '' WHERE id = 1",
        b"UPDATE public.article_claim_demo SET state = 'done', rendered_title = 'x' WHERE id = 2",
        b"UPDATE public.article_claim_demo SET state = 'done', rendered_title = '', title = '' WHERE id = 3",
        b"UPDATE public.article_claim_demo SET state = 'done' WHERE id = 4",
    )
    told = articles.look(1, 2, 3, 4)
    states = [job["state"] for job in told["jobs"]]
    right, wrong = "confirmed_publication", "missing_artifact"
    assert states == [wrong, right, right, wrong]
    assert told["exit_code"] == 10


@pytest.mark.parametrize("pack", ["articles", agents.PACK])
def test_c29_the_session_behind_forty_ready_rows_is_named_once(
    database: Database, request: pytest.FixtureRequest, pack: str
) -> None:
    c: Case = request.getfixturevalue("articles" if pack == "articles" else "requests")
    table = "article_claim_demo"
    if pack != "articles":
        table = "agent_step"
        database.execute(
            b"INSERT INTO agent_step (request, step, task) SELECT 'r-1', n, 'task'"
            b" FROM generate_series(201, 240) AS n"
        )
    idle = database.connect("postgres", autocommit=False)
    idle.execute(b"SET application_name = 'batch-fix'")
    state = "ready" if pack == "articles" else "open"
    idle.execute(f"SELECT FROM {table} WHERE state = '{state}' FOR UPDATE".encode())
    said = c.said("inspect")
    held = (
        f"cause: pid {idle.info.backend_pid} (batch-fix, postgres) holds them, idle in transaction"
    )
    assert said.count(held) == 1
    assert "40 of 40 ready" in said
    idle.rollback()


def test_c30_of_many_overdue_requests_the_one_worker_is_told_and_a_hundred_taken(
    requests: Case,
) -> None:
    assert "in common: adoption: request r-1" not in requests.said("inspect")
    assert "worker w1 (all 120)" in requests.said("inspect")
    plan = requests.said("reclaim", "--all", "--state", "adoption")
    assert "100 of 120 jobs" in plan
    assert "in common: since " in plan
    assert "worker w1 (all 120)" in plan
    done = requests.apply("reclaim", "--all", "--state", "adoption")
    assert done["counts"] == {"applied": 100}
    assert counts(requests.look()["states"])["adoption"] == 20


def test_c32_a_limit_takes_what_may_be_taken_in_every_pack(
    requests: Case, database: Database
) -> None:
    # The ten oldest cannot rise any more; the limit does not stop at them.
    database.execute(
        b"SET session_replication_role = replica;"
        b"UPDATE agent_step SET version = 9223372036854775807, expires_at = now() - interval '15 min' WHERE step <= 10;"
        b"UPDATE agent_ownership SET version = 9223372036854775807 WHERE step <= 10"
    )
    done = requests.apply("reclaim", "--all", "--state", "adoption", "--limit", "5")
    assert set(outcomes(done)) == {f"r-1/{n}" for n in range(11, 16)}


def test_c35_an_open_request_whose_version_cannot_rise_is_no_ready_one(
    requests: Case, database: Database
) -> None:
    database.execute(
        b"INSERT INTO agent_step (request, step, task, version) VALUES ('r-1', 300, 'task', 9223372036854775807)"
    )
    job = requests.job("r-1/300")
    assert (job["state"], job["permitted"]) == ("inconsistent_row", False)
    assert job["refusal"] == "the version is at the end of its range"
    answer = agents.agent(database, "w9").acquire("r-1", 300)
    assert answer["answer"] == "refused"


def test_c29_and_c30_on_a_standby_no_cause_is_told_that_only_the_primary_knows(
    database: Database, standby: Standby
) -> None:
    c = Case.of(database, "second_c30_mass_expiry")
    c.run(b"SELECT pg_temp.ready(n) FROM generate_series(1, 40) AS n")
    idle = database.connect("postgres", autocommit=False)
    idle.execute(b"SELECT FROM aps.job WHERE state = 'ready' FOR UPDATE")
    with standby.of(database) as there:
        here = Case(there, role="aps_read")
        told = here.look()
        assert told["causes"] == []
        assert told["exit_code"] == 12
        assert here.under("aps_operate").told("reclaim", "--all", "--state", "adoption").code == 25
    idle.rollback()


def test_c31_and_c32_an_attested_release_in_bulk_takes_no_more_than_was_planned(
    articles: Case,
) -> None:
    done = articles.apply("reclaim", "--all", "--state", "processing", "--limit", "3", *ATTEST)
    assert outcomes(done) == {"41": "applied", "42": "applied", "43": "applied"}
    assert counts(articles.look()["states"]) == {"ready": 43, "processing": 2}
