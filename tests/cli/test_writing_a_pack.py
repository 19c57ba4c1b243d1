"""docs/writing-a-pack.md is true: its SQL, edits and commands are done in their order, and print what it shows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from aps import matrix
from tests.support import cli
from tests.support.database import Database

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs/writing-a-pack.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(sql|diff|console)\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
# What a look finds is told by its exit code.
FOUND = (0, 10, 11)


def steps(block: str) -> Iterator[tuple[str, str]]:
    """Command and screen."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    yield from zip(parts[::2], parts[1::2], strict=True)


def edit(block: str) -> None:
    """A diff of one place: the lines without `+` must stand there, once; those without `-` take their place."""
    head, *lines = block.splitlines()
    before, after = head.removeprefix("--- "), lines.pop(0).removeprefix("+++ ")
    old = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
    new = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
    file = Path(after)
    text = "" if before == "/dev/null" else file.read_text(encoding="utf-8")
    assert not old or text.count(old) == 1, f"{after} does not hold once:\n{old}"
    file.write_text(text.replace(old, new) if old else new, encoding="utf-8")


def words(screen: str) -> list[str]:
    """What does not change from run to run: no numbers, ids, times, places; wherever the lines break."""
    told = re.sub(r"on \S+ as \S+(?: \(superuser\))?", "PLACE", " ".join(screen.split()))
    told = re.sub(r"\b(?:labels|postgres)\b", "WHO", told)
    told = re.sub(r"\b[0-9a-f]{8}\b|[\d:Z-]*\d[\d:.Z-]*", "N", told)
    return re.sub(r"\bN(?: N)+\b", "N", told).split()


def run(command: str, screen: str, database: Database, dsn: str) -> None:
    program, *given = shlex.split(command)
    if program == "psql":
        database.execute(Path(given[1]).read_bytes())
        return
    assert program == "aps"
    done = cli.call(*given, env={"APS_DSN": dsn})
    assert done.code in FOUND, done
    assert done.stderr == ""
    assert words(screen) == words(done.stdout), command


@pytest.mark.one_server
def test_the_document_leads_from_a_table_to_a_pack_that_works(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    database.execute(b"DROP SCHEMA aps_journal CASCADE")
    for kind, block in BLOCKS:
        if kind == "sql":
            database.execute(block.encode())
        elif kind == "diff":
            edit(block)
        else:
            for command, screen in steps(block):
                run(command, screen, database, database.dsn("postgres"))
    loaded = matrix.load(tmp_path / "parcels")
    assert loaded.state("missing_artifact") is not None
    assert database.execute(b"SELECT status, epoch FROM parcel WHERE parcel_id = 3") == [
        ("queued", 2)
    ]


def test_the_document_runs_every_command_that_it_promises() -> None:
    told = [command for kind, block in BLOCKS if kind == "console" for command, _ in steps(block)]
    for wanted in ("matrix new", "matrix check", "inspect", "inspect 3", "init", "reclaim 3"):
        assert any(command.startswith(f"aps {wanted}") for command in told), wanted
    assert any("--attest" in command for command in told)


def test_commands_within_the_text_exist() -> None:
    for words_of in re.findall(r"`aps ((?:matrix )?[a-z]+)", DOCUMENT):
        assert cli.call(*words_of.split(), "--help").code == 0, words_of
