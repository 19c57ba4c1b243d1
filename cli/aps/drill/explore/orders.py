"""Every order of steps, one after the other: depth first, by the choices that there were when they were made."""

from __future__ import annotations

from collections.abc import Sequence


class Orders:
    """Ask `choose` at each step of one interleaving, then `advance` to the next one until there is none.

    What may be chosen is known only as the steps are made: a session that waits for a lock has no turn. The same
    choices lead to the same ones again. `first`: only those this party begins.
    """

    def __init__(self, first: str) -> None:
        self._path: list[tuple[Sequence[str], int]] = [((first,), 0)]
        self._depth = 0
        self._again = 0

    @property
    def again(self) -> bool:
        """Were all steps made so far made in the interleaving before this one too, in this order?"""
        return self._depth <= self._again

    def choose(self, ready: Sequence[str]) -> str | None:
        """Whose turn it is; None where what was possible at this step before is not so now."""
        if self._depth == len(self._path):
            self._path.append((tuple(ready), 0))
        options, taken = self._path[self._depth]
        self._depth += 1
        return options[taken] if options[taken] in ready else None

    def advance(self) -> bool:
        """Is there another interleaving? The next one differs from this in the last choice that has an alternative."""
        del self._path[self._depth :]
        self._depth = 0
        while self._path:
            options, taken = self._path.pop()
            if taken + 1 < len(options):
                self._again = len(self._path)
                self._path.append((options, taken + 1))
                return True
        return False
