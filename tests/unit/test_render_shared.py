"""What many jobs have in common, as lines: one a cause, and nothing in it that a terminal obeys."""

from __future__ import annotations

from aps.model.report import Cause
from aps.render import shared
from aps.render.view import View

VIEW = View(width=200)


def test_the_blocker_is_one_line_however_many_jobs_it_blocks() -> None:
    assert shared.lines([Cause("ready", "blocked_by", "2900", 40, 42)], VIEW) == [
        "cause: 2900 stands in the way of 40 of 42 ready: act on that one alone, then look again"
    ]


def test_what_most_jobs_of_a_state_share_is_one_line_a_state() -> None:
    causes = [
        Cause("adoption", "worker", "w1", 5000, 5000),
        Cause("adoption", "since", "2026-11-30T21:12", 4980, 5000),
        Cause("poisoned", "kind", "pdf", 9, 11),
    ]
    assert shared.lines(causes, VIEW) == [
        "in common: adoption: worker w1 (all 5000), since 2026-11-30T21:12Z (4980 of 5000)",
        "in common: poisoned: kind pdf (9 of 11)",
    ]


def test_nothing_in_common_is_no_line() -> None:
    assert shared.lines([], VIEW) == []
    assert shared.shared([], VIEW, "adoption") == ""


def test_a_name_that_a_terminal_would_obey_is_shown_and_not_obeyed() -> None:
    bell = "w\x1b[31m\x07"
    causes = [
        Cause("ready", "blocked_by", bell, 2, 2),
        Cause("ready", "locked", f"pid 1 ({bell}) holds them", 2, 2),
        Cause("ready", "worker", bell, 11, 11),
    ]
    told = "\n".join(shared.lines(causes, VIEW))
    assert told.replace("\n", "").isprintable()
