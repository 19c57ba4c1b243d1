"""`aps matrix check` against a database: what it needs, that it changes nothing, and what it says of a sound pack."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from psycopg import sql

from aps import check as checks
from aps import packs
from aps.exits import Exit
from aps.render import schema
from tests.support import cli, looking, trouble
from tests.support.database import Database

ATTEMPTS = "GRANT SELECT ON aps.attempt TO"


def check(database: Database, *words: str, role: str = "aps_operate") -> tuple[int, dict[str, Any]]:
    said = cli.call("matrix", "check", *words, "--format", "json", "--dsn", database.dsn(role))
    assert said.stderr == "", said
    told = json.loads(said.stdout)
    Draft202012Validator(schema.of("checked")).validate(told)
    assert told["exit_code"] == said.code
    return said.code, told


@pytest.mark.parametrize("name", packs.known())
def test_every_shipped_pack_is_sound_on_its_own_schema(database: Database, name: str) -> None:
    if name != packs.DEFAULT:
        made = packs.find(name) / "queries" / "schema.sql"
        database.execute(made.read_bytes())
    code, told = check(database, "--pack", name, role="postgres")
    assert (code, told["findings"]) == (Exit.CLEAR, [])
    counts = told["counts"]
    assert counts["described"] == counts["planned"] == counts["queries"] > 0
    assert counts["tried_with_keys"] > 0


def test_an_operator_has_all_that_the_check_needs(database: Database) -> None:
    assert check(database)[0] == Exit.CLEAR


def test_jobs_in_one_state_each_are_total_and_counted(database: Database) -> None:
    trouble.ready(database)
    trouble.abandoned(database)
    code, told = check(database)
    assert code == Exit.CLEAR
    assert told["totality"] == {"verdict": "ok", "population": 2, "reason": None, "doubts": []}


def test_an_empty_population_is_never_called_total(database: Database) -> None:
    trouble.published(database)
    code, told = check(database)
    assert code == Exit.CLEAR
    assert (told["totality"]["verdict"], told["totality"]["population"]) == ("not_checked", 0)
    assert told["totality"]["reason"] == "the population is empty"


def test_nothing_is_changed_and_no_row_stays_locked(database: Database) -> None:
    trouble.abandoned(database)
    trouble.ready(database)
    rows = b"SELECT j, j.xmin, j.xmax FROM aps.job j ORDER BY job_id"
    before = database.execute(rows), database.execute(b"SELECT count(*) FROM aps.event")
    check(database)
    assert (database.execute(rows), database.execute(b"SELECT count(*) FROM aps.event")) == before


def test_nothing_is_left_in_the_session(database: Database) -> None:
    """Behind a transaction pooler another client has it next."""
    left = "SELECT (SELECT count(*) FROM pg_prepared_statements), current_setting('search_path')"
    with looking.connect(database) as session:
        before = session.rows(left, None)
        session.rollback()
        checks.database(looking.reference(), session)
        assert session.rows(left, None) == before


def test_a_job_that_no_state_claims_is_told_with_its_key(database: Database) -> None:
    job = trouble.paused(database)
    trouble.ready(database)
    code, told = check(database)
    assert code == Exit.MATRIX
    assert told["totality"]["verdict"] == "broken"
    assert told["totality"]["doubts"] == [
        {"kind": "unclassified", "jobs": 1, "examples": [job], "states": []}
    ]
    (found,) = told["findings"]
    assert (found["file"], found["severity"]) == ("queries/population.sql", "fault")
    assert f"1 job ({job})" in found["sentence"]
    assert "add a state" in found["remedy"]
    shown = cli.call("matrix", "check", "--dsn", database.dsn()).stdout
    assert f"unclassified 1: {job}" in shown


def test_a_job_that_two_states_claim_is_told_with_both(database: Database, tmp_path: Path) -> None:
    jobs = [trouble.ready(database, key) for key in "abcdefg"]
    overlapping = "SELECT job_id, kind FROM aps.job WHERE state IN ('failed', 'ready')"
    made = trouble.pack(tmp_path, {"failed": overlapping})
    code, told = check(database, "--pack", made)
    assert code == Exit.MATRIX
    (doubt,) = told["totality"]["doubts"]
    assert doubt["kind"] == "conflict"
    assert doubt["jobs"] == 7
    assert doubt["examples"] == jobs[:5]
    assert set(doubt["states"]) == {"ready", "failed"}
    (found,) = told["findings"]
    assert "7 jobs (such as " in found["sentence"]
    assert "exclude the others" in found["remedy"]


def test_a_missing_grant_leaves_its_queries_unchecked_and_is_told_once(database: Database) -> None:
    trouble.ready(database)
    role = trouble.role(database, "USAGE ON SCHEMA aps", "SELECT ON aps.job", "SELECT ON aps.event")
    code, told = check(database, role=role)
    assert code == Exit.UNDETERMINED
    unread = [found for found in told["findings"] if found["severity"] == "undetermined"]
    (found,) = unread
    assert found["remedy"] == f'{ATTEMPTS} "{role}"'
    assert "permission denied for table attempt" in found["sentence"]
    assert " more)" in found["sentence"]
    assert told["totality"]["verdict"] == "not_checked"
    assert told["counts"]["planned"] < told["counts"]["described"]


def test_the_grants_that_are_told_are_those_that_help(database: Database) -> None:
    trouble.ready(database)
    role = trouble.role(database)
    given: set[str] = set()
    for _ in range(12):
        code, told = check(database, role=role)
        if code == Exit.CLEAR:
            break
        grants = {found["remedy"].partition(", or check")[0] for found in told["findings"]}
        assert not grants & given, "it did not help"
        given |= grants
        for grant in grants:
            database.execute(sql.SQL(grant))
    assert code == Exit.CLEAR
    assert any("UPDATE" in grant for grant in given)
    assert any("USAGE ON SCHEMA aps" in grant for grant in given)


def test_who_may_only_look_is_told_what_acting_would_need(database: Database) -> None:
    code, told = check(database, role="aps_read")
    assert code == Exit.WARNING
    assert {found["severity"] for found in told["findings"]} == {"warning"}
    assert all("or check as the role that acts" in found["remedy"] for found in told["findings"])


def test_a_database_without_the_queue_is_told_apart_from_one_out_of_reach(
    database: Database,
) -> None:
    database.execute(b"DROP SCHEMA aps CASCADE")
    code, told = check(database)
    assert code == Exit.MATRIX
    (found,) = told["findings"]
    assert "has no table aps.job" in found["sentence"]
    cli.refused(
        cli.call("matrix", "check", "--dsn", "host=/nowhere dbname=x"), 31, "cannot connect"
    )


def test_a_query_that_may_have_effects_is_planned_and_not_run(
    database: Database, tmp_path: Path
) -> None:
    trouble.ready(database)
    locking = "SELECT job_id FROM aps.job WHERE pg_try_advisory_lock(1)"
    code, told = check(database, "--pack", trouble.pack(tmp_path, {"failed": locking}))
    assert code == Exit.MATRIX
    assert told["totality"]["verdict"] == "not_checked"
    assert told["totality"]["reason"] == "may have effects, so was not run: queries/failed.sql"


def test_other_faults_do_not_hide_whether_the_states_are_total(
    database: Database, tmp_path: Path
) -> None:
    trouble.ready(database)
    timed = "SELECT job_id FROM aps.job WHERE state = 'failed' AND finished_at < now()"
    code, told = check(database, "--pack", trouble.pack(tmp_path, {"failed": timed}))
    assert code == Exit.MATRIX
    assert told["totality"]["verdict"] == "ok"
