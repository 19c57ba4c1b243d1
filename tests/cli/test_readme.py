"""The README is true: every command in it is run, in its order, and prints what it shows there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from aps.demo import control
from tests.support.demo import aps, own_folder

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def steps() -> list[tuple[str, str]]:
    """Command and screen, in the order of the README."""
    told = "".join(BLOCKS)
    parts = re.split(r"^\$ (.*)\n", told, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def words(screen: str) -> list[str]:
    """What does not change from run to run: no numbers, ids, times, places; wherever the lines break."""
    place = re.sub(r"\S+ as oncall", "PLACE as oncall", screen)
    place = re.sub(r"store file://\S+,", "store PLACE,", place)
    # A date is told only where it is not today's.
    place = re.sub(r"\d{4}-\d{2}-\d{2} (?=\d)", "", place)
    told = re.sub(r"sha256:\S+|\d+/\S+|\b[0-9a-f]{8}\b|\S+@\S+|[\d:Z-]*\d[\d:Z-]*", "N", place)
    told = re.sub(r"\bN (s|min)\b", "N s", told)
    # Near midnight a time has its date before it, so a run of numbers is one.
    return re.sub(r"\bN(?: N)+\b", "N", " ".join(told.split())).split()


_OPERATION = re.compile(r"^operation (\w{8})", re.MULTILINE)


def same(shown: list[str], printed: list[str], command: str) -> bool:
    """In the journal's table the cells may be broken elsewhere: who asked has another name on every machine."""
    return sorted(shown) == sorted(printed) if command.startswith("aps log") else shown == printed


@pytest.mark.slow
def test_every_command_of_the_incident_prints_what_the_readme_shows() -> None:
    assert len(steps()) >= 10
    ids: dict[str, str] = {}
    with own_folder():
        control.start()
        for command, screen in steps():
            program, *given = shlex.split(command)
            assert program == "aps"
            done = aps(*(ids.get(word, word) for word in given))
            assert words(screen), command
            assert same(words(screen), words(done.stdout), command), (command, done.stdout)
            # An operation has another id in every run.
            ids |= dict(
                zip(_OPERATION.findall(screen), _OPERATION.findall(done.stdout), strict=True)
            )


def test_the_readme_names_the_two_commands_first() -> None:
    first = re.findall(r"^```\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)[1]
    assert first == "make demo\nmake test\n"


def test_every_link_of_the_documents_leads_somewhere() -> None:
    files = [ROOT / "README.md", ROOT / "queries/README.md", *(ROOT / "docs").glob("*.md")]
    for file in files:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", file.read_text(encoding="utf-8")):
            assert "://" in target or (file.parent / target).exists(), f"{file.name}: {target}"
