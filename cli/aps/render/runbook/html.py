"""The runbook as one page that needs nothing else: no script, no request. Its look is in page.css."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from html import escape
from pathlib import Path
from string import Template

from aps.model.runbook import Page, Runbook
from aps.render import visible
from aps.render.runbook import picture, said
from aps.render.runbook.code import lines
from aps.render.runbook.said import Fact, Part

_FOLDER = Path(__file__).parent
# The picture for a phone held upright, and for everything wider, paper included.
_NARROW, _WIDE = 340, 760


def book(runbook: Runbook) -> str:
    titles = {page.state: page.title for page in runbook.states}
    overlays = [page for page in runbook.states if page.kind == "overlay"]
    return (
        Template(_read("page.html"))
        .substitute(
            css=_read("page.css").strip(),
            title=_words(f"{runbook.title}: runbook"),
            heading=_words(runbook.title),
            system=_words(runbook.system),
            facts=_facts(said.head(runbook), titles),
            contents="\n".join(map(_content, runbook.states)),
            pictures=f"{picture.svg(runbook, _NARROW, 'narrow')}\n{picture.svg(runbook, _WIDE, 'wide')}",
            overlays=_overlays(overlays),
            pages="\n".join(_page(page, titles) for page in runbook.states),
            parameters=_parameters(runbook),
            absent=_absent(runbook),
            digest=escape(runbook.pack.sha256),
        )
        .strip()
    )


@cache
def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _content(page: Page) -> str:
    does = f" <b>{escape(page.action.run)}</b>" if page.action else ""
    over = " <i>overlay</i>" if page.kind == "overlay" else ""
    return f'<li><a href="#state-{escape(page.state)}">{_words(page.title)}</a>{does}{over}</li>'


def _overlays(pages: Iterable[Page]) -> str:
    cards = "\n".join(map(_card, pages))
    if not cards:
        return ""
    return (
        '<h3 id="overlays">On top of a state</h3>\n'
        "<p>A job is in one of the states above; these may be true of it as well.</p>\n"
        f'<ul class="cards">\n{cards}\n</ul>'
    )


def _card(page: Page) -> str:
    typed = page.action.command if page.action else page.look
    then = f'<span class="then">then {_words(page.action.effect)}</span>' if page.action else ""
    return (
        f'<li class="card{" acts" if page.action else ""}">'
        f'<a href="#state-{escape(page.state)}">{_words(page.title)}</a>'
        f"<code>{_words(page.evidence.file)}</code><code>{_typed(typed)}</code>{then}</li>"
    )


def _page(page: Page, titles: dict[str, str]) -> str:
    name = escape(page.state)
    sections = "\n".join(
        f"<section>\n<h3>{escape(section.title)}</h3>\n{_facts(section.facts, titles)}\n</section>"
        for section in said.page(page)
        if section.facts
    )
    back = '<a class="back" href="#picture">all states</a>'
    return (
        f'<article class="state {page.kind}" id="state-{name}">\n'
        f"<header><h2>{_words(page.title)}</h2><p><code>{name}</code> "
        f"<span>{page.kind}</span> <span>{back}</span></p></header>\n"
        f"{sections}\n"
        f"<figure><figcaption><code>{_words(page.evidence.file)}</code></figcaption>\n"
        f"<pre><code>{_sql(page.evidence.sql)}</code></pre></figure>\n</article>"
    )


def _sql(text: str) -> str:
    return "\n".join(_words(line) for line in lines(text))


def _facts(facts: Iterable[Fact], titles: dict[str, str]) -> str:
    told = "\n".join(
        f"<div{_loud(fact)}><dt>{escape(fact.label)}</dt><dd>{''.join(_parts(fact, titles))}</dd></div>"
        for fact in facts
    )
    return f"<dl>\n{told}\n</dl>"


def _loud(fact: Fact) -> str:
    return ' class="loud"' if fact.loud else ""


def _parts(fact: Fact, titles: dict[str, str]) -> Iterator[str]:
    for place, part in enumerate(fact.parts):
        if place:
            yield " → " if part.kind == "state" else " · "
        yield _part(part, titles)


def _part(part: Part, titles: dict[str, str]) -> str:
    if part.kind == "code":
        return f"<code>{_typed(part.text)}</code>"
    if part.kind == "state":
        return f'<a href="#state-{escape(part.text)}">{_words(titles[part.text])}</a>'
    return _words(part.text)


def _parameters(runbook: Runbook) -> str:
    if not runbook.parameters:
        return ""
    rows = (
        f"<div><dt><code>{_words(one.name)}</code></dt>"
        f"<dd><b>{_words(' '.join(filter(None, (one.value, one.unit))))}</b> · {_words(one.means)}</dd></div>"
        for one in runbook.parameters
    )
    return _closing("parameters", "Parameters", "\n".join(rows))


def _absent(runbook: Runbook) -> str:
    if not runbook.absent:
        return ""
    rows = (
        f"<div><dt><code>{escape(one.state)}</code></dt><dd>{_words(one.why)}</dd></div>"
        for one in runbook.absent
    )
    return _closing("absent", "States that this queue does not have", "\n".join(rows))


def _closing(name: str, title: str, rows: str) -> str:
    return (
        f'<section class="closing" id="{name}">\n<h2>{title}</h2>\n<dl>\n{rows}\n</dl>\n</section>'
    )


def _typed(text: str) -> str:
    """A command, which breaks between its words alone: a browser would break after each hyphen."""
    words = visible.text(text).split(" ")
    return " ".join(
        f"<span>{escape(word)}</span>" if "-" in word else escape(word) for word in words
    )


def _words(text: str) -> str:
    """Text of which nothing is markup, and nothing hides."""
    return escape(visible.text(text))
