"""What workers, callers and time do in a program."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from aps.drill.explore.program import LEASE, Hand, Role

# So many lost workers make a job one that is not adopted any more.
_LIMIT: Final = 3


def goes_on(hand: Hand) -> None:
    """Owns the job: a heartbeat, then its publication."""
    hand.heartbeat()
    hand.publish()


def insists(hand: Hand) -> None:
    """The same, and the publication once more, as after a lost answer."""
    goes_on(hand)
    hand.publish()


def adopts(hand: Hand) -> None:
    """Takes over what is overdue, and publishes."""
    if adopted(hand):
        hand.publish()


def adopts_and_works(hand: Hand) -> None:
    if adopted(hand):
        goes_on(hand)


def adopted(hand: Hand) -> bool:
    taken = hand.take("adopt", abandon_limit=_LIMIT)
    # Each epoch before was a worker that was lost.
    if hand.holds and int(hand.holds["epoch"] or 0) > _LIMIT:
        hand.fault("as many workers as the limit, no more", f"adopted under {hand.holds['epoch']}")
    return taken


def claims(hand: Hand) -> None:
    if hand.take("claim"):
        goes_on(hand)


def claims_and_publishes(hand: Hand) -> None:
    if hand.take("claim"):
        hand.publish()


def claims_openly(hand: Hand) -> None:
    """In a transaction that stays open for a step."""
    hand.holds = hand.open("claim", worker=hand.worker, lease=LEASE)
    hand.leave()


def gives_up_openly(hand: Hand) -> None:
    """Dies between choosing and possession, as the server sees it."""
    hand.open("claim", worker=hand.worker, lease=LEASE)
    hand.leave(commit=False)


def adopts_openly(hand: Hand) -> None:
    hand.open("adopt", worker=hand.worker, lease=LEASE, abandon_limit=_LIMIT)
    hand.leave()


def time(hand: Hand) -> None:
    """Twice every lease that was given is over."""
    hand.end_leases()
    hand.end_leases()


def in_turn(*steps: Callable[[Hand], object]) -> Callable[[Hand], None]:
    def play(hand: Hand) -> None:
        for step in steps:
            step(hand)

    return play


def cancels(job: int, epoch: int) -> Callable[[Hand], None]:
    return partial(Hand.cancel, job=job, epoch=epoch)


def cancels_openly(epoch: int) -> Callable[[Hand], None]:
    def play(hand: Hand) -> None:
        hand.open("cancel", job_id=1, epoch=epoch, reason="not needed")
        hand.leave()

    return play


CLOCK: Final = Role(Hand.end_leases, "postgres")
