"""docs/guarantees.md: every cited test exists, every public case is in the table, every link leads somewhere."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "guarantees.md"
TEXT = FILE.read_text(encoding="utf-8")
CASES = ROOT / "tests" / "cases"
CITED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)))
CASE = re.compile(r"(?<![A-Za-z0-9])C\d\d(?!\d)")
PARTS = ("What aps promises", "What it cannot", "Failures that people reported")


def part(title: str) -> str:
    """The text below one heading of the second level."""
    return TEXT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """The cells of every row of its tables, without head and rule."""
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    heads = [n for n, row in enumerate(cells) if set("".join(row)) == {"-"}]
    return [row for n, row in enumerate(cells) if n not in heads and n + 1 not in heads]


def slug(heading: str) -> str:
    """As a heading is named in an address."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@cache
def defined(file: str) -> frozenset[str]:
    source = (ROOT / file).read_text(encoding="utf-8")
    return frozenset(re.findall(r"^def (\w+)", source, re.MULTILINE))


@pytest.mark.parametrize(("file", "name"), CITED)
def test_a_test_that_is_cited_exists(file: str, name: str) -> None:
    assert name.startswith("test_")
    assert name in defined(file), f"{file} has no {name}"


def test_every_citation_is_one_that_is_looked_for() -> None:
    assert len(CITED) > 60
    assert TEXT.count("::") == len(re.findall(r"`tests/[\w/]+\.py::\w+`", TEXT))


def test_every_promise_and_every_case_cites_a_test_and_every_limit_is_said_somewhere() -> None:
    for title in PARTS:
        found = rows(part(title))
        assert len(found) >= 10
        for row in found:
            assert "::" in row[-1] or "](" in row[-1], row
            assert len(row) == (6 if title == PARTS[-1] else 3), row
    assert [row[0] for row in rows(part(PARTS[0]) + part(PARTS[2])) if "::" not in row[-1]] == []


def test_every_public_case_that_is_tested_is_in_the_table_once() -> None:
    wanted = {
        found.group(1).upper()
        for file in (CASES / "rows").glob("*.sql")
        if (found := re.search(r"_(c\d\d)_", file.name))
    }
    for file in CASES.glob("*.py"):
        source = file.read_text(encoding="utf-8")
        wanted |= set(CASE.findall(source))
        wanted |= {f"C{number}" for number in re.findall(r"_c(\d\d)_", source)}
    assert len(wanted) > 20
    assert [row[0] for row in rows(part(PARTS[-1]))] == sorted(wanted)


def test_a_case_cites_tests_that_are_named_after_it() -> None:
    for row in rows(part(PARTS[-1])):
        for name in re.findall(r"::(\w+)", row[-1]):
            assert f"_{row[0].lower()}_" in name, (row[0], name)


def test_every_link_leads_to_a_file_and_to_a_heading_of_it() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        name, _, anchor = target.partition("#")
        file = FILE.parent / name if name else FILE
        assert file.is_file(), target
        heads = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert not anchor or anchor in map(slug, heads), target


def test_it_is_short_and_names_nothing_outside_the_project() -> None:
    assert len(TEXT.splitlines()) <= 200
    assert "../" not in TEXT
