"""`aps drill`: what it prints, what it writes, and what it does not begin."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from aps.commands import newfile
from aps.demo.binaries import Binaries
from aps.errors import Usage
from aps.exits import Exit
from aps.render import schema
from tests.support import cli, drilling


@pytest.mark.slow
def test_the_report_is_one_json_printed_and_written_and_has_its_circumstances(
    tmp_path: Path,
) -> None:
    output = tmp_path / "report.json"
    said = cli.call("drill", "--group", "1", "--output", str(output), "--format", "json")
    assert said.code == Exit.CLEAR
    assert "1 of 1: Two claimers get different jobs\n" in said.stderr
    assert output.read_text(encoding="utf-8") == said.stdout
    assert os.listdir(tmp_path) == ["report.json"]
    told = json.loads(said.stdout)
    Draft202012Validator(schema.of("drill")).validate(told)
    assert told["asked"] == [1]
    assert told["counts"] == {"holds": 1, "broken": 0, "unfinished": 0}
    assert set(told["versions"]) == {"aps", "python", "postgresql", "platform", "psycopg"}
    assert told["versions"]["postgresql"].startswith("PostgreSQL 18")
    settings = told["settings"]
    assert settings["fsync"] == "off"
    assert settings["TimeZone"] == "UTC"
    assert {"synchronous_commit", "full_page_writes", "deadlock_timeout"} <= set(settings)
    assert "default_transaction_isolation" in settings
    assert "shared_preload_libraries" not in settings
    (one,) = told["rehearsals"]
    assert [seen["observed"] for seen in one["observations"]][:2] == ["1, 2", "w1, w2"]


@pytest.mark.slow
def test_a_broken_copy_of_the_queue_fails_the_group_and_shows_what_was_seen(
    tmp_path: Path, binaries: Binaries
) -> None:
    change = ("SET state = 'running', worker = %(worker)s", "SET state = 'running', worker = 'me'")
    copy = drilling.broken(tmp_path, "worker/claim.sql", *change)
    output = tmp_path / "report.json"
    words = ("--group", "1", "--pack", copy, "--output", str(output), "--quiet")
    prefix = str(binaries.folder.parent)
    said = cli.call("drill", *words, "--postgres-prefix", prefix, env={"COLUMNS": "80"})
    assert said.code == Exit.CRITICAL
    assert said.stderr == ""
    shown = " ".join(said.stdout.split())
    assert "!! the owners on the rows expected w1, w2 observed me, me" in shown
    assert "!! 1 group Two claimers get different jobs BROKEN" in shown
    assert said.stdout.endswith("\ndrill: BROKEN: 1 two claimers\n")
    told = json.loads(output.read_text(encoding="utf-8"))
    assert (told["exit_code"], told["pack"]["name"]) == (Exit.CRITICAL, "copy")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--group", "0"), 2, "--group 0: write a whole number from 1 to "),
        (("--group", "1", "--group", "1000"), 2, "--group 1000: write a whole number from 1 to "),
        (("--group", "one"), 2, "--group one: write a whole number from 1 to "),
        (("--postgres-prefix", "/nowhere"), 31, "/nowhere/bin/initdb is not a program"),
        (("--pack", "agent-requests"), 2, "the drill rehearses the reference queue, or a copy"),
        (("--pack", "articles"), 2, "the drill rehearses the reference queue, or a copy"),
        (("--pack", "nowhere"), 2, "no such pack"),
        (("--format", "xml"), 2, "--format xml: write one of table, json"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_drilled_is_one_sentence(
    words: tuple[str, ...], code: int, told: str
) -> None:
    cli.refused(cli.call("drill", *words), code, told)


def test_an_output_that_cannot_be_new_is_refused_before_anything_starts(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("kept")
    nowhere = tmp_path / "link"
    nowhere.symlink_to(tmp_path / "nothing")
    for output, told in (
        (there, "there is a file already; name a new one"),
        (nowhere, "there is a file already; name a new one"),
        (tmp_path, "there is a file already; name a new one"),
        (tmp_path / "no" / "report", f"there is no folder {tmp_path}/no"),
        (there / "report", "not a directory"),
        (tmp_path / ("n" * 300), "file name too long"),
    ):
        said = cli.call("drill", "--output", str(output))
        cli.refused(said, Exit.USAGE, f"--output {output}", told)
    assert there.read_text() == "kept"
    assert sorted(os.listdir(tmp_path)) == ["link", "there"]


def test_a_report_is_written_whole_and_over_nothing(tmp_path: Path) -> None:
    file = tmp_path / "report"
    newfile.check(file)
    newfile.write(file, "all of it\n")
    assert file.read_text() == "all of it\n"
    link = tmp_path / "link"
    newfile.check(link)
    # Somebody was faster.
    link.symlink_to(tmp_path / "nothing")
    for taken in (file, link):
        with pytest.raises(Usage, match="there is a file already"):
            newfile.write(taken, "another")
    assert sorted(os.listdir(tmp_path)) == ["link", "report"]
    assert file.read_text() == "all of it\n"
