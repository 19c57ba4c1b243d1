"""A terminal, a pipe nobody reads, a stream closed, full or ASCII: no traceback, and the same exit code."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from aps.exits import Exit
from tests.support import cli, trouble
from tests.support.database import Database
from tests.support.terminal import terminal

pytestmark = pytest.mark.one_server

PLAIN = re.compile(r"[\n\x20-\x7e·]*")


def shell(script: str, database: Database, **env: str) -> cli.Result:
    """A shell line in which `aps` is this one; its own exit code is printed as `[CODE]` on stderr."""
    command = shlex.join(cli.argv())
    done = subprocess.run(
        ["bash", "-c", f'aps() {{ {command} "$@"; echo "[$?]" >>codes; }}\n{script}'],
        env=cli.environment({"APS_DSN": database.dsn(), **env}),
        capture_output=True,
        cwd=env["HOME"],
        timeout=cli.TIMEOUT,
        check=False,
    )
    return cli.Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def coloured(text: str) -> bool:
    return "\x1b[" in text


@pytest.mark.parametrize(
    ("env", "colour"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
    ids=["plain", "NO_COLOR", "NO_COLOR empty", "dumb"],
)
def test_colour_is_for_terminals_that_want_it(
    database: Database, env: Mapping[str, str], colour: bool
) -> None:
    trouble.abandoned(database, ago="20 min")
    with terminal("inspect", "--dsn", database.dsn(), env=env) as person:
        assert person.end() == Exit.CRITICAL
    assert coloured(person.seen) is colour
    plain = re.sub(r"\x1b\[[0-9;]*m", "", person.seen)
    assert PLAIN.fullmatch(plain), plain
    # The same meaning in the text.
    assert "\n!!  adoption" in plain


@pytest.mark.parametrize("env", [{}, {"TERM": "xterm-256color"}, {"FORCE_COLOR": "1"}], ids=str)
@pytest.mark.parametrize(
    "words", [("inspect",), ("--help",), ("inspect", "--help"), ("inspect", "9")]
)
def test_without_a_terminal_there_are_no_escapes(
    database: Database, words: tuple[str, ...], env: Mapping[str, str]
) -> None:
    trouble.abandoned(database, ago="20 min")
    said = cli.run(*words, env={"APS_DSN": database.dsn(), **env})
    assert not coloured(said.stdout + said.stderr)


@pytest.mark.parametrize("reader", ["true", "head -c 0", "head -n 1"])
@pytest.mark.parametrize("format", ["table", "json", "csv"])
def test_a_reader_that_has_read_enough_changes_nothing(
    database: Database, tmp_path: Path, reader: str, format: str
) -> None:
    trouble.abandoned(database, ago="20 min")
    said = shell(f"aps inspect --format {format} | {reader}", database, HOME=str(tmp_path))
    assert said.stderr == ""
    assert (tmp_path / "codes").read_text() == f"[{Exit.CRITICAL.value}]\n"


def test_the_help_may_be_cut_short(database: Database, tmp_path: Path) -> None:
    said = shell("aps reclaim --help | true; aps --version | true", database, HOME=str(tmp_path))
    assert said.stderr == ""
    assert (tmp_path / "codes").read_text() == "[0]\n[0]\n"


@pytest.mark.parametrize(
    ("redirected", "code"),
    [
        (">&-", Exit.CRITICAL),
        ("2>&-", Exit.CRITICAL),
        ("<&-", Exit.CRITICAL),
        (">&- 2>&- <&-", Exit.CRITICAL),
        ("2>/dev/full", Exit.CRITICAL),
    ],
)
def test_closed_streams_change_nothing(
    database: Database, tmp_path: Path, redirected: str, code: Exit
) -> None:
    trouble.abandoned(database, ago="20 min")
    said = shell(f"aps inspect --show-sql {redirected}", database, HOME=str(tmp_path))
    assert "Traceback" not in said.stderr
    assert (tmp_path / "codes").read_text() == f"[{code.value}]\n"


def test_an_error_never_goes_to_stdout(database: Database, tmp_path: Path) -> None:
    said = shell("aps inspect nope 2>&-", database, HOME=str(tmp_path))
    assert said.stdout == ""
    assert (tmp_path / "codes").read_text() == f"[{Exit.NO_SUCH_JOB.value}]\n"


def test_a_disk_that_is_full_is_one_sentence_and_no_success(
    database: Database, tmp_path: Path
) -> None:
    said = shell("aps inspect >/dev/full", database, HOME=str(tmp_path))
    assert said.stderr == "aps: stdout cannot be written: no space left on device\n"
    assert (tmp_path / "codes").read_text() == "[1]\n"


@pytest.mark.parametrize("format", ["table", "json", "jsonl", "csv", "markdown"])
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_what_the_encoding_lacks_is_written_as_escapes(
    database: Database, format: str, encoding: str
) -> None:
    job = trouble.abandoned(database, worker="wörker-\u4e2d-\U0001f600")
    words = ("inspect", job, "--format", format, "--dsn", database.dsn())
    said = subprocess.run(
        cli.argv(*words),
        env=cli.environment({"PYTHONIOENCODING": encoding}),
        capture_output=True,
        check=False,
    )
    assert (said.returncode, said.stderr) == (Exit.WARNING, b"")
    text = said.stdout.decode(encoding)
    assert r"\u4e2d" in text
    if format == "json":
        evidence = json.loads(text)["jobs"][0]["evidence"]["adoption"][0]
        assert evidence["worker"] == "wörker-\u4e2d-\U0001f600"


@pytest.mark.parametrize("words", [("inspect",), ("inspect", "JOB"), ("reclaim", "JOB"), ("log",)])
@pytest.mark.parametrize("columns", ["60", "80", "100"])
def test_a_screen_stays_within_its_columns(
    database: Database, words: tuple[str, ...], columns: str
) -> None:
    job = trouble.abandoned(database, ago="20 min")
    trouble.ready(database)
    trouble.published(database, "p")
    done = cli.call(
        "reclaim",
        trouble.abandoned(database, "x"),
        "--yes",
        "--reason",
        "w" * 30,
        "--dsn",
        database.dsn(),
    )
    assert done.code == 0
    words = tuple(job if word == "JOB" else word for word in words)
    said = cli.call(*words, env={"COLUMNS": columns, "APS_DSN": database.dsn()})
    long = [line for line in said.stdout.splitlines() if len(line) > int(columns)]
    assert not long, "\n".join(long)
