"""What a rehearsal is before it is run, and what is noted while it runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aps.model.drill import Observation

if TYPE_CHECKING:
    from aps.drill.ground import Ground


@dataclass
class Notes:
    """What was done and seen so far. An observation that is not as expected ends nothing: the others still count."""

    done: list[str] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)

    def did(self, sentence: str) -> None:
        self.done.append(sentence)

    def saw(self, what: str, observed: Any, expected: Any) -> None:
        """Equal as values; both are kept as text."""
        seen = Observation(what, _text(expected), _text(observed), bool(observed == expected))
        self.observations.append(seen)

    def held(self, what: str, holds: bool, observed: Any, expected: str) -> None:
        """For what is not an equality: `expected` says in words what was to be seen."""
        self.observations.append(Observation(what, expected, _text(observed), holds))


@dataclass(frozen=True, slots=True)
class Script:
    """One group or trial. `play` does it, on ground of its own; it raises only where it cannot go on."""

    name: str
    title: str
    proves: str
    does_not_prove: str
    play: Callable[[Ground, Notes], None]


def _text(value: Any) -> str:
    """As a person would say it; of bytes how many, and which by the start of their digest."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, bytes):
        return f"{len(value)} bytes ({hashlib.sha256(value).hexdigest()[:8]})"
    if isinstance(value, Mapping):
        return ", ".join(f"{_text(key)}: {_text(one)}" for key, one in value.items()) or "none"
    if isinstance(value, list | tuple | set):
        return ", ".join(map(_text, value)) or "none"
    return str(value)
