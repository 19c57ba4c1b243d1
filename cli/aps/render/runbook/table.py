"""The runbook for a terminal: the matrix on one screen, or one page a state."""

from __future__ import annotations

from aps.model.runbook import Page, Runbook
from aps.render import age, grid, prose
from aps.render.grid import Column, Row
from aps.render.runbook import code, said
from aps.render.runbook.said import Fact, Part
from aps.render.view import View

_COLUMNS = (
    Column("STATE", named=False),
    Column("KIND"),
    Column("ACTION"),
    Column("UNDO"),
    Column("OWNER"),
    Column("MEANS", named=False),
)
_LABEL = 15
_NARROW = 10


def show(runbook: Runbook, view: View) -> str:
    table = grid.text(_COLUMNS, [_row(page, view) for page in runbook.states], view)
    rest = [[_queue(runbook, view)], [table], _absent(runbook, view), _parameters(runbook, view)]
    if not view.quiet and runbook.states:
        rest.append([_next(runbook, view)])
    return prose.paragraphs([[head(runbook, view)], *rest])


def explain(runbook: Runbook, page: Page, view: View) -> str:
    title = [view.words(page.title), page.state if page.title != page.state else "", page.kind]
    blocks = [[head(runbook, view)], [prose.line(title, view, "  ")]]
    for section in said.page(page):
        blocks.append([_fact(fact, view) for fact in section.facts])
    blocks.append([_sql(page, view)])
    return prose.paragraphs(blocks)


def head(runbook: Runbook, view: View) -> str:
    """`aps · SYSTEM · matrix DIGEST · table T by KEY · ...`"""
    parts = [
        "aps",
        view.words(runbook.system),
        f"matrix {runbook.pack.sha256[:8]}",
        view.words(f"table {runbook.table} by {'/'.join(runbook.key)}"),
    ]
    if runbook.max_lease_seconds is not None:
        parts.append(f"longest lease {age.window(runbook.max_lease_seconds)}")
    if runbook.versions:
        parts.append(view.words(f"tried on {', '.join(runbook.versions)}"))
    return prose.line(parts, view, "  ")


def _queue(runbook: Runbook, view: View) -> str:
    """What holds for the whole queue: how late results are refused, what alive means, what an ownership covers."""
    told = {fact.label: fact for fact in said.head(runbook)}
    kept = [told[label] for label in ("fencing", "liveness", "scope", "owner") if label in told]
    return "\n".join(_fact(fact, view, _NARROW) for fact in kept)


def _row(page: Page, view: View) -> Row:
    run, undo = said.action(page)
    return Row(
        (
            page.state,
            page.kind,
            run,
            undo,
            view.words(page.owner.team),
            view.words(page.means),
        )
    )


def _absent(runbook: Runbook, view: View) -> list[str]:
    width = max((len(one.state) for one in runbook.absent), default=0) + len("absent  ")
    return [
        prose.labelled(f"absent {one.state}", view.words(one.why), view, width)
        for one in runbook.absent
    ]


def _parameters(runbook: Runbook, view: View) -> list[str]:
    width = max((len(one.name) for one in runbook.parameters), default=0) + len("set  ")
    lines = []
    for one in runbook.parameters:
        unit = f" {one.unit}" if one.unit else ""
        was = f" (default {one.default}{unit})" if one.value != one.default else ""
        text = view.words(f"{one.value}{unit}{was}: {one.means}")
        lines.append(prose.labelled(f"set {one.name}", text, view, width))
    return lines


def _next(runbook: Runbook, view: View) -> str:
    acts = next((page for page in runbook.states if page.action), runbook.states[0])
    typed = f"aps matrix explain {acts.state} {view.suffix}".rstrip()
    return f"next:  {view.words(typed)}"


def _fact(fact: Fact, view: View, room: int = _LABEL) -> str:
    text = parts(fact, view)
    return prose.labelled(fact.label, text, view, room)


def parts(fact: Fact, view: View) -> str:
    """`words · code -> state`; what is to be typed is never broken."""
    arrow = "→" if view.unicode else "->"
    text = ""
    for part in fact.parts:
        shown = _part(part, view)
        between = f" {arrow} " if part.kind == "state" else f" {view.dot} "
        text += f"{between}{shown}" if text else shown
    return text


def _part(part: Part, view: View) -> str:
    shown = view.words(part.text)
    return prose.whole(shown) if part.kind == "code" else shown


def _sql(page: Page, view: View) -> str:
    lines = [view.words(line) for line in code.lines(page.evidence.sql)]
    return "\n".join([f"{page.evidence.file}:", *(f"    {line}".rstrip() for line in lines)])
