"""Comma separated, one header line. No cell is a formula, and control characters are escapes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence

from aps.model.checked import Checked
from aps.model.completion import Completion
from aps.model.drill import Drill
from aps.model.examination import Examination
from aps.model.operation import Operation
from aps.model.plan import Plan
from aps.model.report import Evidence, Report
from aps.render import records, visible
from aps.render.checked import records as checked_records
from aps.render.records import Records, Value
from aps.render.view import View

__all__ = [
    "cell",
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

_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
# The last four are what some spreadsheets take for the first four.
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


def report(report: Report, view: View) -> str:
    return _text(records.report(report, view))


def plan(plan: Plan, view: View, apply: str | None) -> str:
    return _text(records.plan(plan))


def operation(operation: Operation, view: View, typed: Mapping[str, str]) -> str:
    return _text(records.operation(operation))


def completion(completion: Completion, view: View) -> str:
    return _text(records.completion(completion))


def examination(examination: Examination, view: View) -> str:
    return _text(records.examination(examination))


def drill(drill: Drill, view: View) -> str:
    return _text(records.drill(drill))


def log(rows: Sequence[Evidence], view: View) -> str:
    return _text(records.log(rows))


def log_operation(
    batches: Sequence[Evidence], entries: Sequence[Evidence], notes: Sequence[str], view: View
) -> str:
    return _text(records.entries(entries))


def check(checked: Checked, view: View) -> str:
    return _text(checked_records(checked))


def cell(value: Value) -> str:
    """The text of one cell; None is empty, a formula gets an apostrophe in front."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    shown = visible.text(value)
    if _NUMBER.fullmatch(value):
        return shown
    runs = value.startswith(_FORMULA) or value.lstrip(" ").startswith(_FORMULA)
    return f"'{shown}" if runs else shown


def _text(told: Records) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([cell(column) for column in told.columns])
    writer.writerows([cell(value) for value in row] for row in told.rows)
    return written.getvalue().removesuffix("\n")
