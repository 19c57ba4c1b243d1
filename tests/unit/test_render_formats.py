"""What programs read: JSON by its schema, lines, cells."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, ValidationError

import aps
from aps import render
from aps.render import View, schema
from tests.unit import render_acts as acts
from tests.unit import render_samples as samples
from tests.unit.render_drilled import DRILLED, WRONG
from tests.unit.render_examined import EXAMINED

SCHEMAS = Path(aps.__file__).parent / "schemas"
VIEW = View()
BLANK = replace(
    samples.JOB,
    severity=None,
    since=None,
    age_seconds=None,
    command=None,
    evidence={"adoption": ({"worker": None},)},
    detail=replace(samples.DETAIL, holders=None, operations=None, guidance=()),
)
SAMPLES = {
    "report": [
        render.report(noun, "json", VIEW)
        for noun in (
            samples.EVENING,
            samples.UNREAD,
            samples.PAGES,
            samples.LISTED,
            samples.report(jobs=(BLANK,), jobs_total=None),
        )
    ],
    "plan": [
        render.plan(acts.PLAN, "json", VIEW),
        render.plan(replace(acts.PLAN, irreversible=None, attest="stopped", jobs=()), "json", VIEW),
    ],
    "operation": [
        render.operation(acts.DONE, "json", VIEW),
        render.operation(acts.ROLLED_BACK, "json", VIEW),
    ],
    "examination": [render.examination(EXAMINED, "json", VIEW)],
    "drill": [render.drill(noun, "json", VIEW) for noun in (WRONG, DRILLED)],
    "log": [
        render.log(acts.BATCHES, "json", VIEW),
        render.log([], "json", VIEW),
        render.log_operation(acts.BATCHES, acts.ENTRIES, ["settled"], "json", VIEW),
    ],
}


@pytest.mark.parametrize("noun", schema.NOUNS)
def test_the_shipped_schema_is_the_one_made_from_the_nouns(noun: str) -> None:
    shipped = (SCHEMAS / f"{noun}.schema.json").read_text(encoding="utf-8")
    assert shipped == schema.text(noun), f"write it: python -m aps.render.schema {noun}"


@pytest.mark.parametrize("noun", SAMPLES)
def test_what_is_printed_as_json_is_valid(noun: str) -> None:
    made = schema.of(noun)
    Draft202012Validator.check_schema(made)
    for text in SAMPLES[noun]:
        Draft202012Validator(made).validate(json.loads(text))


@pytest.mark.parametrize("noun", ["report", "plan", "operation", "examination", "drill"])
def test_a_schema_misses_no_field(noun: str) -> None:
    whole = json.loads(SAMPLES[noun][0])
    for name in whole:
        left = {key: value for key, value in whole.items() if key != name}
        with pytest.raises(ValidationError):
            Draft202012Validator(schema.of(noun)).validate(left)


@pytest.mark.parametrize("noun", SAMPLES)
def test_json_begins_with_its_format_version(noun: str) -> None:
    for text in SAMPLES[noun]:
        assert next(iter(json.loads(text))) == "format_version"


def test_jsonl_has_the_report_then_its_states_then_its_jobs() -> None:
    lines = render.report(samples.PAGES, "jsonl", VIEW).split("\n")
    told = [json.loads(line)["record"] for line in lines]
    states = len(samples.PAGES.states)
    assert told == ["report", *["state"] * states, "job", "job"]


def test_jsonl_of_an_operation_has_one_line_a_job() -> None:
    lines = render.operation(acts.DONE, "jsonl", VIEW).split("\n")
    told = [json.loads(line) for line in lines]
    assert [one["record"] for one in told] == ["operation", "row", "row", "row"]
    assert told[1]["after"] == {"state": "ready", "epoch": "4", "worker": None}


def test_a_logged_operation_has_its_columns_as_objects_and_its_time_in_rfc_3339() -> None:
    told = json.loads(SAMPLES["log"][2])
    assert told["entries"][0]["before"] == {"state": "running", "epoch": "3", "worker": "w1"}
    assert told["batches"][0]["at"] == "2026-11-30T21:41:10.200000+00:00"
    assert told["batches"][0]["planned"] == 3


def test_jsonl_of_a_drill_has_its_rehearsals_its_programs_and_its_mutants() -> None:
    lines = render.drill(WRONG, "jsonl", VIEW).split("\n")
    told = [json.loads(line) for line in lines]
    records = ["drill", *["rehearsal"] * 3, "explored", *["mutant"] * 3]
    assert [one["record"] for one in told] == records
    assert told[2]["observations"][1]["observed"] == "1"


def test_csv_of_a_drill_has_a_row_an_observation_and_one_for_what_did_not_end() -> None:
    rows = cells(render.drill(WRONG, "csv", VIEW))
    seen = [row for row in rows if row["record"] == "rehearsal"]
    assert [row["holds"] for row in seen] == ["true", "true", "true", "false", "false", ""]
    assert seen[-1]["error"].startswith("waited 20 s")
    assert [row["name"] for row in rows if row["record"] == "explored"] == [
        "adoption-against-publication"
    ]
    assert [row["notice"] for row in rows if row["record"] == "mutant"] == [
        "noticed",
        "redundant",
        "missed",
    ]


def cells(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), strict=True))


def test_csv_has_a_row_a_state_and_no_zero_for_what_is_unknown() -> None:
    rows = {row["state"]: row for row in cells(render.report(samples.UNREAD, "csv", VIEW))}
    assert rows["adoption"]["jobs"] == "2"
    assert rows["missing_artifact"]["jobs"] == "unknown"
    assert rows["stray_file"]["jobs"] == ""


def test_csv_has_a_row_a_piece_of_evidence_where_jobs_are_asked_for() -> None:
    rows = cells(render.report(samples.PAGES, "csv", VIEW))
    assert [(row["job"], row["evidence_of"]) for row in rows] == [
        ("4", "adoption"),
        ("4", "unconfirmed_result"),
        ("12", ""),
    ]
    assert rows[1]["evidence.item"] == "4/3-9f2c.csv"


def test_csv_of_a_plan_has_the_refused_jobs_with_their_reason() -> None:
    rows = cells(render.plan(acts.PLAN, "csv", VIEW))
    assert [(row["job"], row["planned"]) for row in rows] == [("4", "true"), ("5", "false")]
    assert rows[1]["reason"] == "its lease runs for another 4 min"


def test_markdown_has_a_table_of_states_with_ages() -> None:
    text = render.report(samples.EVENING, "markdown", VIEW)
    assert text.startswith(r"exports on db1/exports as aps\_read · primary, PostgreSQL 18.6 · ")
    assert (
        r"| missing\_artifact | critical | found | 1 | 1 | 33 min | 7 | aps reconcile 7 |" in text
    )


def test_an_empty_list_in_markdown_says_so() -> None:
    text = render.report(samples.report(), "markdown", View(listing="adoption"))
    assert text.endswith("\n\nno jobs")
