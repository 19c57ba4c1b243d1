"""One interleaving: one step at a time, whoever's turn it is; a step that waits for a lock is left to wait.

As PostgreSQL's own isolation tests do: a step is over when its session stands still, or when the server says that it is
blocked by another one; then the others go on, and whatever unblocks it lets it finish.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from aps.drill.explore.party import Party, Play
from aps.errors import DatabaseError

# Longer than most steps take: the server is asked only about those that are slow, or blocked.
_PATIENCE: Final = 0.004
_DEADLINE: Final = 30.0


class Stage(Protocol):
    """What the parties are watched by: which of these sessions wait for another one's lock."""

    def blocked(self, pids: Sequence[int]) -> set[int]: ...


class Lockstep:
    """The parties of one interleaving. `steps` and `waits` count what they did."""

    def __init__(self, stage: Stage, plays: Mapping[str, tuple[int, Play]]) -> None:
        self._stage = stage
        self._still = threading.Condition()
        self._waiting: list[Party] = []
        self.steps = 0
        self.waits = 0
        self.parties = [Party(name, pid, play, self._still) for name, (pid, play) in plays.items()]
        self._settle(self.parties)

    @property
    def ready(self) -> list[str]:
        """Whose turn it may be now, in the order of the program."""
        return [one.name for one in self.parties if one.step is not None]

    def turn(self, name: str) -> str:
        """Let that party make its step; the step's name. Returns when everybody stands, or waits for a lock."""
        party = next(one for one in self.parties if one.name == name)
        with self._still:
            step = party.go()
        self.steps += 1
        self._settle([party, *self._waiting])
        self.waits += party in self._waiting
        return step

    def failures(self) -> list[tuple[str, Exception]]:
        return [(one.name, one.error) for one in self.parties if one.error]

    def end(self) -> None:
        """Everybody leaves; who waits for a lock does once it is free."""
        for one in self.parties:
            one.dismiss()
        for one in self.parties:
            one.join()

    def _settle(self, moving: Sequence[Party]) -> None:
        deadline = time.monotonic() + _DEADLINE
        while True:
            with self._still:
                self._still.wait_for(lambda: all(one.stands for one in moving), _PATIENCE)
                unsettled = [one for one in moving if not one.stands]
            if unsettled:
                blocked = self._stage.blocked([one.pid for one in unsettled])
                unsettled = [one for one in unsettled if one.pid not in blocked]
            # Who stood still meanwhile is no longer moving, whatever the server said of its session.
            if not [one for one in unsettled if not one.stands]:
                self._waiting = [one for one in moving if not one.stands]
                return
            if time.monotonic() > deadline:
                raise DatabaseError(
                    f"{unsettled[0].name} neither ends its step nor waits for a lock"
                )
