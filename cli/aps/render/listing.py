"""The jobs of one state (`aps inspect --state STATE`): a table with the columns of its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from aps.model import key
from aps.model.report import Evidence, Finding, Job, Report
from aps.render import age, facts, grid, heading, prose, screen
from aps.render.grid import Column, Row
from aps.render.view import View, mark_of


def text(report: Report, view: View) -> str:
    listed = [finding for finding in report.states if finding.state == view.listing]
    head = heading.report(report, view)
    if not report.jobs:
        return prose.paragraphs(
            [[head], [_none(report, listed, view), heading.files(report, view)]]
        )
    unread = any(finding.verdict == "undetermined" for finding in listed)
    doubt = heading.unread(report, listed, view) if unread or report.store.error else ""
    typed = key.typed("aps inspect", [report.jobs[0].job], view.suffix)
    total = "an unknown number" if report.jobs_total is None else str(report.jobs_total)
    shown = f"showing {len(report.jobs)} of {total}"
    hint = "" if view.quiet else f"next:  {view.words(typed)}"
    tail = [shown, doubt, heading.files(report, view), hint]
    return prose.paragraphs([[head], [table(report, view)], tail])


def _none(report: Report, listed: Sequence[Finding], view: View) -> str:
    for finding in listed:
        title = heading.at_level(finding, view)
        match finding.verdict:
            case "undetermined":
                return heading.unread(report, listed, view)
            case "not_looked":
                return f"{title}: not looked, so nothing is known of it"
            case "found" if finding.samples:
                first = ", ".join(view.text(sample) for sample in finding.samples)
                return f"{title}: {screen.count(finding)}, such as {first}"
            case "found":
                return f"{title}: {screen.count(finding)}, and none of them is shown here"
            case "clear" if finding.windowed:
                return f"{title}: no jobs in {age.window(report.window_seconds)}"
            case _:
                return f"{title}: no jobs"
    return "no jobs"


def table(report: Report, view: View) -> str:
    """One line a job, or a piece of evidence where it has several."""
    now = age.read(report.as_of)
    lines = [
        (job, row, _age(job, row, view, now)) for job in report.jobs for row in _rows(job, view)
    ]
    names = _names(lines)
    several = len({job.state for job in report.jobs}) > 1
    refused = any(job.refusal for job in report.jobs)
    columns = [
        Column("JOB", whole=True),
        *([Column("STATE")] if several else []),
        Column("AGE", whole=True),
        *(Column(facts.title(name, view).upper()) for name in names),
        *([Column("NOT PERMITTED")] if refused else []),
    ]
    rows = []
    for job, row, seconds in lines:
        cells = [view.text(job.job), *([view.words(job.state)] if several else [])]
        cells += [age.text(seconds)]
        cells += [facts.value(row, name, view, now, age.ago) for name in names]
        rows.append(Row((*cells, *([view.text(job.refusal)] if refused else [])), mark_of(job)))
    return grid.text(columns, rows, view)


def _names(lines: Sequence[tuple[Job, Evidence, float | None]]) -> list[str]:
    """The columns of the evidence; not `since` where the ages say the same."""
    names = facts.columns([facts.keyed(job, [row])[0] for job, row, _ in lines])
    told = all(row.get("since") is None or age.since(row["since"]) for _, row, _ in lines)
    return [name for name in names if not (name == "since" and told)]


def _age(job: Job, row: Evidence, view: View, now: datetime | None) -> float | None:
    """How long this row has been so, in seconds: what lies over a job has not the age of the job's state."""
    since = age.since(row.get("since"))
    if since and now:
        return max(0.0, (now - since).total_seconds())
    over = view.listing in job.overlays and view.listing in job.evidence
    return None if over else job.age_seconds


def _rows(job: Job, view: View) -> Sequence[Evidence]:
    """The rows of the listed state, else of the job's own; a job without any has its line too."""
    return job.evidence.get(view.listing or job.state) or job.evidence.get(job.state) or ({},)
