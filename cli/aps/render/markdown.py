"""A heading and a pipe table, to paste into a ticket. Nothing in the data is markup."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from aps.model.checked import Checked
from aps.model.completion import Completion
from aps.model.drill import Drill
from aps.model.examination import Examination
from aps.model.operation import Operation
from aps.model.plan import Plan
from aps.model.report import Evidence, Report, Server
from aps.render import age, applied, completed, drilled, heading, records, visible
from aps.render import checked as told
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

_SECONDS = "_seconds"
_STATES = (
    "state",
    "severity",
    "verdict",
    "jobs",
    "items",
    "level",
    "oldest_seconds",
    "worst",
    "do",
    "owner",
    "error",
)
_MARKUP = re.compile(r"[\\`*_\[\]|~#!$]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def report(report: Report, view: View) -> str:
    server = report.database
    at = age.moment(report.as_of, None) or report.as_of
    parts = [
        f"{report.system} on {_where(server)} as {server.role}",
        f"{heading.standing(server)}, PostgreSQL {server.server_version}",
        at,
        f"matrix {report.pack.sha256[:8]}",
    ]
    if report.store.url:
        parts.append(f"store {report.store.url}, {report.store.level}")
    told = records.report(report, view)
    if not records.of_jobs(report, view):
        told = records.only(told, _STATES)
    return _text(parts, told, view, "no jobs")


def _where(server: Server) -> str:
    return f"{server.host}/{server.name}" if server.host else server.name


def plan(plan: Plan, view: View, apply: str | None) -> str:
    parts = [
        f"plan {plan.operation[:8]}",
        plan.command,
        plan.state,
        f"{len(plan.jobs)} of {plan.found} jobs",
        "nothing was changed",
        *([f"irreversible: {plan.irreversible}"] if plan.irreversible else []),
        f"stops if: {plan.criterion}",
    ]
    return _text(parts, records.plan(plan), view, "nothing would be applied")


def operation(operation: Operation, view: View, typed: Mapping[str, str]) -> str:
    parts = [
        f"operation {operation.operation[:8]}",
        operation.command,
        applied.counts(operation),
        *([f"rolled back: {operation.rolled_back}"] if operation.rolled_back else []),
        *(f"not verified: {said}" for said in operation.not_verified),
        *(["interrupted"] if operation.interrupted else []),
    ]
    return _text(parts, records.operation(operation), view, "nothing was applied")


def completion(completion: Completion, view: View) -> str:
    parts = [
        f"job {completion.job}",
        f"epoch {completion.asked.epoch}",
        completed.said(completion),
        completed.level(completion),
    ]
    return _text(parts, records.completion(completion), view, "no answer")


def examination(examination: Examination, view: View) -> str:
    server = examination.database
    parts = [
        f"{examination.system} on {_where(server)} as {server.role}",
        f"{heading.standing(server)}, PostgreSQL {server.server_version}",
        age.moment(examination.as_of, None) or examination.as_of,
        f"matrix {examination.pack.sha256[:8]}",
    ]
    return _text(parts, records.examination(examination), view, "nothing was looked at")


def drill(drill: Drill, view: View) -> str:
    parts = [*drilled.totals(drill), drill.started_at, drilled.verdict(drill)]
    return _text(parts, records.drill(drill), view, "nothing was rehearsed")


def log(rows: Sequence[Evidence], view: View) -> str:
    return _text(["operations in the journal"], records.log(rows), view, "none")


def log_operation(
    batches: Sequence[Evidence], entries: Sequence[Evidence], notes: Sequence[str], view: View
) -> str:
    first: Evidence = batches[0] if batches else {}
    told = [first.get(name) for name in ("operation", "command", "state", "role", "reason")]
    parts = [text for text in (*told, *notes) if text]
    nothing = "nothing stands in this journal"
    return _text(parts or ["operation"], records.entries(entries), view, nothing)


def check(checked: Checked, view: View) -> str:
    parts = [*told.parts(checked), told.counted(checked), *told.total(checked.totality)]
    return _text(parts, told.records(checked), view, "no faults")


def cell(value: Value) -> str:
    """One cell, escaped; None is `-`."""
    if isinstance(value, bool):
        return str(value).lower()
    return plain(visible.quoted(None if value is None else str(value)))


def plain(shown: str) -> str:
    """Words of which nothing is markup."""
    marked = _MARKUP.sub(lambda found: f"\\{found[0]}", shown)
    return "".join(_ENTITIES.get(c, c) for c in marked)


def _text(parts: Sequence[str], told: Records, view: View, nothing: str) -> str:
    """The heading and the table, without the columns that hold nothing at all."""
    head = f" {view.dot} ".join(cell(part) for part in parts)
    if not told.rows:
        return f"{head}\n\n{nothing}"
    kept = [
        n for n in range(len(told.columns)) if any(row[n] not in (None, "") for row in told.rows)
    ]
    lines = [
        [cell(told.columns[n].removesuffix(_SECONDS)) for n in kept],
        ["---"] * len(kept),
        *([_timed(told.columns[n], row[n]) for n in kept] for row in told.rows),
    ]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{head}\n\n{table}"


def _timed(column: str, value: Value) -> str:
    if column.endswith(_SECONDS) and isinstance(value, float | int):
        return age.text(value)
    return cell(value)
