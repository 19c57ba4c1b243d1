"""What an apply would do, for a person who decides: the jobs, what becomes of them, the terms."""

from __future__ import annotations

from aps.model.plan import Plan, PlannedJob
from aps.model.report import Evidence
from aps.model.runbook import FENCING
from aps.render import age, facts, grid, heading, prose, shared
from aps.render.grid import Column, Row
from aps.render.prose import labelled
from aps.render.view import View

_NOT_WATCHED = "other tables than that of the jobs are not watched"
_LABEL = 14
# So many are named before the rest is counted.
_FEW = 5


def text(plan: Plan, view: View, apply: str | None) -> str:
    """`apply` is the command line that would do it; None where there is none to offer."""
    jobs = _jobs(plan, view) if plan.jobs else f"nothing would be applied: {_why_none(plan)}"
    terms = [*_terms(plan, view), *_files(plan, view), _apply(plan, view, apply)]
    rest = terms if plan.jobs else _files(plan, view)
    common = labelled("in common:", shared.shared(plan.causes, view, plan.state), view, _LABEL)
    return prose.paragraphs(
        [[_head(plan, view)], [*_first(plan, view), common], [jobs], [_refused(plan, view)], rest]
    )


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
        f"{len(plan.jobs)} of {plan.found} jobs{_items(plan)}",
        f"expires {age.moment(plan.expires_at, now) or view.words(plan.expires_at)}",
        "nothing was changed",
        view.words(f"{plan.system} on {where} as {plan.role}"),
        *([view.words(f"store {plan.store}, {plan.level}")] if plan.store else []),
    ]
    return prose.line(parts, view, "  ")


def _items(plan: Plan) -> str:
    """Where each file is acted upon for itself."""
    items = sum(row.get("item") is not None for job in plan.jobs for row in job.evidence)
    return f" ({items} files)" if items > len(plan.jobs) else ""


def _first(plan: Plan, view: View) -> list[str]:
    """What lies over the jobs, which nothing is held to: told before anything else."""
    lines = []
    for name, meaning in plan.meanings.items():
        rows = [(job, row) for job in plan.jobs for row in job.overlays.get(name, ())]
        listed = list(dict.fromkeys(_over(job, row, view) for job, row in rows))
        told = ", ".join(listed[:_FEW])
        more = f" and {len(listed) - _FEW} more" if len(listed) > _FEW else ""
        title = view.words(name.replace("_", " "))
        text = f"{title}: {told}{more}. {view.words(meaning)}"
        lines.append(labelled("first:", text, view, _LABEL))
    return lines


def _over(job: PlannedJob, row: Evidence, view: View) -> str:
    """The file with its size, or the job."""
    item, size = row.get("item"), row.get("observed_size")
    if item is None:
        return f"job {view.text(job.job)}"
    return f"{view.text(item)}{f' ({_size(size)})' if size else ''}"


def _size(text: str) -> str:
    if not text.isdecimal():
        return text
    length = int(text)
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if length >= factor:
            return f"{length / factor:.1f} {unit}"
    return f"{length} bytes"


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


def _terms(plan: Plan, view: View) -> list[str]:
    attest = f"{plan.attest}: somebody must confirm what the database cannot" if plan.attest else ""
    watched = _NOT_WATCHED if plan.writes else ""
    return [
        labelled("then:", view.words(plan.effect), view, _LABEL),
        labelled("irreversible:", view.words(plan.irreversible or ""), view, _LABEL),
        labelled("late result:", view.words(_late(plan)), view, _LABEL),
        labelled("attest:", view.words(attest), view, _LABEL),
        labelled("seen once:", view.words(_seen_once(plan)), view, _LABEL),
        labelled("stops if:", view.words(plan.criterion), view, _LABEL),
        labelled("not watched:", watched, view, _LABEL),
    ]


def _files(plan: Plan, view: View) -> list[str]:
    """How much was missing where that was counted, and what else of the files a person should read."""
    missing = (
        [f"{plan.missing} of {plan.looked} that rows name are missing"] if plan.missing else []
    )
    said = "; ".join([*missing, *plan.notes])
    return [labelled("files:", view.words(said), view, _LABEL)]


def _apply(plan: Plan, view: View, apply: str | None) -> str:
    if not plan.writes:
        return ""
    return labelled("apply:", prose.whole(view.words(apply or "")), view, _LABEL)


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
