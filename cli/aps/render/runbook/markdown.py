"""The runbook as a document: the picture, which many viewers draw, then a page a state. No data is markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from aps.model.runbook import Page, Runbook
from aps.render import visible
from aps.render.markdown import plain
from aps.render.runbook import code, mermaid, said
from aps.render.runbook.said import Fact, Part
from aps.render.view import View

_COLUMNS = ("state", "kind", "action", "undo", "owner", "means")
# What would begin a list, a heading or a rule where a line begins.
_BEGIN = re.compile(r"^(?:[-+=]|[0-9]+[.)])")
_TICKS = re.compile(r"`+")


def show(runbook: Runbook, view: View) -> str:
    head = f"{_words(runbook.title)}, matrix `{runbook.pack.sha256[:8]}`"
    return "\n\n".join([head, _facts(said.head(runbook), {}), _table(runbook), *_closing(runbook)])


def explain(runbook: Runbook, page: Page, view: View) -> str:
    one = replace(runbook, states=(page,))
    # What lies on other pages is no link here.
    return "\n\n".join(_page(page, {}, 1, one))


def book(runbook: Runbook) -> str:
    titles = {page.state: page.title for page in runbook.states}
    pages = [part for page in runbook.states for part in _page(page, titles, 2, runbook)]
    return "\n\n".join(
        [
            f"# {_words(runbook.title)}: runbook",
            f"Made by `aps matrix render` from a matrix with sha256 `{runbook.pack.sha256}`.",
            _facts(said.head(runbook), titles),
            "## What leads where",
            "In each box: what shows the state, and what to type. A thick arrow is the action of the "
            "state; a thin one is taken by a worker, a caller, or time.",
            f"```mermaid\n{mermaid.book(runbook)}\n```",
            _table(runbook, titles),
            *pages,
            *_closing(runbook),
        ]
    )


def _table(runbook: Runbook, titles: Mapping[str, str] | None = None) -> str:
    rows = [_COLUMNS, ("---",) * len(_COLUMNS), *(_row(page, titles) for page in runbook.states)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(page: Page, titles: Mapping[str, str] | None) -> tuple[str, ...]:
    name = _state(page.state, titles) if titles else f"`{page.state}`"
    run, undo = said.action(page)
    return name, page.kind, run, undo, _words(page.owner.team), _words(page.means)


def _page(page: Page, titles: Mapping[str, str], depth: int, runbook: Runbook) -> Iterator[str]:
    mark = "#" * depth
    anchor = f'<a id="state-{page.state}"></a>\n\n' if titles else ""
    yield f"{anchor}{mark} {_words(page.title)}"
    yield f"`{page.state}`, {page.kind} of {_words(runbook.system)}"
    for section in said.page(page):
        if section.facts:
            yield f"{mark}# {section.title}"
            yield _facts(section.facts, titles)
    yield _sql(page.evidence.sql)


def _closing(runbook: Runbook) -> Iterator[str]:
    if runbook.parameters:
        yield "## Parameters"
        yield "\n".join(
            f"- `{one.name}` {_words(' '.join(filter(None, (one.value, one.unit))))}: "
            f"{_words(one.means)}"
            for one in runbook.parameters
        )
    if runbook.absent:
        yield "## States that this queue does not have"
        yield "\n".join(f"- `{one.state}`: {_words(one.why)}" for one in runbook.absent)


def _facts(facts: Iterable[Fact], titles: Mapping[str, str]) -> str:
    return "\n".join(f"- **{fact.label}**: {''.join(_parts(fact, titles))}" for fact in facts)


def _parts(fact: Fact, titles: Mapping[str, str]) -> Iterator[str]:
    for place, part in enumerate(fact.parts):
        if place:
            yield " → " if part.kind == "state" else " · "
        yield _part(part, titles)


def _part(part: Part, titles: Mapping[str, str]) -> str:
    if part.kind == "code":
        return typed(part.text)
    if part.kind == "state":
        return _state(part.text, titles)
    return _words(part.text)


def _state(state: str, titles: Mapping[str, str]) -> str:
    return f"[{_words(titles[state])}](#state-{state})" if state in titles else f"`{state}`"


def typed(text: str) -> str:
    """A span of code that ends where the text does, whatever ticks are in it."""
    shown = visible.text(text)
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    if len(ticks) == 1 and shown.strip() == shown:
        return f"`{shown}`"
    return f"{ticks} {shown} {ticks}"


def _words(text: str) -> str:
    shown = visible.text(" ".join(line.strip() for line in text.split("\n")))
    # Where it begins a line or a cell, a dash or a number would begin a list.
    return _BEGIN.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", plain(shown))


def _sql(text: str) -> str:
    shown = "\n".join(visible.text(line) for line in code.lines(text))
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    return f"{fence}sql\n{shown}\n{fence}"
