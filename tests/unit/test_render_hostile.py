"""Evidence comes from a database and may hold anything; no format lets it act."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aps import render
from aps.model.drill import Drill, Mutant, Observation, Violation
from aps.model.report import Job, Report
from aps.render import Format, View
from aps.render import csv as csv_format
from aps.render import markdown as markdown_format
from aps.render.drilled import rehearsal
from tests.unit import render_acts as acts
from tests.unit import render_drilled as drilled
from tests.unit import render_samples as samples

HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07",
    "a\rb\nc\td\x00\x7f\x9b31m",
    "\u202egnp.exe\u2066\u2069\u200b\ufeff\u2028",
    "\ud800",
    '=HYPERLINK("http://x")',
    "@SUM(A1)",
    "\t=1",
    "| ` * _ <script> & [x](y)",
    "\U000e0041",
    "\ue000",
)
TEXT = st.text(st.characters(exclude_categories=()), max_size=30)


def job(text: str) -> Job:
    row = {**samples.ADOPTION, "worker": text, f"c{text}": text}
    said = replace(samples.GUIDANCE, means=text, title=text, contact=text)
    detail = replace(samples.DETAIL, guidance=(said,), context={text: (row,)}, errors=(text,))
    return replace(
        samples.JOB,
        job=text,
        evidence={"adoption": (row,)},
        refusal=text,
        command=text,
        detail=detail,
    )


def report(text: str, *, named: bool) -> Report:
    one = job(text) if named else replace(job(text), detail=None)
    needy = samples.finding("adoption", 1, 5, severity="critical", worst=text, do=f"do {text}")
    unread = samples.finding("ready", None, verdict="undetermined", title=text, error=text)
    server = replace(samples.SERVER, name=text, role=text, host=text)
    return samples.report(needy, unread, jobs=(one,), database=server, system=text)


def drill(text: str) -> Drill:
    """The text in every place that a script, a database or a queue may fill."""
    seen = tuple(Observation(text, text, text, holds) for holds in (True, False))
    one = replace(drilled.BROKEN, title=text, done=(text,), observations=seen, error=text)
    one = replace(one, name=text, proves=text, does_not_prove=text)
    sessions = {text: (text,)}
    violation = Violation(text, text, (text,))
    program = replace(drilled.EXPLORED, program=text, sessions=sessions, violations=(violation,))
    mutant = Mutant(text, text, "missed", text, 1, (text,))
    versions = {**drilled.DRILLED.versions, "postgresql": f"PostgreSQL {text}"}
    pack = replace(drilled.DRILLED.pack, name=text)
    made = replace(drilled.WRONG, rehearsals=(one,), explored=(program,), mutants=(mutant,))
    return replace(made, versions=versions, pack=pack)


def shown(text: str, format: Format) -> list[str]:
    """The text in every place of every noun, in one format."""
    view = View(colour=False)
    plan = replace(acts.PLAN, jobs=(replace(acts.PLAN.jobs[0], job=text),), effect=text)
    result = replace(acts.DONE.rows[0], job=text, detail=text, before={text: text})
    row = {"operation": text, "reason": text, "job": text, "before": text, text: text}
    return [
        render.report(report(text, named=False), format, view),
        render.report(report(text, named=True), format, view),
        render.report(report(text, named=False), format, replace(view, listing="adoption")),
        render.plan(plan, format, view, apply=text),
        render.operation(
            replace(acts.DONE, rows=(result,), rolled_back=text), format, view, typed={"rest": text}
        ),
        render.drill(drill(text), format, view),
        rehearsal(drill(text).rehearsals[0], view),
        render.log([row], format, view),
        render.log_operation([row], [row], [text], format, view),
    ]


def controls(text: str) -> set[str]:
    """What no terminal may see, in the words of the rule and not of the code."""
    ranges = (
        range(0x20),
        range(0x7F, 0xA0),
        range(0x200B, 0x2010),
        range(0x2028, 0x202F),
        range(0x2060, 0x2070),
        range(0xD800, 0xE000),
    )
    single = {0xFEFF, 0xAD}
    bad = single.union(*ranges) - {ord("\n")}
    return {c for c in text if ord(c) in bad}


@pytest.mark.parametrize("format", render.FORMATS)
@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_string_reaches_no_terminal_raw(text: str, format: Format) -> None:
    assert [controls(one) for one in shown(text, format)] == [set()] * 9


@settings(deadline=None)
@given(text=TEXT, format=st.sampled_from(render.FORMATS))
def test_no_control_character_is_in_any_output(text: str, format: Format) -> None:
    assert [controls(one) for one in shown(text, format)] == [set()] * 9


@settings(deadline=None)
@given(text=TEXT)
def test_json_keeps_the_data_exactly(text: str) -> None:
    whole = json.loads(render.report(report(text, named=True), "json", View()))
    lines = render.report(report(text, named=True), "jsonl", View()).split("\n")
    last = json.loads(lines[-1])
    assert last.pop("record") == "job"
    assert whole["jobs"] == [last]
    assert whole["jobs"][0]["evidence"]["adoption"][0]["worker"] == text
    assert whole["jobs"][0]["detail"]["guidance"][0]["not"] == samples.GUIDANCE.not_


def test_json_can_be_encoded_whatever_it_holds() -> None:
    text = render.report(report("".join(HOSTILE), named=True), "json", View())
    assert "\\u2028" in text
    assert text.encode("utf-8")


@settings(deadline=None)
@given(text=TEXT)
def test_csv_reads_back_as_its_cells(text: str) -> None:
    listed = View(listing="adoption")
    written = render.report(report(text, named=False), "csv", listed)
    header, row = csv.reader(io.StringIO(written), strict=True)
    cells = dict(zip(header, row, strict=True))
    assert cells["evidence.worker"] == csv_format.cell(text)
    assert cells["refusal"] == csv_format.cell(text)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+1", "@x", "\tx", "\rx", " =1", "\uff1d1"])
def test_a_formula_is_text_in_csv(text: str) -> None:
    assert csv_format.cell(text).startswith("'")


@pytest.mark.parametrize("number", ["-1", "-1.5", "-2e-7", "7", "0"])
def test_a_number_stays_a_number_in_csv(number: str) -> None:
    assert csv_format.cell(number) == number


@settings(deadline=None)
@given(text=TEXT)
def test_nothing_in_markdown_is_markup(text: str) -> None:
    cell = markdown_format.cell(text)
    plain = cell
    for escaped in (*(f"\\{c}" for c in "\\|`*_[]~#!$"), "&amp;", "&lt;", "&gt;"):
        plain = plain.replace(escaped, "")
    assert set(plain).isdisjoint("\\|`*_[]<>&\n")


@settings(deadline=None)
@given(text=TEXT)
def test_a_markdown_table_keeps_its_columns(text: str) -> None:
    told = render.report(report(text, named=False), "markdown", View(listing="adoption"))
    lines = told.split("\n\n", 1)[1].split("\n")
    bare = [line.replace("\\\\", "").replace("\\|", "") for line in lines]
    assert len(lines) == 3
    assert len({line.count("|") for line in bare}) == 1


def test_an_empty_value_and_an_edge_of_spaces_can_be_seen() -> None:
    assert 'worker ""' in render.report(report("", named=True), "table", View())
    assert 'worker " w1"' in render.report(report(" w1", named=True), "table", View())


def test_a_very_long_value_is_cut_and_counted() -> None:
    row = {**samples.ADOPTION, "worker": "x" * 5000}
    one = replace(samples.JOB, evidence={"adoption": (row,)})
    text = render.report(samples.report(jobs=(one,)), "table", View())
    assert "xxx... (5000 characters)" in " ".join(text.split())
    assert "x" * 401 not in text


def test_an_evil_job_is_quoted_in_the_command_to_paste() -> None:
    needy = samples.finding("adoption", 1, severity="warning", worst="4; rm -rf /")
    text = render.report(samples.report(needy), "table", View())
    assert text.endswith("next:  aps inspect '4; rm -rf /'")
