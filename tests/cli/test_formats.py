"""What programs read: valid by the schemas that are shipped, and harmless whatever the database holds."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import aps
from aps.exits import Exit
from tests.support import cli, trouble
from tests.support.database import Database

pytestmark = pytest.mark.one_server

SCHEMAS = Path(aps.__file__).parent / "schemas"
HOSTILE = "=cmd|' /C calc'!A0\x1b[31m\x1b]0;owned\x07\u202egnp\r\nx,y\"\t|<b>&`*"
# What `aps` prints, by the noun whose schema describes it.
NOUNS = {
    "first screen": ("report", ("inspect",)),
    "job": ("report", ("inspect", "JOB")),
    "list": ("report", ("inspect", "--state", "adoption")),
    "preview": ("plan", ("reclaim", "JOB")),
    "preview of all": ("plan", ("reclaim", "--all", "--state", "adoption")),
    "apply": ("operation", ("reclaim", "JOB", "--yes", "--reason", HOSTILE)),
    "log": ("log", ("log",)),
    "logged operation": ("log", ("log", "OPERATION")),
}


@pytest.fixture
def queue(database: Database) -> Database:
    """A queue with hostile names in it, and one operation done to it."""
    done = trouble.abandoned(database, "done", worker="w0")
    said = cli.call("reclaim", done, "--yes", "--reason", HOSTILE, "--dsn", database.dsn())
    assert said.code == 0
    trouble.leased(database, "hold")
    trouble.abandoned(database, "a", worker=HOSTILE, ago="20 min")
    trouble.published(database)
    return database


def shown(queue: Database, noun: str, format: str) -> str:
    job = str(queue.execute(b"SELECT job_id FROM aps.job WHERE worker = %s", [HOSTILE])[0][0])
    operation = str(queue.execute(b"SELECT operation FROM aps_journal.batch")[0][0])
    names = {"JOB": job, "OPERATION": operation}
    words = [names.get(word, word) for word in NOUNS[noun][1]]
    said = cli.call(*words, "--format", format, "--dsn", queue.dsn())
    assert said.code in (Exit.CLEAR, Exit.CRITICAL), said
    assert said.stderr == ""
    return said.stdout


@pytest.mark.parametrize("noun", NOUNS)
def test_json_is_valid_by_its_schema(queue: Database, noun: str) -> None:
    schema = json.loads((SCHEMAS / f"{NOUNS[noun][0]}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(shown(queue, noun, "json")))


@pytest.mark.parametrize("noun", NOUNS)
def test_json_lines_are_one_object_a_line(queue: Database, noun: str) -> None:
    lines = [json.loads(line) for line in shown(queue, noun, "jsonl").splitlines()]
    assert all(isinstance(line["record"], str) for line in lines)
    assert lines[0]["format_version"] == "1.0"


@pytest.mark.parametrize("noun", NOUNS)
def test_csv_is_a_table_and_no_cell_is_a_formula(queue: Database, noun: str) -> None:
    text = shown(queue, noun, "csv")
    rows = list(csv.reader(io.StringIO(text), strict=True))
    assert len({len(row) for row in rows}) == 1
    assert len(set(rows[0])) == len(rows[0])
    for cell in (cell for row in rows for cell in row):
        assert not cell.startswith(("=", "+", "@", "\t", "\r"))


@pytest.mark.parametrize("format", ["table", "markdown", "csv", "json", "jsonl"])
@pytest.mark.parametrize("noun", NOUNS)
def test_nothing_in_the_data_reaches_the_terminal_raw(
    queue: Database, noun: str, format: str
) -> None:
    raw = {
        c
        for c in shown(queue, noun, format)
        if c != "\n" and unicodedata.category(c) in ("Cc", "Cf")
    }
    assert not raw


def test_json_has_the_data_as_it_is(queue: Database) -> None:
    report = json.loads(shown(queue, "job", "json"))
    assert report["jobs"][0]["evidence"]["adoption"][0]["worker"] == HOSTILE
    log = json.loads(shown(queue, "log", "json"))
    assert log["operations"][0]["reason"] == HOSTILE


def test_json_and_the_exit_code_agree(queue: Database) -> None:
    def both(*words: str) -> tuple[int, Any]:
        said = cli.call(*words, "--format", "json", "--dsn", queue.dsn())
        return said.code, json.loads(said.stdout)

    code, report = both("inspect")
    assert code == report["exit_code"] == Exit.CRITICAL
    assert report["database"]["name"] == queue.name
    assert report["jobs_total"] == len(report["jobs"]) == 1
    code, plan = both("reclaim", "--all", "--state", "adoption")
    assert (code, len(plan["jobs"]), plan["found"]) == (Exit.CLEAR, 1, 1)
    ready = queue.execute(b"SELECT job_id::text FROM aps.job WHERE state = 'complete'")[0][0]
    code, operation = both("reclaim", ready, "--yes", "--reason", "x")
    assert code == operation["exit_code"] == Exit.REFUSED


def test_markdown_is_a_table_whose_cells_hold_no_markup(queue: Database) -> None:
    text = shown(queue, "list", "markdown")
    assert "<b>" not in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert len(tables) >= 3
