"""The picture as SVG, inline in a page: boxes and lines by class, so that the page gives them their colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from aps.model.runbook import Runbook
from aps.render.runbook import layout
from aps.render.runbook.layout import LINE, PAD, Box, Entry, Picture

_ROUND = 5


def svg(runbook: Runbook, width: float, name: str) -> str:
    """The lifecycle states for that width in pixels; `name` is its class."""
    pages = [page for page in runbook.states if page.kind == "lifecycle"]
    titles = {page.state: page.title for page in runbook.states}
    drawn = layout.picture(pages, titles, width)
    head = (
        f'<svg class="picture {name}" viewBox="0 0 {_n(drawn.width)} {_n(drawn.height)}" '
        f'width="{_n(drawn.width)}" height="{_n(drawn.height)}" role="group" '
        'aria-label="The states, and what takes a job from one to another">'
    )
    parts = [*_ways(drawn), *(line for box in drawn.boxes for line in _box(box, drawn))]
    return "\n".join([head, *parts, "</svg>"])


def _ways(drawn: Picture) -> Iterator[str]:
    # What a person types lies above what happens by itself.
    for way in sorted(drawn.ways, key=lambda way: (way.acts, -way.lane)):
        name = "acts" if way.acts else "moves"
        edge = drawn.left if way.side == "left" else drawn.right
        inward = 1 if way.side == "left" else -1
        paths = " ".join(_path(edge, drawn.lane(way), start, way.end) for start in way.starts)
        yield f'<path class="way {name}" d="{paths}"/>'
        tip = f"M{_n(edge)} {_n(way.end)}l{-8 * inward} -4.5v9z"
        yield f'<path class="tip {name}" d="{tip}"/>'


def _path(edge: float, lane: float, start: float, end: float) -> str:
    """Out of one box, along the lane, into another, with rounded corners."""
    out = 1 if lane > edge else -1
    down = 1 if end > start else -1
    bend = _ROUND
    return (
        f"M{_n(edge)} {_n(start)}H{_n(lane - out * bend)}"
        f"q{out * bend} 0 {out * bend} {down * bend}"
        f"V{_n(end - down * bend)}q0 {down * bend} {-out * bend} {down * bend}"
        f"H{_n(edge + out * 6)}"
    )


def _box(box: Box, drawn: Picture) -> Iterator[str]:
    x, right = drawn.left, drawn.right
    acts = " acts" if box.page.action else ""
    yield (
        f'<rect class="box{acts}" x="{_n(x)}" y="{_n(box.y)}" width="{_n(right - x)}" '
        f'height="{_n(box.height)}" rx="6"/>'
    )
    y = box.y + PAD
    wide = (right - x) / (2 if drawn.split else 1)
    title = _text(box.title, "title", x + PAD, y)
    yield _link(box.page.state, title, (x + PAD / 2, y - 2, wide - PAD), len(box.title))
    if drawn.split:
        yield _text(box.code, "code end", right - PAD, y)
        yield _text(box.then, "words end", right - PAD, y + LINE * len(box.code))
    else:
        y += LINE * len(box.title)
        yield _text(box.code, "code", x + PAD, y)
        yield _text(box.then, "words", x + PAD, y + LINE * len(box.code))
    for entry in box.entries:
        yield from _entry(entry, drawn, wide)


def _entry(entry: Entry, drawn: Picture, wide: float) -> Iterator[str]:
    """The words stand at the side where their way begins."""
    kind = "acts" if entry.lead.acts else "moves"
    if entry.side == "left":
        port, start, name = drawn.left, drawn.left, f"words {kind}"
        shown = _text(entry.lines, name, start + PAD, entry.y)
    else:
        port, start, name = drawn.right, drawn.right - wide, f"words {kind} end"
        shown = _text(entry.lines, name, port - PAD, entry.y)
    yield _link(entry.lead.to, shown, (start + 5, entry.y - 1, wide - PAD), len(entry.lines))
    yield f'<circle class="port {kind}" cx="{_n(port)}" cy="{_n(entry.port)}" r="3"/>'


def _link(state: str, text: str, place: tuple[float, float, float], lines: int) -> str:
    """The text, and the area around it that can be touched; `place` is x, y and width."""
    x, y, width = map(_n, place)
    hit = f'<rect class="hit" x="{x}" y="{y}" width="{width}" height="{LINE * lines + 3}" rx="3"/>'
    return f'<a href="#state-{escape(state)}">{hit}{text}</a>'


def _text(lines: Iterable[str], name: str, x: float, y: float) -> str:
    """Lines of text, the first of which begins at the height `y`."""
    return "".join(
        f'<text class="{name}" x="{_n(x)}" y="{_n(y + LINE * (place + 0.75))}">{escape(line)}</text>'
        for place, line in enumerate(lines)
    )


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
