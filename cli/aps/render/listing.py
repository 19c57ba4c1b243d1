"""The jobs of one state (`aps inspect --state STATE`): a table with the columns of its evidence."""

from __future__ import annotations

from collections.abc import Sequence

from aps.model import key
from aps.model.report import Evidence, Finding, Job, Report
from aps.render import age, facts, grid, heading, prose, screen
from aps.render.grid import Column, Row
from aps.render.view import View, mark_of


def text(report: Report, view: View) -> str:
    listed = [finding for finding in report.states if finding.state == view.listing]
    head = "" if view.quiet else heading.report(report, view)
    if not report.jobs:
        return prose.paragraphs(
            [[head], [_none(report, listed, view), heading.files(report, view)]]
        )
    unread = any(finding.verdict == "undetermined" for finding in listed)
    doubt = heading.unread(report, listed, view) if unread or report.store.error else ""
    typed = key.typed("aps inspect", [report.jobs[0].job], view.suffix)
    total = "an unknown number" if report.jobs_total is None else str(report.jobs_total)
    shown = f"showing {len(report.jobs)} of {total}"
    tail = [shown, doubt, heading.files(report, view), f"next:  {view.words(typed)}"]
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
    pairs = [(job, row) for job in report.jobs for row in _rows(job, view)]
    keyed = [facts.keyed(job, [row])[0] for job, row in pairs]
    names = facts.columns(keyed)
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
    for job, row in pairs:
        cells = [view.text(job.job), *([view.words(job.state)] if several else [])]
        cells += [age.text(job.age_seconds)]
        cells += [facts.value(row, name, view, now, age.ago) for name in names]
        rows.append(Row((*cells, *([view.text(job.refusal)] if refused else [])), mark_of(job)))
    return grid.text(columns, rows, view)


def _rows(job: Job, view: View) -> Sequence[Evidence]:
    """The rows of the listed state, else of the job's own; a job without any has its line too."""
    return job.evidence.get(view.listing or job.state) or job.evidence.get(job.state) or ({},)
