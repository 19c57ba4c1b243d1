"""The format for people: tables and paragraphs that fit the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aps.model.completion import Completion
from aps.model.drill import Drill
from aps.model.examination import Examination
from aps.model.operation import Operation
from aps.model.plan import Plan
from aps.model.report import Evidence, Report
from aps.render import (
    applied,
    completed,
    drilled,
    examined,
    listing,
    logged,
    page,
    planned,
    screen,
)
from aps.render.checked import text as check
from aps.render.view import View

__all__ = [
    "check",
    "completion",
    "drill",
    "examination",
    "log",
    "log_operation",
    "operation",
    "plan",
    "report",
]


def report(report: Report, view: View) -> str:
    """Pages where jobs have details, a list where a state is listed, else the first screen."""
    if any(job.detail for job in report.jobs):
        return page.text(report, view)
    if view.listing:
        return listing.text(report, view)
    return screen.text(report, view)


def plan(plan: Plan, view: View, apply: str | None) -> str:
    return planned.text(plan, view, apply)


def operation(operation: Operation, view: View, typed: Mapping[str, str]) -> str:
    return applied.text(operation, view, typed)


def completion(completion: Completion, view: View) -> str:
    return completed.text(completion, view)


def examination(examination: Examination, view: View) -> str:
    return examined.text(examination, view)


def drill(drill: Drill, view: View) -> str:
    return drilled.text(drill, view)


def log(rows: Sequence[Evidence], view: View) -> str:
    return logged.log(rows, view)


def log_operation(
    batches: Sequence[Evidence], entries: Sequence[Evidence], notes: Sequence[str], view: View
) -> str:
    return logged.operation(batches, entries, notes, view)
