"""`aps reconcile JOB --epoch N`: what a worker or a runbook reads, in text and as a code."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from aps import packs
from aps.exits import Exit
from aps.render import schema
from tests.support import cli
from tests.support.artifacts import CONTENT, Artifacts, digest
from tests.support.completing import contents
from tests.support.database import Database
from tests.support.queue import DIGEST, OTHER_DIGEST, Queue, queue


def ask(database: Database, job: int, epoch: int, *words: str) -> cli.Result:
    return cli.call(
        *("reconcile", str(job), "--epoch", str(epoch), *words, "--dsn", database.dsn("aps_read"))
    )


@pytest.fixture
def q(database: Database) -> Queue:
    return queue(database)


@pytest.fixture
def jobs(q: Queue) -> dict[str, int]:
    """A job for each answer, asked by epoch 1."""
    found = {"applied": q.claimed(key="applied")["job_id"]}
    assert q.publish(found["applied"], "w1", 1)
    found["superseded"] = q.claimed(key="superseded", lease="-1 s")["job_id"]
    assert q.adopt("w2")
    found["cancelled"] = q.claimed(key="cancelled")["job_id"]
    assert q.cancel(found["cancelled"], 1)
    found["open"] = q.claimed(key="open")["job_id"]
    found["incompatible"] = q.claimed(key="incompatible")["job_id"]
    assert q.fail(found["incompatible"], "w1", 1)
    return found


CODES = {"applied": 0, "superseded": 40, "cancelled": 41, "open": 42, "incompatible": 43}


def test_each_answer_has_its_code_and_writes_nothing(
    database: Database, jobs: dict[str, int]
) -> None:
    before = contents(database)
    for answer, code in CODES.items():
        said = ask(database, jobs[answer], 1, "--worker", "w1")
        assert (said.code, said.stderr) == (code, "")
        first = said.stdout.splitlines()[0]
        assert first.startswith(f"job {jobs[answer]} · epoch 1 · {answer}")
        assert "level: recorded; no file was looked at" in said.stdout
    assert contents(database) == before


def test_the_screen_says_what_to_do_and_where_it_is_read_from(
    database: Database, jobs: dict[str, int]
) -> None:
    said = ask(database, jobs["superseded"], 1).stdout
    assert "superseded by epoch 2" in said.splitlines()[0]
    assert "is refused for good: epoch 2 is held by w2 since" in said
    assert "do           Stop. Do not retry; leave the file" in said
    assert "queries/completion.sql, " in said
    assert "not given, so not compared: worker, candidate, digest" in said
    assert f"look         aps inspect {jobs['superseded']} --dsn" in said
    quiet = ask(database, jobs["superseded"], 1, "--quiet").stdout
    assert "aps inspect" not in quiet
    assert "Stop. Do not retry" in quiet


def test_nothing_is_called_valid(database: Database, jobs: dict[str, int]) -> None:
    for format in ("table", "json", "markdown"):
        told = ask(database, jobs["applied"], 1, "--format", format).stdout
        assert "valid" not in told.replace("invalid", "")
        assert "recorded" in told


def test_json_is_as_its_schema_says(database: Database, jobs: dict[str, int]) -> None:
    for answer, code in CODES.items():
        said = ask(database, jobs[answer], 1, "--format", "json")
        told = json.loads(said.stdout)
        Draft202012Validator(schema.of("completion")).validate(told)
        assert next(iter(told)) == "format_version"
        assert (told["answer"], told["exit_code"], said.code) == (answer, code, code)
        assert told["asked"] == {"epoch": "1", "worker": None, "candidate": None, "digest": None}
    assert told["evidence"]["state"] == "failed"


def test_the_other_formats_hold_one_record(database: Database, jobs: dict[str, int]) -> None:
    job = jobs["open"]
    (line,) = ask(database, job, 1, "--format", "jsonl").stdout.splitlines()
    assert (json.loads(line)["record"], json.loads(line)["answer"]) == ("completion", "open")
    (row,) = csv.DictReader(io.StringIO(ask(database, job, 1, "--format", "csv").stdout))
    assert (row["job"], row["answer"], row["asked.epoch"], row["evidence.state"]) == (
        *(str(job), "open", "1", "running"),
    )
    table = ask(database, job, 1, "--format", "markdown").stdout
    assert table.startswith(f"job {job} · epoch 1 · open · level: recorded; no file was looked at")


def test_an_unreadable_record_is_undetermined(database: Database, jobs: dict[str, int]) -> None:
    database.execute(b"REVOKE SELECT ON aps.attempt FROM aps_read")
    said = ask(database, jobs["applied"], 1)
    assert said.code == Exit.UNDETERMINED
    assert "GRANT SELECT ON aps.attempt TO aps_read" in " ".join(said.stdout.split())


def test_with_a_store_the_level_says_how_far_was_looked(database: Database, tmp_path: Path) -> None:
    artifacts = Artifacts.bound(database, tmp_path / "store")
    job, file = artifacts.published()
    known = ("--digest", digest(CONTENT), "--candidate", f"{job}/{file.name}", "--worker", "w1")
    said = ask(database, job, 1, *known, "--store", str(artifacts.root))
    assert said.code == 0
    assert "level: rehashed" in said.stdout
    assert f"--store {artifacts.root}" in said.stdout
    file.write_bytes(b"other")
    said = ask(database, job, 1, *known, "--store", str(artifacts.root))
    assert said.code == Exit.INCOMPATIBLE
    assert ask(database, job, 1, *known).code == 0


def test_a_wrong_store_answers_nothing(database: Database, q: Queue, tmp_path: Path) -> None:
    job = q.claimed()["job_id"]
    for root in (tmp_path, tmp_path / "gone"):
        cli.refused(ask(database, job, 1, "--store", str(root)), Exit.STORE, "store file://")


def test_a_job_that_does_not_exist(database: Database) -> None:
    cli.refused(ask(database, 7, 1), Exit.NO_SUCH_JOB, "no job '7'")


def test_a_pack_without_the_query_says_so(database: Database, q: Queue, tmp_path: Path) -> None:
    shutil.copy(packs.HOME / "matrix.yaml", tmp_path)
    shutil.copytree(packs.HOME / "queries", tmp_path / "queries")
    (tmp_path / "queries" / "completion.sql").unlink()
    said = ask(database, q.claimed()["job_id"], 1, "--pack", str(tmp_path))
    cli.refused(said, Exit.USAGE, "no queries/completion.sql")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("1", "--epoch", "-1"), "--epoch -1: write a whole number from 0 to 9223372036854775807"),
        (("1", "--epoch", str(2**63)), "--epoch"),
        (("1", "--epoch", "three"), "--epoch three"),
        (("1", "--epoch", "1", "--digest", DIGEST.upper()), "64 lower-case"),
        (("1", "--epoch", "1", "--digest", DIGEST[7:]), "write sha256:"),
        (("1", "--epoch", "1", "--digest", f"{OTHER_DIGEST}0"), "64 lower-case"),
        (("1", "--epoch", "1", "--digest", f"{OTHER_DIGEST}\n"), "64 lower-case"),
        (("1", "--epoch", "1", "--digest", f"md5:{'0' * 32}"), "write sha256:"),
        (("1", "--epoch", "1", "--candidate", "../1"), "climbs out"),
        (("1", "--epoch", "1", "--candidate", "/etc/passwd"), "absolute"),
        (("1", "--epoch", "1", "--candidate", ""), "empty part"),
        (("1", "--epoch", "1", "--candidate", "1/a\x1bb"), "control characters"),
        (("1", "--epoch", "1", "--worker", ""), "--worker"),
        (("--epoch", "1"), "one JOB"),
        (("1", "2", "--epoch", "1"), "one JOB"),
        (("1", "--epoch", "1", "--yes"), "leave out --yes"),
        (("--all", "--state", "missing_artifact", "--epoch", "1"), "leave out"),
        (("1", "--worker", "w1"), "--worker needs --epoch"),
        (("1", "--candidate", "1/1-a"), "--candidate needs --epoch"),
        (("1", "--digest", DIGEST), "--digest needs --epoch"),
    ],
)
def test_what_names_no_completion_is_wrong_usage(words: tuple[str, ...], told: str) -> None:
    cli.refused(cli.call("reconcile", *words), Exit.USAGE, told)
