"""The screens, letter by letter. To write them anew: APS_GOLDEN=write, then read the difference."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from aps import render
from aps.model.report import Verdict
from aps.render import View
from aps.render.drilled import rehearsal
from tests.unit import render_acts as acts
from tests.unit import render_drilled as drilled
from tests.unit import render_samples as samples
from tests.unit.render_examined import EXAMINED

GOLDEN = Path(__file__).parents[1] / "golden"
SCREENS: dict[str, Callable[[View], str]] = {
    "inspect": lambda view: render.report(samples.EVENING, "table", view),
    "inspect_empty": lambda view: render.report(samples.QUIET, "table", view),
    "inspect_unread": lambda view: render.report(samples.UNREAD, "table", view),
    "inspect_job": lambda view: render.report(samples.PAGES, "table", view),
    "inspect_state": lambda view: render.report(
        samples.LISTED, "table", replace(view, listing="adoption")
    ),
    "examination": lambda view: render.examination(EXAMINED, "table", view),
    "drill": lambda view: render.drill(drilled.DRILLED, "table", view),
    "drill_broken": lambda view: "\n\n".join(
        [
            *(rehearsal(one, view) for one in drilled.WRONG.rehearsals),
            render.drill(drilled.WRONG, "table", view),
        ]
    ),
    "plan": lambda view: render.plan(
        acts.PLAN, "table", view, apply='aps reclaim 4 --yes --reason "..."'
    ),
    "plan_withdrawal": lambda view: render.plan(
        acts.WITHDRAWAL, "table", view, apply='aps reconcile 7 --yes --reason "..."'
    ),
    "plan_first": lambda view: render.plan(
        acts.RECLAIM_AT_STORE, "table", view, apply='aps reclaim 4 --yes --reason "..."'
    ),
    "plan_looking": lambda view: render.plan(acts.LOOKED, "table", view, apply="never"),
    "operation": lambda view: render.operation(
        acts.DONE,
        "table",
        view,
        typed={"rest": "aps reclaim 6 --retries 5", "log": "aps log 0b7e41d2"},
    ),
    "operation_rolled_back": lambda view: render.operation(acts.ROLLED_BACK, "table", view),
    "log": lambda view: render.log(acts.BATCHES, "table", view),
    "log_operation": lambda view: render.log_operation(
        acts.BATCHES, acts.ENTRIES, ["it was settled now"], "table", view
    ),
}


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_is_as_agreed_at_60_80_and_120_columns(name: str) -> None:
    shown = "".join(
        f"{f' {width} columns '.center(width, '=')}\n{SCREENS[name](View(width=width))}\n"
        for width in (60, 80, 120)
    )
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("APS_GOLDEN") == "write":
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [60, 61, 72, 80, 100, 132])
@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_fits_its_width(name: str, width: int) -> None:
    lines = SCREENS[name](View(width=width)).split("\n")
    assert [line for line in lines if len(line) > width or line != line.rstrip()] == []


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_without_unicode_is_ascii(name: str) -> None:
    assert SCREENS[name](View(unicode=False)).isascii()


@pytest.mark.parametrize("name", SCREENS)
def test_colour_adds_nothing_to_the_text(name: str) -> None:
    coloured = SCREENS[name](View(colour=True))
    for code in ("\x1b[1;31m", "\x1b[33m", "\x1b[35m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert coloured == SCREENS[name](View())


def test_colour_follows_the_severity() -> None:
    text = render.report(samples.EVENING, "table", View(colour=True))
    assert text.count("\x1b[1;31m!!") == 3
    assert text.count("\x1b[33m !") == 1


def test_an_empty_queue_says_so() -> None:
    assert "there are no unfinished jobs" in render.report(samples.QUIET, "table", View())


def test_an_empty_queue_is_not_claimed_where_something_could_not_be_read() -> None:
    clear = samples.finding("ready", 0)
    unread = replace(samples.UNREAD, states=(clear, *samples.UNREAD.states[-3:]))
    text = render.report(unread, "table", View())
    assert "no unfinished jobs" not in text
    assert "not everything could be" in text
    assert "clear: 1 state at 0" in text


def test_where_nothing_could_be_read_nothing_is_claimed_of_anybody() -> None:
    unread = replace(samples.UNREAD, states=samples.UNREAD.states[-3:])
    text = render.report(unread, "table", View())
    assert "nothing could be read: whether anybody is needed is not known" in text
    assert "needs anybody" not in text


def test_a_queue_without_any_job_has_all_its_states_at_zero() -> None:
    states = [samples.finding(name, 0) for name in ("ready", "adoption", "poisoned")]
    text = render.report(samples.report(*states), "table", View())
    assert "there are no unfinished jobs" in text
    assert "clear: all 3 states at 0" in text


def test_what_is_not_known_is_never_shown_as_zero() -> None:
    finding = samples.finding("adoption", None, None, severity="warning", verdict="found")
    row = next(
        line
        for line in render.report(samples.report(finding), "table", View()).split("\n")
        if line.startswith(" !")
    )
    assert row.split() == ["!", "adoption", "unknown", "unknown", "-", "-", "export-oncall"]


def test_a_state_without_a_job_to_name_leads_to_its_list() -> None:
    stray = samples.finding("stray_file", 0, severity="warning", items=120)
    text = render.report(samples.report(stray), "table", View(suffix="--demo"))
    assert "120 items" in text
    assert text.endswith("next:  aps inspect --state stray_file --demo")


def test_quiet_leaves_out_what_could_be_typed_next_and_no_data() -> None:
    text = render.report(samples.UNREAD, "table", View(quiet=True))
    assert text.startswith("aps · exports")
    for data in ("could not be read: missing artifact", "clear:", "not looked: stray file"):
        assert data in text
    assert "next:" not in text


@pytest.mark.parametrize(
    ("verdict", "jobs", "said"),
    [
        ("clear", 0, "adoption: no jobs"),
        ("not_looked", None, "adoption: not looked, so nothing is known of it"),
        ("undetermined", None, "could not be read: adoption (no reason is known)"),
        ("found", 3, "adoption: 3, and none of them is shown here"),
    ],
)
def test_an_empty_list_says_why(verdict: Verdict, jobs: int | None, said: str) -> None:
    finding = replace(samples.finding("adoption", jobs), verdict=verdict)
    report = samples.report(finding)
    assert render.report(report, "table", View(listing="adoption")).endswith(said)


def test_a_list_of_an_unknown_total_says_so() -> None:
    report = replace(samples.LISTED, jobs_total=None)
    text = render.report(report, "table", View(listing="adoption"))
    assert "showing 2 of an unknown number" in text


def test_a_list_tells_each_age_once() -> None:
    held = {**samples.ADOPTION, "lease_until": None}
    job = replace(samples.JOB, evidence={"adoption": (held,)}, overlays=(), detail=None)
    text = render.report(samples.report(jobs=(job,)), "table", View(listing="adoption"))
    assert text.count("17 min") == 1
    assert "SINCE" not in text


def test_a_list_of_what_lies_over_jobs_has_its_ages_not_those_of_the_jobs() -> None:
    late = {"job_id": "4", "item": "epoch 2 of w1", "since": "2026-11-30T21:38:00+00:00"}
    evidence = {"adoption": (samples.ADOPTION,), "rejected_result": (late,)}
    job = replace(samples.JOB, evidence=evidence, overlays=("rejected_result",), detail=None)
    view = View(listing="rejected_result")
    text = render.report(samples.report(jobs=(job,)), "table", view)
    assert "2 min" in text
    assert "17 min" not in text
    ageless = replace(job, evidence=evidence | {"rejected_result": (late | {"since": None},)})
    assert "unknown" in render.report(samples.report(jobs=(ageless,)), "table", view)


def test_a_job_in_doubt_is_marked_with_a_question_mark() -> None:
    doubtful = replace(samples.DOUBTFUL, detail=None)
    text = render.report(samples.report(jobs=(doubtful,)), "table", View(listing="unclassified"))
    assert "\n?   12" in text


def test_a_plan_without_jobs_offers_no_command() -> None:
    plan = replace(acts.PLAN, jobs=(), attest="all-workers-stopped")
    text = render.plan(plan, "table", View(), apply="aps reclaim 4 --yes")
    assert "nothing would be applied: every job named was refused" in text
    assert "its lease runs for another 4 min" in text
    for label in ("then:", "irreversible:", "attest:", "stops if:", "not watched:", "apply:"):
        assert label not in text


def test_a_plan_of_a_state_in_which_nothing_matches_says_so() -> None:
    plan = replace(acts.PLAN, jobs=(), refused=(), selection="state adoption")
    text = render.plan(plan, "table", View(), apply=None)
    assert text.endswith("nothing would be applied: no job of the state matches")


def test_a_plan_that_asks_for_an_attestation_names_it() -> None:
    plan = replace(acts.PLAN, attest="all-workers-stopped")
    assert "attest:       all-workers-stopped: " in render.plan(plan, "table", View(), apply=None)


def test_an_operation_that_applied_nothing_says_so() -> None:
    done = replace(acts.DONE, rows=(), counts={})
    assert "0 planned: none applied" in render.operation(done, "table", View())


def test_of_many_outcomes_those_not_applied_are_shown() -> None:
    applied = tuple(acts.result(str(n), "applied", "ready") for n in range(100))
    rows = (*applied, acts.result("100", "locked", "held"))
    text = render.operation(replace(acts.DONE, rows=rows), "table", View())
    assert "100  locked   held" in text
    assert "and 51 more applied; --format json has all 101" in text


def test_a_journal_without_operations_says_so() -> None:
    assert render.log([], "table", View()) == "there are no operations in this journal"
    text = render.log_operation([], [], [], "table", View())
    assert text.startswith("nothing of this operation stands in this journal")
