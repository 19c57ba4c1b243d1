"""The rehearsal of system 2: a queue without fencing, with real sessions and a real process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from aps import packs, planfile, planning
from aps.exits import Exit
from aps.model.plan import Plan
from tests.support import cli, shipped
from tests.support.database import Database
from tests.support.sessions import eventually
from tests.support.shipped import Look, Worker

PACK = "articles"
STOPPED = ("--attest", "all-workers-stopped")
SIGNED = ("--yes", "--reason", "every worker was stopped for the release")


@pytest.fixture
def look(database: Database) -> Look:
    """Three ready articles."""
    shipped.install(database, PACK)
    database.execute(
        b"INSERT INTO article_claim_demo (id, title) SELECT n, 'article ' || n FROM generate_series(1, 3) n"
    )
    return Look(database, PACK)


def session(database: Database, *, autocommit: bool = True) -> Worker:
    return shipped.worker(database, PACK, autocommit=autocommit)


def rows(database: Database) -> list[tuple[int, str, str | None]]:
    found = database.execute(
        b"SELECT id, state, rendered_title FROM article_claim_demo ORDER BY id"
    )
    return [(one[0], one[1], one[2]) for one in found]


@pytest.mark.one_server
def test_the_matrix_stays_under_thirty_lines() -> None:
    text = (packs.find(PACK) / packs.FILE).read_text(encoding="utf-8")
    assert len(text.splitlines()) < 30


def test_two_uncommitted_claims_rolled_back_leave_three_ready_rows(
    database: Database, look: Look
) -> None:
    first, second = (session(database, autocommit=False) for _ in range(2))
    assert first.run("claim") == {"id": 1, "title": "article 1"}
    assert second.run("claim") == {"id": 2, "title": "article 2"}
    ready = next(one for one in look.report()["states"] if one["state"] == "ready")
    assert (ready["jobs"], ready["locked"]) == (3, 2)
    first.connection.rollback()
    second.connection.rollback()
    assert look.found() == {"ready": 3}


def test_committed_claims_stay_processing_when_their_sessions_have_ended(
    database: Database, look: Look
) -> None:
    for _ in range(2):
        claimer = session(database)
        claimer.run("claim")
        claimer.connection.close()
    assert look.found() == {"ready": 1, "processing": 2}
    assert look.aps("inspect").code == Exit.WARNING


def test_an_empty_claim_means_that_this_attempt_got_nothing(database: Database, look: Look) -> None:
    holders = [session(database, autocommit=False) for _ in range(3)]
    for holder in holders:
        holder.run("claim")
    assert session(database).run("claim") is None
    assert "ready 3 (at least 3 locked now)" in look.aps("inspect").stdout
    holders[1].connection.rollback()
    assert session(database).run("claim") == {"id": 2, "title": "article 2"}


def test_a_worker_killed_after_its_claim_leaves_it_processing_and_nothing_tells(
    database: Database, look: Look
) -> None:
    with shipped.process(database, PACK, "claim") as (killed, answer):
        living = look.job("1")
        killed.kill()
        killed.wait()
    assert answer == {"id": 1, "title": "article 1"}
    gone = b"SELECT FROM pg_stat_activity WHERE usename = 'aps_work'"
    eventually(lambda: not database.execute(gone))
    dead = look.job("1")
    assert (dead["state"], dead["age_seconds"]) == ("processing", None)
    assert dead["evidence"] == living["evidence"]


def test_the_page_of_a_job_says_beside_the_command_what_a_person_vouches_for(
    database: Database, look: Look
) -> None:
    """Whoever reads only as far as the command must not take it for free."""
    session(database).run("claim")
    lines = [" ".join(line.split()) for line in look.aps("inspect", "1").stdout.splitlines()]
    may = next(n for n, line in enumerate(lines) if line.startswith("you may aps reclaim 1"))
    assert "vouch for all-workers-stopped" in lines[may + 1 : may + 4]
    assert not [line for line in look.aps("inspect", "2").stdout.splitlines() if "vouch" in line]


def test_a_release_without_the_attestation_is_refused_and_says_why(
    database: Database, look: Look
) -> None:
    session(database).run("claim")
    said = look.aps("reclaim", "1", *SIGNED)
    cli.refused(said, Exit.REFUSED, "all-workers-stopped", "nothing refuses the result")
    said = look.aps("reclaim", "1", *SIGNED, "--attest", "i-think-so")
    cli.refused(said, Exit.REFUSED, "i-think-so", "all-workers-stopped")
    assert rows(database)[0] == (1, "processing", None)
    assert database.execute(b"SELECT count(*) FROM aps_journal.batch") == [(0,)]


def test_a_saved_plan_that_was_written_without_the_attestation_is_refused(
    database: Database, look: Look, tmp_path: Path
) -> None:
    session(database).run("claim")
    file = tmp_path / "plan.json"
    assert look.aps("reclaim", "1", "--plan-out", str(file)).code == Exit.CLEAR
    plan = replace(planfile.read(file), attest=None)
    sealed = replace(plan, fingerprint=planning.fingerprint(plan))
    file.write_bytes(TypeAdapter(Plan).dump_json(sealed))
    cli.refused(look.aps("reclaim", "--plan", str(file), *SIGNED), Exit.REFUSED, "other terms")
    assert rows(database)[0] == (1, "processing", None)


def test_a_release_with_the_attestation_is_done_and_the_word_stands_in_the_log(
    database: Database, look: Look
) -> None:
    session(database).run("claim")
    said = look.aps("reclaim", "1", *SIGNED, *STOPPED)
    assert said.code == Exit.CLEAR, said
    assert rows(database)[0] == (1, "ready", None)
    line = next(line for line in said.stdout.splitlines() if line.startswith("log:"))
    shown = cli.call("log", line.split()[3], "--dsn", database.dsn())
    assert "attested: all-workers-stopped" in shown.stdout
    assert "state processing -> ready" in shown.stdout


def test_what_the_warning_says_is_true_a_late_worker_completes_the_next_ones_row(
    database: Database, look: Look
) -> None:
    late, second = session(database), session(database)
    assert late.run("claim") == {"id": 1, "title": "article 1"}
    plan = look.aps("reclaim", "1")
    assert "late result:  nothing refuses the result of a worker that comes too late" in plan.stdout
    assert look.aps("reclaim", "1", *SIGNED, *STOPPED).code == Exit.CLEAR
    assert second.run("claim") == {"id": 1, "title": "article 1"}
    assert late.run("complete", id=1, rendered_title="made by the late one") == {"id": 1}
    assert second.run("complete", id=1, rendered_title="made by the second one") is None
    assert rows(database)[0] == (1, "done", "made by the late one")


def test_a_claim_released_and_taken_again_since_the_plan_is_left_alone(
    database: Database, look: Look, tmp_path: Path
) -> None:
    session(database).run("claim")
    plan = str(tmp_path / "plan.json")
    assert look.aps("reclaim", "1", "--plan-out", plan).code == Exit.CLEAR
    database.execute(b"UPDATE article_claim_demo SET state = 'ready' WHERE id = 1")
    session(database).run("claim")
    said = look.aps("reclaim", "--plan", plan, *SIGNED, *STOPPED)
    assert said.code == Exit.NOTHING_APPLIED
    assert "still processing, but not as planned" in " ".join(said.stdout.split())
    assert rows(database)[0] == (1, "processing", None)


def test_the_page_of_a_claim_says_what_nobody_can_know_and_shows_sessions_as_help(
    database: Database, look: Look
) -> None:
    holder = session(database, autocommit=False)
    holder.run("claim")
    session(database).run("claim")
    database.connect("aps_work").execute(b"SET application_name = 'article-worker-7'")
    page = look.aps("inspect", "2").stdout
    flat = " ".join(page.split())
    assert "not that the worker is alive, or dead; this table cannot say" in flat
    assert "alive? nothing is recorded that could tell (liveness none)" in flat
    assert "late result nothing refuses the result of a worker that comes too late" in flat
    assert "help only, no proof that a worker lives or is gone: 2 called article-worker%" in flat
    assert "article-worker-7 idle" in flat
    assert f"pid {holder.pid} without a name idle in transaction" in flat
    assert "has an open transaction that writes to the table" in flat
    assert "aps reclaim 2 --pack articles" in flat


def test_the_sessions_are_shown_to_a_role_that_may_only_look(
    database: Database, look: Look
) -> None:
    holder = session(database, autocommit=False)
    holder.connection.execute(b"UPDATE article_claim_demo SET state = 'processing' WHERE id = 1")
    holder.connection.commit()
    holder.connection.execute(b"SELECT FROM article_claim_demo WHERE id = 1 FOR UPDATE")
    said = cli.call("inspect", "1", "--pack", PACK, "--dsn", database.dsn("aps_read"))
    assert f"pid {holder.pid} without a name" in said.stdout
    assert "holds this row" in " ".join(said.stdout.split())


def test_a_done_article_without_its_title_is_shown(database: Database, look: Look) -> None:
    database.execute(b"UPDATE article_claim_demo SET state = 'done' WHERE id = 3")
    assert look.found() == {"missing_artifact": 1, "ready": 2}
    said = look.aps("reclaim", "3", *SIGNED, *STOPPED)
    assert said.code == Exit.REFUSED
    assert "the matrix permits no action on it" in said.stdout
