"""Workers among themselves: leases that end, adoptions, late results, names that are not one's own."""

from __future__ import annotations

from functools import partial
from typing import Final

from aps.drill.explore.program import Hand, Program, Role
from aps.drill.explore.programs import parties, setups

THREE_OWNERS: Final = Program(
    "three-owners",
    "an owner that goes on as if nothing had happened, two that adopt, and leases that end twice",
    {
        "A": Role(parties.insists),
        "B": Role(parties.adopts_and_works),
        "C": Role(parties.adopts),
        "time": Role(parties.time, "postgres"),
    },
    setups.held_by_a,
)
THREE_CLAIMERS: Final = Program(
    "three-claimers",
    "three workers on two ready jobs, and a lease that ends",
    {
        "A": Role(parties.claims),
        "B": Role(parties.claims),
        "C": Role(parties.claims),
        "time": parties.CLOCK,
    },
    setups.two_ready,
)
WAYS_TO_END: Final = Program(
    "ways-to-end",
    "an owner that releases, one that adopts and fails, one that claims what comes free",
    {
        "A": Role(parties.in_turn(Hand.heartbeat, Hand.release)),
        "B": Role(lambda hand: Hand.fail(hand) if parties.adopted(hand) else None),
        "C": Role(parties.claims),
        "time": parties.CLOCK,
    },
    setups.held_alone,
)
IMPOSTOR: Final = Program(
    "impostor",
    "an owner, and a worker that writes under the owner's epoch in its own name",
    {
        "A": Role(parties.goes_on),
        "I": Role(parties.in_turn(Hand.heartbeat, Hand.release, Hand.fail, Hand.publish)),
    },
    setups.held_by_many,
)
NAMESAKE: Final = Program(
    "namesake",
    "two processes with one worker name: the second adopts what the first had",
    {
        "A": Role(parties.in_turn(Hand.heartbeat, Hand.release, Hand.fail, Hand.publish)),
        "B": Role(parties.adopts_and_works, worker="A"),
        "time": parties.CLOCK,
    },
    setups.held_by_a,
)
CANCELLED: Final = Program(
    "cancelled",
    "an owner whose job is cancelled twice, and once at an old epoch, while it reports, releases, fails or publishes",
    {
        "A": Role(parties.goes_on),
        "D": Role(Hand.fail, worker="A"),
        "E": Role(Hand.release, worker="A"),
        "X": Role(parties.in_turn(*[parties.cancels(1, 1)] * 2, parties.cancels(1, 0))),
    },
    setups.held_by_many,
)
CANCELLED_LEASED: Final = Program(
    "cancelled-leased",
    "a cancelled job that keeps its worker and its lease, a lease that ends, and two that adopt",
    {
        "B": Role(parties.adopts),
        "C": Role(parties.adopts),
        "X": Role(parties.cancels(1, 1)),
        "time": parties.CLOCK,
    },
    setups.lost_by_a,
)
FOUR_LOSERS: Final = Program(
    "four-losers",
    "workers that adopt and lose the job one after the other, until the limit",
    {
        "B": Role(parties.adopts),
        "C": Role(parties.adopts),
        "time": Role(parties.in_turn(*[Hand.end_leases] * 3), "postgres"),
    },
    setups.lost_twice,
)
OPEN_ADOPTION: Final = Program(
    "open-adoption",
    "an adoption that is not committed yet, its late owner, another that adopts, and a caller that cancels",
    {
        "A": Role(parties.in_turn(Hand.heartbeat, Hand.publish)),
        "B": Role(parties.adopts_openly),
        "C": Role(parties.adopts),
        "X": Role(parties.cancels(1, 1)),
    },
    setups.lost_by_a,
)
OPEN_ADOPTION_ENDS: Final = Program(
    "open-adoption-ends",
    "an adoption that is not committed yet, and its late owner that ends the job in every way",
    {
        "A": Role(parties.goes_on),
        "B": Role(parties.adopts_openly),
        "D": Role(Hand.fail, worker="A"),
        "E": Role(Hand.release, worker="A"),
    },
    setups.lost_by_many,
)
TIMELY: Final = Program(
    "timely",
    "an owner that ends its job in every way, and a lease that ends",
    {
        "A": Role(parties.goes_on),
        "D": Role(Hand.fail, worker="A"),
        "E": Role(Hand.release, worker="A"),
        "time": parties.CLOCK,
    },
    setups.held_by_many,
)
INCONSISTENT: Final = Program(
    "inconsistent",
    "workers that look for work where only rows are that no correct writer leaves",
    {
        "A": Role(partial(Hand.take, statement="claim")),
        "B": Role(parties.adopted),
    },
    setups.forged,
)
OPEN_CANCELLATION: Final = Program(
    "open-cancellation",
    "a cancellation that is not committed yet, and an owner that ends the job in every way",
    {
        "A": Role(parties.goes_on),
        "D": Role(Hand.fail, worker="A"),
        "E": Role(Hand.release, worker="A"),
        "X": Role(parties.cancels_openly(1)),
    },
    setups.held_by_many,
)
OPEN_CLAIMS: Final = Program(
    "open-claims",
    "claims that are not committed yet, one that never is, and callers that cancel",
    {
        "A": Role(parties.claims_openly),
        "B": Role(parties.gives_up_openly),
        "C": Role(parties.claims),
        "X": Role(parties.cancels(1, 0)),
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
    CANCELLED_LEASED,
    FOUR_LOSERS,
    OPEN_ADOPTION,
    OPEN_ADOPTION_ENDS,
    OPEN_CANCELLATION,
    TIMELY,
    INCONSISTENT,
    OPEN_CLAIMS,
)
