"""The runbook, letter by letter. To write the goldens anew: APS_GOLDEN=write, then read the difference."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from aps import matrix
from aps.matrix import runbook as made
from aps.model.report import PackRef
from aps.render import FORMATS, View, runbook, schema
from aps.render.runbook import layout
from tests.unit import runbook_samples as samples
from tests.unit import small_pack

GOLDEN = Path(__file__).parents[1] / "golden"
BOOK = samples.shipped()
# A comment in the matrix changes its digest; only the document must follow that.
PINNED = replace(BOOK, pack=PackRef("aps", "5ha256" * 10))
VIEW = View(width=100)
FILES = {"markdown": "md", "html": "html", "mermaid": "mmd"}


def written(file: Path, text: str) -> str:
    if os.environ.get("APS_GOLDEN") == "write":
        file.write_text(text, encoding="utf-8")
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [60, 100, 140])
def test_the_screens_are_as_agreed(width: int) -> None:
    view = View(width=width)
    adoption = BOOK.page("adoption")
    assert adoption
    shown = f"{runbook.show(PINNED, 'table', view)}\n\n{runbook.explain(PINNED, adoption, 'table', view)}\n"
    assert shown == written(GOLDEN / f"matrix_{width}.txt", shown)


@pytest.mark.parametrize("format", runbook.BOOKS)
def test_the_book_is_as_agreed(format: runbook.Book) -> None:
    text = f"{runbook.book(BOOK if format == 'markdown' else PINNED, format)}\n"
    file = GOLDEN / f"runbook.{FILES[format]}"
    if format == "markdown":
        file = samples.ROOT / "docs" / "runbook.md"
    assert text == written(file, text), (
        "write it: APS_GOLDEN=write pytest tests/unit/test_runbook.py"
    )


@pytest.mark.parametrize("format", runbook.BOOKS)
def test_every_state_says_where_its_evidence_is_and_what_to_type(format: runbook.Book) -> None:
    # Only mermaid codes what it cannot bear and breaks its lines.
    text = runbook.book(BOOK, format).replace("<br/>", " ").replace("#45;", "-")
    text = re.sub(r"</?span>", "", text)
    for page in BOOK.states:
        assert page.title in text
        assert page.evidence.file in text
        assert (page.action.command if page.action else page.look) in text


def test_the_picture_has_every_move_that_the_matrix_declares() -> None:
    text = runbook.book(BOOK, "mermaid")
    for page in BOOK.states:
        for move in page.moves:
            assert re.search(rf"state_{page.state} -->.*state_{move.to}\n", f"{text}\n")
        for to in page.action.to if page.action else ():
            assert re.search(rf"state_{page.state} ==>.*state_{to}\n", f"{text}\n")


@pytest.mark.parametrize("width", [340.0, 760.0])
def test_no_two_boxes_and_no_two_lanes_of_the_picture_overlap(width: float) -> None:
    pages = [page for page in BOOK.states if page.kind == "lifecycle"]
    drawn = layout.picture(pages, {page.state: page.title for page in pages}, width)
    for above, below in zip(drawn.boxes, drawn.boxes[1:], strict=False):
        assert above.y + above.height < below.y
    spans = [
        (way.side, way.lane, min(*way.starts, way.end), max(*way.starts, way.end))
        for way in drawn.ways
    ]
    for place, (side, lane, low, high) in enumerate(spans):
        others = [one for one in spans[:place] if one[:2] == (side, lane)]
        assert all(high < a or b < low for _, _, a, b in others)
    assert all(0 <= drawn.lane(way) <= width for way in drawn.ways)
    assert sum(len(way.starts) for way in drawn.ways) == sum(len(layout.leads(p)) for p in pages)


def test_a_matrix_without_moves_has_a_picture_of_its_actions() -> None:
    bare = samples.filled("x")
    for format in runbook.BOOKS:
        assert "orphan" in runbook.book(bare, format)
    assert "then_missing_artifact" in runbook.book(bare, "mermaid")


def test_what_is_printed_as_json_is_valid() -> None:
    made_schema = schema.of("runbook")
    for book in (BOOK, samples.filled("x")):
        text = runbook.show(book, "json", VIEW)
        Draft202012Validator(made_schema).validate(json.loads(text))
        lines = [json.loads(line) for line in runbook.show(book, "jsonl", VIEW).split("\n")]
        assert [one["state"] for one in lines if one["record"] == "state"] == [
            page.state for page in book.states
        ]


@pytest.mark.parametrize("format", FORMATS)
def test_one_state_is_explained_in_every_format(format: str) -> None:
    page = BOOK.page("poisoned")
    assert page
    text = runbook.explain(BOOK, page, format, VIEW)  # type: ignore[arg-type]
    assert "poisoned" in text
    assert "aps reclaim JOB" in text
    assert "stray_file" not in text


def test_a_screen_fits_its_width_but_for_sql_and_commands() -> None:
    for width in (60, 72, 80, 100):
        assert max(map(len, runbook.show(BOOK, "table", View(width=width)).split("\n"))) <= width


def test_the_command_of_an_action_asks_for_what_it_needs(tmp_path: Path) -> None:
    page = made.of(matrix.load(small_pack.write(tmp_path))).page("adoption")
    assert page
    assert page.action
    assert page.action.apply == 'aps reclaim JOB --yes --reason "..." --attest workers-stopped'


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("-- One.\n-- Two.\nSELECT 1\n", "One.\nTwo."),
        ("/* One.\n * Two. */\nSELECT 1\n", "One.\nTwo."),
        ("SELECT 1\n", ""),
        ("-- One.\nSELECT 1 -- Two.\n", "One."),
    ],
)
def test_a_header_is_the_comment_that_a_query_begins_with(sql: str, says: str) -> None:
    assert made.header(sql) == says
