"""A row that is locked past the end of a lease, by the real clock: the write that waited for it comes too late."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from aps.drill.explore.program import Hand, Program, Role
from aps.drill.explore.programs import setups
from aps.drill.explore.scene import text


def holds_the_row(hand: Hand) -> None:
    """An open transaction on the row, as a migration or a careless session leaves it."""
    hand.cue("lock the row")
    hand.session.begin_write()
    hand.session.rows(text("lock"), {"job_id": 1})
    hand.tell("lock the row", "held")
    hand.leave()


def _late(name: str, write: Callable[[Hand], object]) -> Program:
    return Program(
        f"late-{name}",
        f"a {name} that waits for a locked row while its lease ends by the clock",
        {
            "A": Role(write),
            "H": Role(holds_the_row, "postgres"),
            "time": Role(partial(Hand.end_leases, how="outwait_leases"), "postgres"),
        },
        setups.held_shortly,
    )


# By the statement that comes too late.
LATE: Final = {
    "heartbeat": _late("heartbeat", partial(Hand.heartbeat, lease=setups.SHORT)),
    "publish": _late("publish", Hand.publish),
    "fail": _late("fail", Hand.fail),
    "release": _late("release", Hand.release),
}
PROGRAMS: Final = tuple(LATE.values())
