"""What an apply would do, for a person who decides: the jobs, what becomes of them, the terms."""

from __future__ import annotations

from aps.model.plan import Plan, PlannedJob
from aps.model.report import Evidence
from aps.model.runbook import FENCING
from aps.render import age, facts, grid, heading, prose
from aps.render.grid import Column, Row
from aps.render.prose import labelled
from aps.render.view import View

_NOT_WATCHED = "other tables than that of the jobs are not watched"
_LABEL = 14


def text(plan: Plan, view: View, apply: str | None) -> str:
    """`apply` is the command line that would do it; None where there is none to offer."""
    jobs = _jobs(plan, view) if plan.jobs else f"nothing would be applied: {_why_none(plan)}"
    terms = _terms(plan, view, apply) if plan.jobs else []
    return prose.paragraphs([[_head(plan, view)], [jobs], [_refused(plan, view)], terms])


def _why_none(plan: Plan) -> str:
    if not plan.refused:
        return "no job of the state matches"
    chosen = "that matches" if plan.selection.startswith("state ") else "named"
    return f"every job {chosen} was refused"


def _head(plan: Plan, view: View) -> str:
    where = heading.place(plan.host, plan.database, view)
    now = age.read(plan.created_at)
    parts = [
        f"plan {view.words(plan.operation[:8])}",
        view.words(plan.command),
        view.words(plan.state.replace("_", " ")),
        f"{len(plan.jobs)} of {plan.found} jobs",
        f"expires {age.moment(plan.expires_at, now) or view.words(plan.expires_at)}",
        "nothing was changed",
        view.words(f"{plan.system} on {where} as {plan.role}"),
    ]
    return prose.line(parts, view, "  ")


def _jobs(plan: Plan, view: View) -> str:
    """One line a job, or a piece of evidence where it has several."""
    shown = plan.jobs[: grid.SHOWN]
    pairs = [(job, row) for job in shown for row in _rows(job)]
    names = facts.columns([(job.key, row) for job, row in pairs])
    now = age.read(plan.created_at)
    columns = [
        Column("JOB", whole=True),
        *(Column(facts.title(name, view).upper()) for name in names),
    ]
    rows = [
        Row(
            (
                view.text(job.job),
                *(facts.value(row, name, view, now, age.ago) for name in names),
            )
        )
        for job, row in pairs
    ]
    return grid.text(columns, rows, view) + _rest(len(plan.jobs))


def _rows(job: PlannedJob) -> tuple[Evidence, ...]:
    return job.evidence or ({},)


def _rest(total: int) -> str:
    left = total - grid.SHOWN
    return f"\nand {left} more; --format json has all {total}" if left > 0 else ""


def _refused(plan: Plan, view: View) -> str:
    if not plan.refused:
        return ""
    columns = [Column("REFUSED", whole=True), Column("STATE"), Column("WHY")]
    rows = [
        Row((view.text(job.job), view.words(job.state.replace("_", " ")), view.words(job.reason)))
        for job in plan.refused[: grid.SHOWN]
    ]
    return grid.text(columns, rows, view) + _rest(len(plan.refused))


def _terms(plan: Plan, view: View, apply: str | None) -> list[str]:
    attest = f"{plan.attest}: somebody must confirm what the database cannot" if plan.attest else ""
    return [
        labelled("then:", view.words(plan.effect), view, _LABEL),
        labelled("irreversible:", view.words(plan.irreversible or ""), view, _LABEL),
        labelled("late result:", view.words(_late(plan)), view, _LABEL),
        labelled("attest:", view.words(attest), view, _LABEL),
        labelled("seen once:", view.words(_seen_once(plan)), view, _LABEL),
        labelled("stops if:", view.words(plan.criterion), view, _LABEL),
        labelled("not watched:", _NOT_WATCHED, view, _LABEL),
        labelled("apply:", prose.whole(view.words(apply or "")), view, _LABEL),
    ]


def _late(plan: Plan) -> str:
    """What becomes of the worker before, where the queue itself does not refuse it."""
    return "" if plan.fencing == "enforced" else f"{FENCING[plan.fencing]} (fencing {plan.fencing})"


def _seen_once(plan: Plan) -> str:
    if plan.second_sighting_seconds is None:
        return ""
    return (
        "on an UNLOGGED table, which a crash empties: applied only where the same is seen again "
        f"{age.window(plan.second_sighting_seconds)} after this plan"
    )
