"""C34: missing rights look like zero. What may not be seen is undetermined, with the grant that is missing."""

from __future__ import annotations

import pytest

from tests.support import trouble
from tests.support.cases import Case, counts
from tests.support.database import Database
from tests.support.shipped import Look, install
from tests.support.standby import Standby

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server

SEEING = ("USAGE ON SCHEMA aps", "SELECT ON aps.job")


@pytest.fixture
def ro(database: Database) -> Case:
    c = Case.of(database, "second_c34_missing_rights")
    return c.under(trouble.role(database, *SEEING))


def test_c34_what_may_not_be_seen_is_not_called_zero_and_the_grant_is_named(ro: Case) -> None:
    told = ro.look()
    assert told["exit_code"] == 12
    states = {one["state"]: one for one in told["states"]}
    assert (states["adoption"]["verdict"], states["adoption"]["jobs"]) == ("undetermined", None)
    assert (states["failed"]["verdict"], states["failed"]["jobs"]) == ("clear", 0)
    said = ro.said("inspect")
    assert f'GRANT SELECT ON aps.attempt TO "{ro.role}"' in said
    assert "a partial answer: " in said


def test_c34_the_grants_that_are_named_are_all_that_it_takes(ro: Case) -> None:
    for one in ro.look()["states"]:
        if one["error"] and "GRANT" in one["error"]:
            ro.database.execute(one["error"].partition(": ")[2].encode())
    told = ro.look()
    found = counts(told["states"])
    assert {"adoption", "live_lease", "ready", "poisoned"} <= set(found)
    assert {one["verdict"] for one in told["states"]} == {"found", "clear", "not_looked"}


def test_c34_a_holder_whose_session_may_not_be_seen_is_named_and_not_called_idle(ro: Case) -> None:
    ro.database.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA aps TO "{ro.role}"'.encode())
    idle = ro.database.connect("postgres", autocommit=False)
    idle.execute(b"SET application_name = 'batch-fix'")
    idle.execute(b"SELECT FROM aps.job WHERE job_id = 340 FOR UPDATE")
    held = f"pid {idle.info.backend_pid} (batch-fix, postgres) holds the row"
    page = ro.said("inspect", "340")
    assert f"{held}, in a state that this role may not see" in page
    # With the right to see statistics the same is told whole.
    assert f"{held}, idle in transaction" in ro.under("aps_read").said("inspect", "340")
    idle.rollback()


def test_c34_a_role_that_may_not_write_is_refused_with_the_grant(ro: Case) -> None:
    ro.database.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA aps TO "{ro.role}"'.encode())
    assert "1 of 1 jobs" in ro.said("reclaim", "340")
    said = ro.told("reclaim", "340", "--yes", "--reason", "x")
    assert said.code == 25, said
    assert "GRANT" in said.stderr
    reader = ro.under("aps_read").told("reclaim", "340", "--yes", "--reason", "x")
    assert reader.code == 25, reader
    assert ro.row(340) == ("running", "w1", 1)


def test_c34_row_security_that_hides_rows_is_an_error_and_no_empty_queue(ro: Case) -> None:
    ro.database.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA aps TO "{ro.role}"'.encode())
    ro.run(b"ALTER TABLE aps.job ENABLE ROW LEVEL SECURITY")
    told = ro.look()
    assert told["exit_code"] == 12
    states = {one["state"]: one for one in told["states"]}
    assert states["adoption"]["verdict"] == "undetermined"
    assert "row-level security" in states["adoption"]["error"]


def test_c34_the_other_packs_name_their_grants_too(database: Database) -> None:
    for pack, table in (("articles", "article_claim_demo"), ("agent-requests", "agent_step")):
        install(database, pack)
        database.execute(f"REVOKE SELECT ON {table} FROM aps_operate".encode())
        told = Look(database, pack).report()
        assert told["exit_code"] == 12
        lifecycle = [one for one in told["states"] if one["state"] == "ready"]
        assert f"GRANT SELECT ON {table} TO aps_operate" in lifecycle[0]["error"]
        assert lifecycle[0]["jobs"] is None


def test_c34_sessions_that_may_not_be_seen_are_help_of_unknown_state(database: Database) -> None:
    """`articles` shows sessions; their state is NULL to others, and is not taken for none."""
    install(database, "articles")
    database.execute(
        b"INSERT INTO article_claim_demo (id, title, state) VALUES (1, 'one', 'processing')"
    )
    name = trouble.role(database, "SELECT ON article_claim_demo")
    worker = database.connect("aps_work", autocommit=False)
    worker.execute(b"SET application_name = 'article-worker-1'")
    c = Case(database, role=name, pack="articles")
    page = c.said("inspect", "1")
    assert "article-worker-1 in a state that this role may not see" in page
    worker.rollback()


def test_c34_on_a_standby_the_missing_grant_is_still_the_reason(ro: Case, standby: Standby) -> None:
    with standby.of(ro.database) as there:
        told = Case(there, role=ro.role).look()
        reasons = {one["state"]: str(one["error"]) for one in told["states"]}
        assert told["exit_code"] == 12
        assert "a standby cannot tell" in reasons["adoption"]
        assert "GRANT SELECT ON aps.attempt" in reasons["repeat_abandonment"]
