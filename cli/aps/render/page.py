"""One page a job (`aps inspect JOB`): what it means, what shows it, what may be done, by whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from aps.model.report import Detail, Evidence, Guidance, Holder, Job, Report
from aps.render import age, facts, heading, prose
from aps.render.prose import labelled
from aps.render.view import View, mark_of


def text(report: Report, view: View) -> str:
    """The pages of all jobs that have details, under one heading."""
    head = heading.report(report, view)
    first, *others = [_page(report, job, job.detail, view) for job in report.jobs if job.detail]
    # What the store would not show is said of no job, and so above them all.
    doubt = heading.unread(report, report.states, view) if report.store.error else ""
    return "\n\n\n".join([prose.paragraphs([[head], [doubt], [first]]), *others])


def _page(report: Report, job: Job, detail: Detail, view: View) -> str:
    main = [said for said in detail.guidance if said.state not in job.overlays]
    now = age.read(report.as_of)
    blocks = [
        [_title(job, main, view)],
        _meaning(main, view),
        [*_evidence(job, detail, now, view), *_surroundings(detail, now, view)],
        [labelled("tell", _each(main, "tell", view), view)],
        [*_permitted(job, main, detail, view), *_duties(main or detail.guidance, view)],
    ]
    return prose.paragraphs(blocks)


def _title(job: Job, main: Iterable[Guidance], view: View) -> str:
    state = next((said.title for said in main if said.state == job.state), job.state)
    state = view.words(state)
    lasting = f"{state} for {age.text(job.age_seconds)}"
    parts = [
        f"job {view.text(job.job)}",
        lasting if job.since or job.age_seconds is not None else state,
        job.severity or "needs nobody",
    ]
    if mark_of(job) == "?":
        parts[2] = "not known to be in one state"
    lines = prose.line(parts, view, "  ").split("\n")
    return "\n".join(view.paint(line, mark_of(job)) for line in lines)


def _meaning(main: Iterable[Guidance], view: View) -> list[str]:
    return [
        line
        for said in main
        for line in (
            labelled("means", view.words(said.means), view),
            labelled("not", view.words(said.not_ or ""), view),
            labelled("alive?", view.words(said.alive or ""), view),
            labelled("late result", view.words(said.late or ""), view),
            labelled("seen once", view.words(said.seen_once or ""), view),
        )
    ]


def _evidence(job: Job, detail: Detail, now: datetime | None, view: View) -> list[str]:
    """The rows of the job's own state, then what lies over it, with meaning and next step."""
    guidance = {said.state: said for said in detail.guidance}
    lines = []
    for state in sorted(job.evidence, key=lambda state: state in job.overlays):
        said = guidance.get(state)
        over = state in job.overlays
        shown = facts.parts(facts.keyed(job, job.evidence[state]), view, now, age.both)
        title = view.words(said.title if said else state)
        if over or state != job.state:
            meaning = f": {view.words(said.means)}" if said and over else ""
            shown = [f"{title}{meaning}", *shown]
        parts = [*shown, _source(said, now, view)]
        room = view.columns - prose.LABEL
        lines.append(
            labelled("also" if over else "evidence", prose.joined(parts, view, room), view)
        )
        if over and said and said.next:
            lines.append(
                labelled("", f"next: {view.words(said.next)} ({view.words(said.team)})", view)
            )
    return lines or [labelled("evidence", "no query of the matrix returns this job", view)]


def _source(said: Guidance | None, now: datetime | None, view: View) -> str:
    """The file of the query that gave the rows, and when it was asked."""
    told = [said.evidence_file] if said else []
    return view.words(", ".join([*told, *([f"{now:%H:%M:%SZ}"] if now else [])]))


def _surroundings(detail: Detail, now: datetime | None, view: View) -> list[str]:
    """Locks, the further queries by their names, what aps did before, what could not be read."""
    return [
        labelled("locks", _locks(detail.holders, view), view),
        *(
            _rows(view.words(name.replace("_", " ")), rows, now, view)
            for name, rows in detail.context.items()
        ),
        _rows("operations", detail.operations, now, view),
        *(labelled("not read", view.words(error), view) for error in detail.errors),
    ]


def _locks(holders: Sequence[Holder] | None, view: View) -> str:
    if holders is None:
        return "unknown: who holds this row could not be read"
    return "; ".join(view.words(str(one)) for one in holders) or "nobody holds this row"


def _rows(label: str, rows: Sequence[Evidence] | None, now: datetime | None, view: View) -> str:
    """The values of each row in a few words, the rows joined by dots."""
    if rows is None:
        return labelled(label, "unknown: they could not be read", view)
    told = [" ".join(_values(row, now, view)) for row in rows]
    text = prose.joined(told, view, view.columns - max(prose.LABEL, len(label) + 1))
    return labelled(label, text or "none", view)


def _values(row: Evidence, now: datetime | None, view: View) -> Iterable[str]:
    for name, value in row.items():
        if value is not None:
            short = value[:8] if name == "operation" else value
            yield age.moment(value, now) or view.text(short)


def _permitted(job: Job, main: Sequence[Guidance], detail: Detail, view: View) -> list[str]:
    """Every command with what it does, those of the job's own state first."""
    said = {one.state: one for one in detail.guidance}
    told = [_typed(command, said.get(state), view) for state, command in job.commands.items()]
    if not told or job.refusal:
        why = job.refusal or "this state has no action"
        told.append(f"{'nothing else' if told else 'nothing'}: {view.words(why)}")
    first, *others = told
    return [
        labelled("you may", first, view),
        *(labelled("", one, view) for one in others),
        labelled("vouch for", "" if job.refusal else _each(main, "attest", view), view),
        labelled("you may not", _each(main, "forbidden", view), view),
    ]


def _typed(command: str, said: Guidance | None, view: View) -> str:
    typed = prose.whole(view.words(command))
    if said is None or said.effect is None:
        return typed
    return f"{typed}    {view.words(said.effect)}{_way_back(said, view)}"


def _way_back(said: Guidance, view: View) -> str:
    return f"; no way back: {view.words(said.irreversible)}" if said.irreversible else ""


def _duties(main: Sequence[Guidance], view: View) -> list[str]:
    return [
        labelled("stops if", _each(main, "criterion", view), view),
        labelled("owner", "; ".join(dict.fromkeys(_owner(said, view) for said in main)), view),
        labelled("next", _each(main, "next", view), view),
        labelled("done when", _each(main, "done_when", view), view),
        labelled("outside", _each(main, "outside_effects", view), view),
        labelled("if it stays", _each(main, "retention", view), view),
    ]


def _each(said: Iterable[Guidance], field: str, view: View) -> str:
    """The text of that field in each, once."""
    texts = [getattr(one, field) for one in said]
    return "; ".join(view.words(text) for text in dict.fromkeys(texts) if text)


def _owner(said: Guidance, view: View) -> str:
    escalate = f"escalate to {said.escalate}" if said.escalate else None
    parts = [said.team, said.contact, escalate]
    return f" {view.dot} ".join(view.words(part) for part in parts if part)
