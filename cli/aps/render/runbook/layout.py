"""Where everything of the picture stands: one box a state, in the order of the matrix, and lanes beside the boxes.

What leads down runs at the right, what leads up at the left. All that enters one state shares a lane, so that lines
never run beside each other without need, and each line begins at the words that say what takes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from aps.model.runbook import Page
from aps.render.runbook.measure import CODE, STRONG, TITLE, WORDS, wrapped

Side = Literal["left", "right"]
# Heights and widths in user units, which are CSS pixels where nothing scales the picture.
LINE = 16
PAD = 8
_BELOW = 5
_GAP = 12
_LANE = 9
_EDGE = 12
# From this width on a box has two columns.
_ROOMY = 480


@dataclass(frozen=True, slots=True)
class Lead:
    """What takes a job from one state to another; `acts` where a person types it."""

    to: str
    words: str
    acts: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One lead within its box; `y` is the top of its first line."""

    lead: Lead
    lines: tuple[str, ...]
    y: float
    side: Side

    @property
    def port(self) -> float:
        """The height at which its way begins."""
        return self.y + LINE / 2

    @property
    def bottom(self) -> float:
        return self.y + LINE * len(self.lines)


@dataclass(frozen=True, slots=True)
class Box:
    page: Page
    y: float
    height: float
    title: tuple[str, ...]
    code: tuple[str, ...]
    then: tuple[str, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """All entries that lead into one state from one side; `lane` counts from the boxes outwards."""

    to: str
    side: Side
    acts: bool
    starts: tuple[float, ...]
    end: float
    lane: int = 0


@dataclass(frozen=True, slots=True)
class Picture:
    """`left` and `right` are the edges of all boxes; `split` where each is wide enough for two columns."""

    width: float
    height: float
    left: float
    right: float
    split: bool
    boxes: tuple[Box, ...]
    ways: tuple[Way, ...]

    def lane(self, way: Way) -> float:
        """Where the lane of that way runs."""
        away = _EDGE + way.lane * _LANE
        return self.left - away if way.side == "left" else self.right + away


def picture(pages: Sequence[Page], titles: dict[str, str], width: float) -> Picture:
    """Laid out for that width; two columns in a box where there is room for them."""
    lanes = _lanes(_ways(_boxes(pages, titles, width, split=False)))
    # How many lanes there are does not depend on the heights, only on the order.
    left, right = (_room(lanes, side) for side in ("left", "right"))
    inner = width - left - right
    split = inner >= _ROOMY
    boxes = _boxes(pages, titles, inner, split=split)
    height = boxes[-1].y + boxes[-1].height if boxes else 0
    ways = _lanes(_ways(boxes))
    return Picture(width, height + 1, left, width - right, split, tuple(boxes), tuple(ways))


def leads(page: Page) -> list[Lead]:
    """The action first, to each state that it may lead to."""
    doing = page.action
    typed = [Lead(to, _typed(page), acts=True) for to in (doing.to if doing else ())]
    return [*typed, *(Lead(move.to, move.by, acts=False) for move in page.moves)]


def _typed(page: Page) -> str:
    assert page.action is not None
    return "by hand" if page.action.run == "manual" else f"aps {page.action.run}"


def _boxes(
    pages: Sequence[Page], titles: dict[str, str], inner: float, *, split: bool
) -> list[Box]:
    order = {page.state: place for place, page in enumerate(pages)}
    boxes: list[Box] = []
    y = 1.0
    for page in pages:
        box = _box(page, y, inner, split=split)
        entries = tuple(_entries(box, order, titles, inner, split=split))
        bottom = max([y + box.height, *(entry.bottom + PAD for entry in entries)])
        boxes.append(replace(box, height=bottom - y, entries=entries))
        y = bottom + _GAP
    return boxes


def _box(page: Page, y: float, inner: float, *, split: bool) -> Box:
    """The box down to where its leads begin: title, file and command, in split ones beside each other."""
    room = (inner / 2 if split else inner) - 2 * PAD
    typed = page.action.command if page.action else page.look
    title = wrapped(page.title, room, TITLE)
    code = (*wrapped(page.evidence.file, room, CODE), *wrapped(typed, room, CODE))
    effect = page.action.effect if page.action and not page.action.to else ""
    then = wrapped(f"then {effect}", room, WORDS) if effect else ()
    lines = len(code) + len(then)
    lines = max(lines, len(title)) if split else lines + len(title)
    return Box(page, y, PAD + LINE * lines + _BELOW, title, code, then, ())


def _entries(
    box: Box, order: dict[str, int], titles: dict[str, str], inner: float, *, split: bool
) -> Iterator[Entry]:
    """Below what stands in the box; in a split one those of each side below each other in their own half."""
    page, top = box.page, box.y + box.height
    sides = {_side(lead, page, order) for lead in leads(page) if lead.to in order}
    room = (inner / 2 if split and "left" in sides else inner) - 2 * PAD
    below_title = box.y + PAD + LINE * len(box.title) + _BELOW
    at: dict[Side, float] = {"left": below_title if split else top, "right": top}
    for lead in leads(page):
        # An overlay is not in the picture of the lifecycle.
        if lead.to not in order:
            continue
        side = _side(lead, page, order)
        words = f"{lead.words} → {titles[lead.to]}"
        lines = wrapped(words, room, STRONG if lead.acts else WORDS)
        y = at[side] if split else max(at.values())
        at[side] = y + LINE * len(lines) + _BELOW
        yield Entry(lead, lines, y, side)


def _side(lead: Lead, page: Page, order: dict[str, int]) -> Side:
    return "right" if order[lead.to] > order[page.state] else "left"


def _ways(boxes: Sequence[Box]) -> list[Way]:
    ends = {box.page.state: box for box in boxes}
    found: dict[tuple[str, Side, bool], list[float]] = {}
    for box in boxes:
        for entry in box.entries:
            found.setdefault((entry.lead.to, entry.side, entry.lead.acts), []).append(entry.port)
    return [
        Way(to, side, acts, tuple(starts), ends[to].y + (26 if acts else 14))
        for (to, side, acts), starts in found.items()
    ]


def _lanes(ways: Iterable[Way]) -> list[Way]:
    """Each in the innermost lane that is free all along it, the shortest first."""
    taken: dict[tuple[Side, int], list[tuple[float, float]]] = {}
    placed = []
    for way in sorted(ways, key=_length):
        low, high = _span(way)
        lane = 0
        while any(a <= high and low <= b for a, b in taken.get((way.side, lane), ())):
            lane += 1
        taken.setdefault((way.side, lane), []).append((low, high))
        placed.append(Way(way.to, way.side, way.acts, way.starts, way.end, lane))
    return placed


def _span(way: Way) -> tuple[float, float]:
    return min(*way.starts, way.end), max(*way.starts, way.end)


def _length(way: Way) -> float:
    low, high = _span(way)
    return high - low


def _room(ways: Iterable[Way], side: Side) -> float:
    most = max((way.lane for way in ways if way.side == side), default=-1)
    return 1 if most < 0 else _EDGE + most * _LANE + 6
