"""A whole noun in, text out: one module a format, loaded when asked for. Nothing is decided here.

The text has no line break at its end. What a person or a database wrote is never obeyed: not by
the terminal, not by a spreadsheet, not by a document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Literal, Protocol, cast, get_args

from aps.model.checked import Checked
from aps.model.completion import Completion
from aps.model.drill import Drill
from aps.model.examination import Examination
from aps.model.operation import Operation
from aps.model.plan import Plan
from aps.model.report import Evidence, Report
from aps.render.view import View

__all__ = [
    "FORMATS",
    "Format",
    "View",
    "completion",
    "drill",
    "examination",
    "log",
    "log_operation",
    "operation",
    "plan",
    "report",
]

Format = Literal["table", "json", "jsonl", "csv", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)


class Renderer(Protocol):
    """What every format can tell."""

    def check(self, checked: Checked, view: View) -> str: ...

    def report(self, report: Report, view: View) -> str: ...

    def plan(self, plan: Plan, view: View, apply: str | None) -> str: ...

    def operation(self, operation: Operation, view: View, typed: Mapping[str, str]) -> str: ...

    def completion(self, completion: Completion, view: View) -> str: ...

    def examination(self, examination: Examination, view: View) -> str: ...

    def drill(self, drill: Drill, view: View) -> str: ...

    def log(self, rows: Sequence[Evidence], view: View) -> str: ...

    def log_operation(
        self,
        batches: Sequence[Evidence],
        entries: Sequence[Evidence],
        notes: Sequence[str],
        view: View,
    ) -> str: ...


def report(report: Report, format: Format, view: View) -> str:
    return _format(format).report(report, view)


def plan(plan: Plan, format: Format, view: View, *, apply: str | None = None) -> str:
    """`apply` is the command line that would apply it, for people."""
    return _format(format).plan(plan, view, apply)


def operation(
    operation: Operation,
    format: Format,
    view: View,
    *,
    typed: Mapping[str, str] | None = None,
) -> str:
    """`typed` has the command lines to go on with, by what they are for: rest, undo, log."""
    return _format(format).operation(operation, view, typed or {})


def completion(completion: Completion, format: Format, view: View) -> str:
    return _format(format).completion(completion, view)


def examination(examination: Examination, format: Format, view: View) -> str:
    return _format(format).examination(examination, view)


def drill(drill: Drill, format: Format, view: View) -> str:
    """In the format for people what stands below the rehearsals: each of these was shown when it ended."""
    return _format(format).drill(drill, view)


def log(rows: Sequence[Evidence], format: Format, view: View) -> str:
    """The operations of the journal, as it returns them."""
    return _format(format).log(rows, view)


def log_operation(
    batches: Sequence[Evidence],
    entries: Sequence[Evidence],
    notes: Sequence[str],
    format: Format,
    view: View,
) -> str:
    """One operation: its batches and entries as the journal returns them, notes in sentences."""
    return _format(format).log_operation(batches, entries, notes, view)


def check(checked: Checked, format: Format, view: View) -> str:
    """What a check of a pack found."""
    return _format(format).check(checked, view)


def _format(format: Format) -> Renderer:
    return cast(Renderer, import_module(f"{__name__}.{format}"))
