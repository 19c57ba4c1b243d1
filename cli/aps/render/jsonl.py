"""One JSON object a line, each with its `record`: the noun without its lists, then its elements."""

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
    return _lines("report", report, {"states": "state", "jobs": "job"})


def plan(plan: Plan, view: View, apply: str | None) -> str:
    return _lines("plan", plan, {"jobs": "job", "refused": "refused"})


def operation(operation: Operation, view: View, typed: Mapping[str, str]) -> str:
    return _lines("operation", operation, {"rows": "row"})


def completion(completion: Completion, view: View) -> str:
    return _lines("completion", completion, {})


def examination(examination: Examination, view: View) -> str:
    return _lines("examination", examination, {"checks": "check"})


def drill(drill: Drill, view: View) -> str:
    lists = {"rehearsals": "rehearsal", "explored": "explored", "mutants": "mutant"}
    return _lines("drill", drill, lists)


def log(rows: Sequence[Evidence], view: View) -> str:
    return _lines("log", logs.log(rows), {"operations": "operation"})


def log_operation(
    batches: Sequence[Evidence], entries: Sequence[Evidence], notes: Sequence[str], view: View
) -> str:
    noun = logs.operation(batches, entries, notes)
    return _lines("logged_operation", noun, {"batches": "batch", "entries": "entry"})


def check(checked: Checked, view: View) -> str:
    return _lines("checked", checked, {"findings": "finding"})


def _lines(record: str, noun: Any, lists: Mapping[str, str]) -> str:
    data = tree.of(noun)
    head = {name: value for name, value in data.items() if name not in lists}
    records = [{"record": record, **head}]
    records += [{"record": of, **item} for name, of in lists.items() for item in data[name]]
    return "\n".join(tree.dump(one) for one in records)
