"""Workers among themselves: leases that end, adoptions, late results, names that are not one's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from aps.drill.explore.program import LEASE, Hand, Program, Role
from aps.drill.explore.programs import setups

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
    if _adopted(hand):
        hand.publish()


def adopts_and_works(hand: Hand) -> None:
    if _adopted(hand):
        goes_on(hand)


def _adopted(hand: Hand) -> bool:
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


def cancels(job: int, epoch: int, times: int = 1) -> Callable[[Hand], None]:
    return in_turn(*[partial(Hand.cancel, job=job, epoch=epoch)] * times)


CLOCK: Final = Role(Hand.end_leases, "postgres")

THREE_OWNERS: Final = Program(
    "three-owners",
    "an owner that goes on as if nothing had happened, two that adopt, and leases that end twice",
    {
        "A": Role(insists),
        "B": Role(adopts_and_works),
        "C": Role(adopts_and_works),
        "time": Role(time, "postgres"),
    },
    setups.held_by_a,
)
THREE_CLAIMERS: Final = Program(
    "three-claimers",
    "three workers on two ready jobs, and a lease that ends",
    {"A": Role(claims), "B": Role(claims), "C": Role(claims), "time": CLOCK},
    setups.two_ready,
)
WAYS_TO_END: Final = Program(
    "ways-to-end",
    "an owner that releases, one that adopts and fails, one that claims what comes free",
    {
        "A": Role(in_turn(Hand.heartbeat, Hand.release)),
        "B": Role(lambda hand: Hand.fail(hand) if _adopted(hand) else None),
        "C": Role(claims),
        "time": CLOCK,
    },
    setups.held_alone,
)
IMPOSTOR: Final = Program(
    "impostor",
    "an owner, and a worker that writes under the owner's epoch in its own name",
    {
        "A": Role(goes_on),
        "I": Role(in_turn(Hand.heartbeat, Hand.release, Hand.fail, Hand.publish)),
    },
    setups.held_by_many,
)
NAMESAKE: Final = Program(
    "namesake",
    "two processes with one worker name: the second adopts what the first had",
    {
        "A": Role(in_turn(Hand.heartbeat, Hand.release, Hand.fail, Hand.publish)),
        "B": Role(adopts_and_works, worker="A"),
        "time": CLOCK,
    },
    setups.held_by_a,
)
CANCELLED: Final = Program(
    "cancelled",
    "an owner whose job is cancelled twice while it reports, releases, fails or publishes",
    {
        "A": Role(goes_on),
        "D": Role(Hand.fail, worker="A"),
        "E": Role(Hand.release, worker="A"),
        "X": Role(cancels(1, 1, times=2)),
    },
    setups.held_by_many,
)
OPEN_ADOPTION: Final = Program(
    "open-adoption",
    "an adoption that is not committed yet, its late owner, another that adopts, and a caller that cancels",
    {
        "A": Role(in_turn(Hand.heartbeat, Hand.publish)),
        "B": Role(adopts_openly),
        "C": Role(adopts),
        "X": Role(cancels(1, 1)),
    },
    setups.lost_by_a,
)
OPEN_CLAIMS: Final = Program(
    "open-claims",
    "claims that are not committed yet, one that never is, and callers that cancel",
    {
        "A": Role(claims_openly),
        "B": Role(gives_up_openly),
        "C": Role(claims),
        "X": Role(cancels(1, 0)),
    },
    setups.two_ready,
)
PROGRAMS: Final = (
    THREE_OWNERS,
    THREE_CLAIMERS,
    WAYS_TO_END,
    IMPOSTOR,
    NAMESAKE,
    CANCELLED,
    OPEN_ADOPTION,
    OPEN_CLAIMS,
)
