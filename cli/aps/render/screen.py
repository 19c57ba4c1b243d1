"""The first screen of `aps inspect`: who is needed, what was not read, what is fine, what next."""

from __future__ import annotations

from collections.abc import Sequence

from aps.model import key
from aps.model.report import Finding, Report
from aps.render import age, grid, heading, prose, shared
from aps.render.grid import Column, Row
from aps.render.view import View, mark

_COLUMNS = (
    Column("STATE", named=False),
    Column("JOBS", right=True),
    Column("OLDEST", whole=True),
    Column("WORST JOB"),
    Column("DO", whole=True),
    Column("OWNER"),
)


def text(report: Report, view: View) -> str:
    needy = [finding for finding in report.states if finding.severity]
    table = grid.text(_COLUMNS, [_row(finding, view) for finding in needy], view) if needy else ""
    rest = [_partial(report), heading.unread(report, report.states, view)]
    rest += [_clear(report, view), _not_looked(report, view), heading.files(report, view)]
    if not view.quiet:
        rest.append(_next(needy, view))
    head = heading.report(report, view)
    common = shared.lines(report.causes, view)
    return prose.paragraphs([[head], [table or _nobody(report)], common, rest])


def _row(finding: Finding, view: View) -> Row:
    cells = (
        heading.at_level(finding, view),
        count(finding, brief=True),
        age.text(finding.oldest_seconds),
        view.text(finding.worst),
        view.text(view.brief(finding.do)),
        view.words(finding.owner),
    )
    return Row(cells, mark(finding.severity))


def count(finding: Finding, *, brief: bool = False) -> str:
    """Jobs, with their items where these are others; items alone where no job has them."""
    jobs, items = finding.jobs, finding.items
    if not jobs:
        return (
            f"{items} {'item' if items == 1 else 'items'}"
            if items
            else "unknown"
            if jobs is None
            else "0"
        )
    return str(jobs) if brief or items in (None, jobs) else f"{jobs} ({items} items)"


def _nobody(report: Report) -> str:
    """What is said in place of an empty table: silence would look like success."""
    unfinished = [f for f in report.states if f.kind == "lifecycle" and not f.windowed]
    if any(finding.verdict == "undetermined" for finding in report.states):
        lifecycle = (f.verdict for f in report.states if f.kind == "lifecycle")
        if not {"found", "clear"} & set(lifecycle):
            return "nothing could be read: whether anybody is needed is not known"
        return "nothing needs anybody in what could be read; not everything could be"
    if all(finding.jobs == 0 for finding in unfinished):
        return "there are no unfinished jobs in this queue"
    return "nothing needs anybody"


def _partial(report: Report) -> str:
    """How much of the matrix this answer rests on, where that is not all of it."""
    unread = sum(finding.verdict == "undetermined" for finding in report.states)
    total = len(report.states)
    return f"a partial answer: {total - unread} of {total} states" if unread else ""


def _clear(report: Report, view: View) -> str:
    """The states that need nobody, with their counts; those at zero only counted."""
    calm = [finding for finding in report.states if not finding.severity]
    told = [_calm(finding, report, view) for finding in calm if finding.verdict == "found"]
    zero = sum(finding.verdict == "clear" for finding in calm)
    if zero:
        told.append(f"{zero} more at 0" if told else _all_at_zero(report, zero))
    return _line("clear:", told, view)


def _all_at_zero(report: Report, zero: int) -> str:
    """`all` only where no other state needs somebody or could not be read."""
    every = all(finding.verdict in ("clear", "not_looked") for finding in report.states)
    return f"{'all ' if every and zero > 1 else ''}{zero} state{'s' if zero > 1 else ''} at 0"


def _calm(finding: Finding, report: Report, view: View) -> str:
    said = f"{heading.name(finding, view)} {count(finding)}"
    if finding.windowed:
        said += f" in {age.window(report.window_seconds)}"
    notes = [finding.level] if finding.level else []
    notes += [view.text(sample) for sample in finding.samples]
    if not finding.windowed and finding.oldest_seconds is not None:
        notes.append(f"oldest {age.text(finding.oldest_seconds)}")
    if finding.locked:
        notes.append(f"at least {finding.locked} locked now")
    return f"{said} ({', '.join(notes)})" if notes else said


def _not_looked(report: Report, view: View) -> str:
    told = [heading.name(f, view) for f in report.states if f.verdict == "not_looked"]
    if told and not report.store.url:
        told[-1] += " (no store was given)"
    return _line("not looked:", told, view)


def _line(label: str, told: Sequence[str], view: View) -> str:
    if not told:
        return ""
    listed = ", ".join(told)
    return "\n".join(prose.wrapped(f"{label} {listed}", view.columns, rest="  "))


def _next(needy: Sequence[Finding], view: View) -> str:
    """The look at the worst job, or the list of a state that has no job to name."""
    if not needy:
        return ""
    first = needy[0]
    narrowed = f"--state {first.state} {view.suffix}".strip()
    options = view.suffix if first.worst else narrowed
    typed = key.typed("aps inspect", [first.worst] if first.worst else [], options)
    return f"next:  {view.words(typed)}"
