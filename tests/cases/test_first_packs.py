"""C02, C03, C06, C09, C10 of the same kinds on the queues of the packs `articles` and `agent-requests`."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps.exits import Exit
from tests.support import agents, shipped
from tests.support.cases import Case, outcomes
from tests.support.database import Database

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server

ARTICLES = "articles"
STOPPED = ("--attest", "all-workers-stopped")
KNOWN = ("--attest", "cause-known")


def articles(database: Database) -> Case:
    shipped.install(database, ARTICLES)
    return Case.of(database, "first_packs_articles", pack=ARTICLES)


def requests(database: Database) -> Case:
    shipped.install(database, agents.PACK)
    return Case.of(database, "first_packs_requests", pack=agents.PACK)


def test_c06_an_article_that_was_reset_by_half_is_no_healthy_backlog(database: Database) -> None:
    case = articles(database)
    assert case.states(1, 2, 3, 4) == [
        "ready",
        "inconsistent_row",
        "processing",
        "inconsistent_row",
    ]
    assert case.state("unclassified")["jobs"] == 0
    assert case.look()["exit_code"] == Exit.WARNING
    case.refused("reclaim", "4", *STOPPED)
    assert outcomes(case.apply("reclaim", "3", *STOPPED)) == {"3": "applied"}


def test_c02_the_second_recoverer_of_an_article_that_was_taken_again_changes_nothing(
    database: Database, tmp_path: Path
) -> None:
    case = articles(database)
    plan = str(tmp_path / "plan.json")
    case.told("reclaim", "3", *STOPPED, "--plan-out", plan)
    case.apply("reclaim", "3", *STOPPED)
    case.run(b"UPDATE article_claim_demo SET state = 'processing' WHERE id = 3")
    before = case.image("article_claim_demo")
    told = case.apply("reclaim", "--plan", plan, *STOPPED)
    assert (told["exit_code"], outcomes(told)) == (Exit.NOTHING_APPLIED, {"3": "changed"})
    assert case.image("article_claim_demo") == before


def test_c10_a_request_that_lost_many_owners_is_opened_only_when_its_cause_is_known(
    database: Database,
) -> None:
    case = requests(database)
    job = case.job("r-10/1")
    assert (job["state"], job["overlays"]) == ("poisoned", ["repeat_vanishing"])
    assert job["evidence"]["poisoned"][0]["vanished"] == "5"
    assert case.told("inspect", "r-10/1").code == Exit.CRITICAL
    tables = ("agent_step", "agent_ownership")
    before = case.image(*tables)
    assert case.told("reclaim", "r-10/1", "--yes", "--reason", "a case").code == Exit.REFUSED
    case.refused("reclaim", "--state", "poisoned", "--all", *KNOWN)
    case.refused("reclaim", "--state", "adoption", "--all")
    assert case.image(*tables) == before
    assert outcomes(case.apply("reclaim", "r-10/1", *KNOWN)) == {"r-10/1": "applied"}
    rows = database.execute(b"SELECT state, version FROM agent_step WHERE request = 'r-10'")
    assert rows == [("open", 6)]


def test_c10_below_the_limit_a_request_is_reclaimed_without_a_word(database: Database) -> None:
    case = requests(database)
    told = case.apply("reclaim", "r-10/1", "--set", "abandon_limit=6")
    assert outcomes(told) == {"r-10/1": "applied"}


def test_c09_a_request_that_is_only_renewed_is_shown_and_never_reclaimed(
    database: Database,
) -> None:
    case = requests(database)
    job = case.job("r-9/1")
    assert (job["state"], job["overlays"]) == ("live_lease", ["no_progress"])
    assert "To end it, stop the process" in case.said("inspect", "r-9/1")
    case.refused("reclaim", "r-9/1")


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (
            b"UPDATE agent_step SET state = 'open', worker = NULL, renewed_at = NULL, expires_at = NULL"
            b" WHERE request = 'r-9'",
            "open with an open ownership: something released it past the statements",
        ),
        (
            b"UPDATE agent_ownership SET ended_at = now(), ended_as = 'released' WHERE request = 'r-9'",
            "owned without an open ownership",
        ),
        (
            b"INSERT INTO agent_ownership (request, step, version, worker, ended_at, ended_as)"
            b" VALUES ('r-9', 1, 2, 'w', now(), 'vanished')",
            "an ownership above its version",
        ),
    ],
)
def test_c03_a_request_released_past_the_statements_has_an_unfenced_writer(
    database: Database, written: bytes, fault: str
) -> None:
    case = requests(database)
    case.run(written)
    job = case.job("r-9/1")
    assert job["state"] == "inconsistent_row"
    assert job["evidence"]["inconsistent_row"][0]["fault"] == fault
    case.refused("reclaim", "--state", "inconsistent_row", "--all")
    told = case.told("reclaim", "r-9/1", "--yes", "--reason", "a case")
    restored = fault == "an ownership above its version"
    assert told.code == (Exit.REFUSED if restored else Exit.CLEAR)
    if not restored:
        assert case.states("r-9/1") == ["ready"]
