"""Nouns as flat rows of plain values, for csv and markdown: the same columns in every row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from aps.model.completion import Completion
from aps.model.drill import Drill
from aps.model.examination import Examination
from aps.model.operation import Operation
from aps.model.plan import Plan
from aps.model.report import Evidence, Finding, Job, Report
from aps.render import tree
from aps.render.view import View

Value = str | int | float | bool | None

# Where a state could not be read these are not known, which is not the same as nothing there.
_MEASURED = ("jobs", "items", "oldest_seconds", "locked")


@dataclass(frozen=True, slots=True)
class Records:
    """None is a value that does not apply; what applies and is not known is the text `unknown`."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


def of(rows: Iterable[Mapping[str, Value]], columns: Sequence[str] = ()) -> Records:
    """These columns first, then every other in the order in which it comes."""
    listed = list(rows)
    names = tuple(dict.fromkeys([*columns, *(name for row in listed for name in row)]))
    return Records(names, tuple(tuple(row.get(name) for name in names) for row in listed))


def only(told: Records, columns: Sequence[str]) -> Records:
    """The same rows with these of their columns."""
    places = [told.columns.index(column) for column in columns]
    return Records(tuple(columns), tuple(tuple(row[n] for n in places) for row in told.rows))


def report(report: Report, view: View) -> Records:
    """The jobs with their evidence where jobs were asked for, else the states."""
    if of_jobs(report, view):
        return of((row for job in report.jobs for row in _job(job)), tuple(_told(_NOBODY)))
    return of(map(_state, report.states))


def of_jobs(report: Report, view: View) -> bool:
    return view.listing is not None or any(job.detail for job in report.jobs)


def _state(finding: Finding) -> Mapping[str, Value]:
    row: dict[str, Value] = tree.of(finding) | {"samples": ", ".join(finding.samples) or None}
    if finding.verdict == "not_looked":
        return row | dict.fromkeys(_MEASURED)
    if finding.verdict == "undetermined":
        return row | {name: "unknown" for name in _MEASURED if row[name] is None}
    return row


_NOBODY = Job("", "", (), None, None, None, {}, False, None, None)


def _told(job: Job) -> dict[str, Value]:
    row: dict[str, Value] = tree.of(job)
    apart = ("evidence", "detail", "commands")
    told = {name: value for name, value in row.items() if name not in apart}
    return told | {"overlays": " ".join(job.overlays) or None, "evidence_of": None}


def _job(job: Job) -> Iterable[Mapping[str, Value]]:
    """One row a piece of evidence, which `evidence_of` names; its columns are `evidence.COLUMN`."""
    if not any(job.evidence.values()):
        yield _told(job)
    for state, rows in job.evidence.items():
        for row in rows:
            yield _told(job) | {"evidence_of": state} | _evidence(row)


def _evidence(row: Evidence) -> dict[str, Value]:
    return {f"evidence.{name}": value for name, value in row.items()}


def plan(plan: Plan) -> Records:
    """The planned jobs with their evidence, then the refused ones with their reason."""
    shared: dict[str, Value] = {"operation": plan.operation, "command": plan.command}
    rows: list[Mapping[str, Value]] = []
    for job in plan.jobs:
        then = shared | {"job": job.job, "planned": True, "state": plan.state, "then": plan.effect}
        rows += [then | _evidence(row) for row in job.evidence or ({},)]
    for refused in plan.refused:
        left = shared | {"job": refused.job, "planned": False, "state": refused.state}
        rows.append(left | {"reason": refused.reason})
    return of(rows, ("operation", "command", "job", "planned", "state", "then", "reason"))


def operation(operation: Operation) -> Records:
    shared: dict[str, Value] = {"operation": operation.operation, "command": operation.command}
    rows = [
        shared
        | {"job": row.job, "outcome": row.outcome, "detail": row.detail}
        | {f"before.{name}": value for name, value in (row.before or {}).items()}
        | {f"after.{name}": value for name, value in (row.after or {}).items()}
        for row in operation.rows
    ]
    return of(rows, ("operation", "command", "job", "outcome", "detail"))


def completion(completion: Completion) -> Records:
    told = ("answer", "final", "reason", "next", "level", "exit_code")
    row: dict[str, Value] = {"job": completion.job}
    row |= {name: getattr(completion, name) for name in told}
    row |= {f"asked.{name}": value for name, value in asdict(completion.asked).items()}
    return of([row | _evidence(completion.evidence)])


_LOG = (
    "operation",
    "at",
    "command",
    "state",
    "role",
    "client_user",
    "applied",
    "planned",
    "reason",
)


def examination(examination: Examination) -> Records:
    rows: list[Mapping[str, Value]] = [
        {
            "check": check.name,
            "verdict": check.verdict,
            "sentence": check.sentence,
            "remedy": " ".join(check.remedy) or None,
        }
        for check in examination.checks
    ]
    return of(rows, ("check", "verdict", "sentence", "remedy"))


_DRILL = ("record", "number", "kind", "name", "title", "verdict", "seconds")


def drill(drill: Drill) -> Records:
    """One row an observation, and one for the error of a rehearsal; then one a program, then one a mutant."""
    rows: list[Mapping[str, Value]] = []
    for one in drill.rehearsals:
        told: dict[str, Value] = tree.of(one)
        of_it = {"record": "rehearsal", **{name: told[name] for name in _DRILL[1:]}}
        rows += [of_it | tree.of(seen) for seen in one.observations]
        if one.error or not one.observations:
            rows.append(of_it | {"error": one.error})
    for program in drill.explored:
        row: dict[str, Value] = {"record": "explored", "name": program.program}
        row |= {"interleavings": program.interleavings, "waits": program.waits}
        rows.append(row | {"holds": not program.violations})
    for mutant in drill.mutants:
        flat = {name: value for name, value in tree.of(mutant).items() if name != "steps"}
        rows.append({"record": "mutant"} | flat)
    return of(rows, (*_DRILL, "what", "expected", "observed", "holds", "error"))


def log(rows: Sequence[Evidence]) -> Records:
    return of(rows, _LOG)


def entries(entries: Sequence[Evidence]) -> Records:
    return of(entries, ("job", "item", "phase", "outcome", "detail", "before", "after"))
