"""Workers among themselves: leases that end, adoptions, late results."""

from __future__ import annotations

from typing import Final

from aps.drill.explore.program import Hand, Program, Role
from aps.drill.explore.programs import setups

_ABANDON_LIMIT: Final = 9


def goes_on(hand: Hand) -> None:
    """Owns the job: a heartbeat, then its publication."""
    hand.heartbeat()
    hand.publish()


def insists(hand: Hand) -> None:
    """The same, and the publication once more, as after a lost answer."""
    goes_on(hand)
    hand.publish()


def adopts(hand: Hand) -> None:
    if hand.take("adopt", abandon_limit=_ABANDON_LIMIT):
        hand.publish()


def time(hand: Hand) -> None:
    """Twice every lease that was given is over."""
    hand.end_leases()
    hand.end_leases()


THREE_OWNERS: Final = Program(
    "three-owners",
    "an owner that goes on as if nothing had happened, two that adopt, and leases that end twice",
    {"A": Role(insists), "B": Role(adopts), "C": Role(adopts), "time": Role(time, "postgres")},
    setups.held_by_a,
)
