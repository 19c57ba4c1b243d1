"""Times without a zone that a query compares with the clock: another instant in every session."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from aps.matrix.sql import Token, scan

_CLOCK = "%(clock)s"
_COMPARES = frozenset({"<", ">", "=", "+", "-", "between"})
_DECLARED = ["at", "time", "zone"]


def undeclared(file: str, text: str, naive: Collection[str]) -> str | None:
    """The first of these columns that is compared while neither it nor the clock is said to be of a zone."""
    told = scan(file, text).code
    clocks = [place for place, token in enumerate(told) if token.text == _CLOCK]
    if all(_declared(told, place) for place in clocks):
        return None
    return next(_compared(told, naive), None)


def _compared(told: Sequence[Token], naive: Collection[str]) -> Iterator[str]:
    for place, token in enumerate(told):
        name = token.text.strip('"') if token.kind == "quoted" else token.text.lower()
        if name in naive and _is_compared(told, place) and not _declared(told, place):
            yield name


def _declared(told: Sequence[Token], place: int) -> bool:
    """Whether AT TIME ZONE follows, after a cast and closing brackets at most."""
    after = [token.text.lower() for token in told[place + 1 : place + 10] if token.text != ")"]
    if after[:2] == [":", ":"]:
        after = after[3:]
    return after[:3] == _DECLARED


def _is_compared(told: Sequence[Token], place: int) -> bool:
    """Whether an operator stands beside it, its table's name and brackets left out."""
    after = next((one.text.lower() for one in told[place + 1 :] if one.text != ")"), "")
    start = place - 2 if place > 1 and told[place - 1].text == "." else place
    before = next((one.text.lower() for one in reversed(told[:start]) if one.text != "("), "")
    return after in _COMPARES or before in _COMPARES
