"""A saved plan: applied as it was seen or not at all, and never twice."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from aps import planfile, planning
from aps.exits import Exit
from aps.model.plan import Plan
from tests.support import cli, trouble
from tests.support.cli import Result
from tests.support.database import Database, Server
from tests.support.queue import queue

pytestmark = pytest.mark.one_server

APPLY = ("--yes", "--reason", "test")


@pytest.fixture
def saved(database: Database, tmp_path: Path) -> Path:
    """The plan of job 1."""
    job = trouble.abandoned(database)
    file = tmp_path / "plan.json"
    said = cli.call("reclaim", job, "--plan-out", str(file), "--dsn", database.dsn())
    assert said.code == 0, said
    return file


def reclaim(database: Database, file: Path, *words: str) -> Result:
    return cli.call("reclaim", "--plan", str(file), *words, "--dsn", database.dsn())


def untouched(database: Database) -> bool:
    return database.execute(b"SELECT state, epoch FROM aps.job") == [("running", 1)] and (
        database.execute(b"SELECT count(*) FROM aps_journal.batch") == [(0,)]
    )


def changed(file: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Edited by hand: the fingerprint stays what it was."""
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


def resealed(file: Path, **fields: Any) -> None:
    """Another plan, whole: its fingerprint fits."""
    plan = replace(planfile.read(file), **fields)
    plan = replace(plan, fingerprint=planning.fingerprint(plan))
    file.write_bytes(TypeAdapter(Plan).dump_json(plan))


def is_refused(database: Database, file: Path, code: int, *told: str) -> None:
    """The preview says the same as the apply."""
    cli.refused(reclaim(database, file), code, *told)
    cli.refused(reclaim(database, file, *APPLY), code, *told)


def test_a_plan_is_saved_previewed_and_applied(database: Database, saved: Path) -> None:
    preview = reclaim(database, saved)
    assert preview.code == 0
    assert f"--plan {saved}" in preview.stdout.replace("\n", " ")
    assert untouched(database)
    said = reclaim(database, saved, *APPLY)
    assert said.code == 0, said
    assert database.execute(b"SELECT state, epoch FROM aps.job") == [("ready", 2)]


def test_a_plan_is_for_the_eyes_of_its_owner(saved: Path) -> None:
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600


def test_a_plan_applied_twice_changes_nothing_more(database: Database, saved: Path) -> None:
    assert reclaim(database, saved, *APPLY).code == 0
    image = database.execute(b"SELECT row_to_json(j)::text, xmin::text FROM aps.job j")
    said = reclaim(database, saved, *APPLY)
    assert said.code == 0
    assert "already" in said.stdout
    assert database.execute(b"SELECT row_to_json(j)::text, xmin::text FROM aps.job j") == image
    assert database.execute(b"SELECT count(*) FROM aps_journal.batch") == [(1,)]


@pytest.mark.parametrize(
    "change",
    [
        lambda plan: plan["jobs"][0].update(job="2"),
        lambda plan: plan["jobs"][0].update(key=["2"]),
        lambda plan: plan["jobs"][0]["evidence"][0].update(epoch="7"),
        lambda plan: plan.update(expires_at="2999-01-01T00:00:00+00:00"),
        lambda plan: plan.update(state="poisoned"),
        lambda plan: plan.update(fingerprint="0" * 64),
        lambda plan: plan["identity"].update(database_oid="1"),
        lambda plan: plan["jobs"].append(plan["jobs"][0]),
    ],
)
def test_an_edited_plan_is_refused(
    database: Database, saved: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    changed(saved, change)
    is_refused(database, saved, Exit.REFUSED, "damaged", "plan again")
    assert untouched(database)


def test_an_expired_plan_is_refused(database: Database, saved: Path) -> None:
    plan = planfile.read(saved)
    earlier = datetime.fromisoformat(plan.created_at) - timedelta(hours=1)
    resealed(saved, expires_at=earlier.isoformat())
    is_refused(database, saved, Exit.REFUSED, "expired", "plan again")
    assert untouched(database)


def test_a_plan_for_another_database_is_refused(
    database: Database, saved: Path, server: Server
) -> None:
    with server.database() as other:
        trouble.abandoned(other)
        is_refused(other, saved, Exit.REFUSED, "another database", database.name)
        assert untouched(other)


def test_a_plan_of_an_older_matrix_is_refused(
    database: Database, saved: Path, tmp_path: Path
) -> None:
    pack = trouble.pack(tmp_path, {}, {"title: the export queue": "title: another"})
    said = reclaim(database, saved, *APPLY, "--pack", pack)
    cli.refused(said, Exit.REFUSED, "another matrix", "plan again")
    assert untouched(database)


def test_a_plan_of_other_parameters_is_refused(database: Database, saved: Path) -> None:
    said = reclaim(database, saved, *APPLY, "--set", "abandon_limit=1")
    cli.refused(said, Exit.REFUSED, "--set")
    assert untouched(database)


def test_a_plan_of_another_command_is_wrong_usage(database: Database, saved: Path) -> None:
    resealed(saved, command="reconcile")
    is_refused(database, saved, Exit.USAGE, "aps reconcile")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no plan"),
        (b"not json", "no plan"),
        (b"[]", "no plan"),
        (b"null", "no plan"),
        (b'{"format_version": "1.0"}', "no whole plan"),
        (b'{"format_version": "2.0"}', "format 2.0"),
        (b'{"format_version": {}}', "format"),
        (b"\xff\xfe\x00", "no plan"),
        (b"[" * 200_000, "no plan"),
        (b'{"format_version": ' + b"9" * 5000 + b"}", "no plan"),
    ],
    ids=["empty", "text", "list", "null", "part", "newer", "odd", "bytes", "deep", "long number"],
)
def test_a_file_that_holds_no_plan_is_refused(
    database: Database, tmp_path: Path, content: bytes, told: str
) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(content)
    is_refused(database, file, Exit.REFUSED, str(file), told)


def test_a_plan_file_that_cannot_be_read_is_wrong_usage(database: Database, tmp_path: Path) -> None:
    is_refused(database, tmp_path, Exit.USAGE, str(tmp_path), "directory")
    is_refused(database, tmp_path / "none", Exit.USAGE, "none", "no such file")
    is_refused(database, tmp_path / ("x" * 300), Exit.USAGE, "too long")


@pytest.mark.parametrize("there", ["file", "directory", "link to nothing", "no parent"])
def test_a_plan_is_never_written_over_what_is_there(
    database: Database, tmp_path: Path, there: str
) -> None:
    job = trouble.abandoned(database)
    file = tmp_path / "plan.json"
    if there == "file":
        file.write_text("mine")
    elif there == "directory":
        file.mkdir()
    elif there == "link to nothing":
        file.symlink_to(tmp_path / "nothing")
    else:
        file = tmp_path / "nowhere" / "plan.json"
    words = ("reclaim", job, "--plan-out", str(file), *APPLY, "--dsn", database.dsn())
    cli.refused(cli.call(*words), Exit.USAGE, "--plan-out", str(file))
    assert untouched(database)
    assert there != "file" or file.read_text() == "mine"


def test_a_plan_whose_jobs_moved_on_changes_nothing(database: Database, saved: Path) -> None:
    queue(database).adopt("w2")
    said = reclaim(database, saved, *APPLY)
    assert said.code == Exit.NOTHING_APPLIED
    assert "changed" in said.stdout
    assert database.execute(b"SELECT worker, epoch FROM aps.job") == [("w2", 2)]


def test_a_saved_plan_of_nothing_applies_nothing(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    here = ("--all", "--state", "adoption", "--dsn", database.dsn())
    assert cli.call("reclaim", *here, "--plan-out", str(file)).code == Exit.NOTHING_APPLIED
    assert reclaim(database, file, *APPLY).code == Exit.NOTHING_APPLIED
