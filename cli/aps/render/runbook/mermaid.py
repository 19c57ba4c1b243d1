"""The picture alone, as a flowchart that mermaid draws. Every character of a text that could be syntax is its code."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from aps.model.runbook import Doing, Page, Runbook
from aps.render import visible

# A label is wrapped here: what draws it would make the box as wide as the text.
_WIDE = 28
# A word is broken only where nobody could have meant it as one.
_WORD = 60
# At the begin of a line `1.`, `-` and `+` would be a list.
_SYNTAX = re.compile(r"[^\w ./,+-]|^[+-]|[.+-](?= |$)", re.ASCII)
# Words that some versions of the parser take for their own, wherever they stand.
_WORDS = re.compile(r"\b(end|graph|subgraph|default|style|click|href|call)\b", re.IGNORECASE)
_STYLES = (
    "classDef acts stroke-width:3px",
    "classDef over stroke-dasharray:5 4",
    "classDef then stroke-dasharray:2 3",
)


def book(runbook: Runbook) -> str:
    return "\n".join(["flowchart TD", *(f"  {line}" for line in _lines(runbook))])


def _lines(runbook: Runbook) -> Iterator[str]:
    lifecycle = [page for page in runbook.states if page.kind == "lifecycle"]
    overlays = [page for page in runbook.states if page.kind == "overlay"]
    yield from map(_node, lifecycle)
    if overlays:
        yield f"subgraph overlays[{text('on top of a state')}]"
        yield from (f"  {_node(page)}" for page in overlays)
        yield "end"
    for page in runbook.states:
        yield from _leads(page)
    yield from _STYLES


def _node(page: Page) -> str:
    typed = page.action.command if page.action else page.look
    lines = (page.title, page.evidence.file, typed)
    name = "acts" if page.action else "over" if page.kind == "overlay" else ""
    return f"{_id(page.state)}[{text(*lines)}]{f':::{name}' if name else ''}"


def _leads(page: Page) -> Iterator[str]:
    if page.action:
        yield from _does(page, page.action)
    for move in page.moves:
        yield f"{_id(page.state)} -->|{text(move.by)}| {_id(move.to)}"


def _does(page: Page, doing: Doing) -> Iterator[str]:
    """A thick arrow to each state that the action leads to, else to what it does in words."""
    label = text(f"aps {doing.run}" if doing.run != "manual" else "by hand")
    for to in doing.to:
        yield f"{_id(page.state)} ==>|{label}| {_id(to)}"
    if not doing.to:
        yield f"{_id(page.state)} ==>|{label}| then_{page.state}({text(doing.effect)}):::then"


def _id(state: str) -> str:
    return f"state_{state}"


def text(*lines: str) -> str:
    """A quoted label of these lines, each wrapped."""
    wrapped = (part for line in lines for part in _wrapped(visible.text(" ".join(line.split()))))
    return f'"{"<br/>".join(map(_escaped, wrapped))}"'


def _wrapped(line: str) -> Iterable[str]:
    broken = re.sub(rf"([^ ]{{{_WORD}}})(?=[^ ])", r"\1 ", line)
    lines = textwrap.wrap(broken, _WIDE, break_on_hyphens=False, break_long_words=False)
    return lines or [" "]


def _escaped(line: str) -> str:
    coded = _SYNTAX.sub(lambda found: f"#{ord(found[0])};", line)
    return _WORDS.sub(lambda found: f"#{ord(found[0][0])};{found[0][1:]}", coded)
