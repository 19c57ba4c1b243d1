"""Every order of steps, one after the other: depth first, by the choices that there were when they were made."""

from __future__ import annotations

from collections.abc import Sequence


class Orders:
    """Ask `choose` at each step of one interleaving, then `advance` to the next one until there is none.

    What may be chosen is known only as the steps are made: a session that waits for a lock has no turn. The same
    choices lead to the same ones again; `diverged` counts where they did not. `first`: only those this party begins.
    """

    def __init__(self, first: str) -> None:
        self._path: list[tuple[Sequence[str], int]] = [((first,), 0)]
        self._depth = 0
        self.diverged = 0

    def choose(self, ready: Sequence[str]) -> str:
        if self._depth == len(self._path):
            self._path.append((tuple(ready), 0))
        options, taken = self._path[self._depth]
        self._depth += 1
        if options[taken] in ready:
            return options[taken]
        self.diverged += 1
        return ready[0]

    def advance(self) -> bool:
        """Is there another interleaving? The next one differs from this in the last choice that has an alternative."""
        del self._path[self._depth :]
        self._depth = 0
        while self._path:
            options, taken = self._path.pop()
            if taken + 1 < len(options):
                self._path.append((options, taken + 1))
                return True
        return False
