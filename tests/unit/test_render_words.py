"""Ages, tables and paragraphs: the small parts of every screen."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from aps.render import View, age, facts, grid, prose, visible
from aps.render.grid import Column, Row

NOW = datetime(2026, 11, 30, 21, 40, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (None, "unknown"),
        (0, "0 s"),
        (4.9, "4 s"),
        (119.9, "119 s"),
        (120, "2 min"),
        (2039, "33 min"),
        (7199, "119 min"),
        (7200, "2 h"),
        (172799, "47 h"),
        (172800, "2 d"),
        (3.9 * 86400, "3 d"),
        (-0.4, "0 s"),
    ],
)
def test_an_age_is_floored_and_never_now(seconds: float | None, told: str) -> None:
    assert age.text(seconds) == told


@pytest.mark.parametrize(
    ("seconds", "told"), [(86400, "24 h"), (604800, "7 d"), (900, "15 min"), (90, "90 s")]
)
def test_a_window_is_told_as_it_was_set(seconds: float, told: str) -> None:
    assert age.window(seconds) == told


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("2026-11-30T21:22:58.5+00:00", "21:22:58Z (17 min ago)"),
        ("2026-11-30 21:44:10+00", "21:44:10Z (in 4 min)"),
        ("2026-11-30 23:22:58+02", "21:22:58Z (17 min ago)"),
        ("2026-11-29 21:22:58+00", "2026-11-29 21:22:58Z (24 h ago)"),
        ("infinity", None),
        ("2026-13-30 21:22:58+00", None),
        ("9999-12-31 23:59:59-12", None),
        ("2026-11-30 21:22:58", None),
        ("3", None),
        (None, None),
    ],
)
def test_a_time_is_told_with_its_distance(value: str | None, told: str | None) -> None:
    assert age.both(value, NOW) == told


def test_escapes_are_those_that_python_knows() -> None:
    text = "\x1b\x00\t\n\r\x7f\x9b\u202e\U000e0001"
    assert visible.text(text) == r"\x1b\x00\t\n\r\x7f\x9b\u202e\U000e0001"
    assert visible.text("Grüße, 東京") == "Grüße, 東京"
    assert visible.text("Grüße", ascii_only=True) == r"Gr\xfc\xdfe"


def test_a_table_leaves_numbers_as_they_were_written() -> None:
    rows = [Row(("007", "1e5")), Row(("1,000.50", "True"))]
    text = grid.text([Column("A"), Column("B")], rows, View())
    assert text == "A         B\n007       1e5\n1,000.50  True"


def test_a_table_wraps_text_but_never_what_is_to_be_pasted() -> None:
    columns = [Column("DO", whole=True), Column("WHY")]
    rows = [Row(("aps reclaim 4 --demo --yes", " ".join(["word"] * 20)))]
    lines = grid.text(columns, rows, View(width=60)).split("\n")
    assert len(lines) == 5
    assert lines[1].startswith("aps reclaim 4 --demo --yes  word word")
    assert max(map(len, lines)) <= 60


def test_a_table_too_wide_for_the_screen_becomes_records() -> None:
    columns = [Column("JOB"), *(Column(f"COLUMN{n}") for n in range(8))]
    rows = [Row(("4", *("x" * 12 for _ in range(8))), "!!")]
    text = grid.text(columns, rows, View(width=60))
    assert text.startswith("!! job 4 · column0 xxxxxxxxxxxx · column1 xxxxxxxxxxxx ·\n   column2 ")
    assert max(map(len, text.split("\n"))) <= 60


def test_a_line_breaks_between_its_parts() -> None:
    parts = ["one part of it", "another part", "and a third part of the line"]
    text = prose.line(parts, View(width=44), "  ")
    assert text == "one part of it · another part ·\n  and a third part of the line"


def test_a_label_stands_before_every_paragraph_once() -> None:
    text = prose.labelled("means", "word " * 12, View(width=50))
    assert text.split("\n")[0].startswith("means        word")
    assert all(line.startswith(" " * 13) for line in text.split("\n")[1:])
    assert prose.labelled("not", "", View()) == ""


def test_a_column_that_repeats_the_key_or_the_age_is_left_out() -> None:
    row = {"queue_id": "a", "id": "3", "epoch": "3", "since": "x", "lease_until": "x"}
    assert facts.columns([(("a", "3"), row)]) == ["epoch", "lease_until"]


def test_a_column_that_only_looks_like_the_key_is_shown() -> None:
    rows = [(("3",), {"epoch": "3"}), (("4",), {"epoch": "4"})]
    assert facts.columns(rows) == ["epoch"]
