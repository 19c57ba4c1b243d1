"""Callers: one request key, several contents; an input that must be the one that was named; a cancellation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from aps.database import Row
from aps.drill.explore.program import Hand, Program, Role, digest
from aps.drill.explore.programs import parties, setups
from aps.drill.explore.scene import text

_KEY: Final = "r1"
Content = Mapping[str, str | None]
PLAIN: Final[Content] = {"kind": "export", "input_name": None, "input_digest": None}
OTHER_KIND: Final[Content] = {**PLAIN, "kind": "forecast"}
WITH_INPUT: Final[Content] = {**PLAIN, **setups.INPUT}
OTHER_NAME: Final[Content] = {**WITH_INPUT, "input_name": "inputs/other.csv"}
OTHER_DIGEST: Final[Content] = {**WITH_INPUT, "input_digest": digest("other input")}


def requests(content: Content) -> Callable[[Hand], None]:
    """The request, and whether the answer tells the truth of it."""

    def play(hand: Hand) -> None:
        row = hand.write("accept", request_key=_KEY, **content)
        _answered(hand, row, content)

    return play


def requests_openly(content: Content) -> Callable[[Hand], None]:
    def play(hand: Hand) -> None:
        hand.open("accept", request_key=_KEY, **content)
        hand.leave()

    return play


def _answered(hand: Hand, row: Row | None, content: Content) -> None:
    """The first content stands; the same again is repeated, any other a conflict."""
    stands = hand.session.call(text("request"), {"request_key": _KEY})[0]
    same = dict(content) == stands
    answer = (row or {}).get("answer")
    if answer != ("conflict" if not same else answer) or (same and answer == "conflict"):
        hand.fault("an answer tells what stands", f"{answer} for {content}, where {stands} stands")


def confirms(which: str) -> Callable[[Hand], object]:
    return partial(Hand.write, statement="confirm_input", job_id=1, digest=digest(which))


ONE_KEY: Final = Program(
    "one-key",
    "one request key: a first request that is not committed yet, the same again, and other contents",
    {
        "P": Role(requests_openly(WITH_INPUT)),
        "Q": Role(requests(WITH_INPUT)),
        "R": Role(requests(OTHER_NAME)),
        "S": Role(requests(OTHER_DIGEST)),
        "T": Role(requests({**WITH_INPUT, "kind": "forecast"})),
    },
    setups.empty,
)
INPUTS: Final = Program(
    "inputs",
    "an input that is confirmed by a wrong digest and twice by the right one, a cancellation that is not committed yet,"
    " and a worker",
    {
        "P": Role(parties.in_turn(confirms("other"), confirms("input"))),
        "Q": Role(confirms("input")),
        "X": Role(parties.cancels_openly(0)),
        "A": Role(parties.claims),
    },
    setups.waiting,
)
PROGRAMS: Final = (ONE_KEY, INPUTS)
