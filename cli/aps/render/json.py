"""One JSON object: the whole noun. Its schema is in aps/schemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aps.model.checked import Checked
from aps.model.completion import Completion
from aps.model.drill import Drill
from aps.model.examination import Examination
from aps.model.operation import Operation
from aps.model.plan import Plan
from aps.model.report import Evidence, Report
from aps.render import logs, tree
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
    return _text(report)


def plan(plan: Plan, view: View, apply: str | None) -> str:
    return _text(plan)


def operation(operation: Operation, view: View, typed: Mapping[str, str]) -> str:
    return _text(operation)


def completion(completion: Completion, view: View) -> str:
    return _text(completion)


def examination(examination: Examination, view: View) -> str:
    return _text(examination)


def drill(drill: Drill, view: View) -> str:
    return _text(drill)


def log(rows: Sequence[Evidence], view: View) -> str:
    return _text(logs.log(rows))


def log_operation(
    batches: Sequence[Evidence], entries: Sequence[Evidence], notes: Sequence[str], view: View
) -> str:
    return _text(logs.operation(batches, entries, notes))


def check(checked: Checked, view: View) -> str:
    return _text(checked)


def _text(noun: Any) -> str:
    return tree.dump(tree.of(noun), indent=2)
