"""The nouns of a drill, from the JSON that its process tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aps.model.drill import Explored, Kind, Mutant, Observation, Rehearsal, Violation


@dataclass(frozen=True, slots=True)
class Begun:
    """A part that begins: which, and how many of how many it is."""

    number: int
    kind: Kind
    name: str
    title: str
    place: int
    total: int

    def unfinished(self, error: str, seconds: float) -> Rehearsal:
        """What is told of it where nothing came of it: it proves nothing."""
        return Rehearsal(
            number=self.number,
            kind=self.kind,
            name=self.name,
            title=self.title,
            done=(),
            observations=(),
            proves="",
            does_not_prove="",
            verdict="unfinished",
            error=error,
            seconds=seconds,
        )


def rehearsal(told: Mapping[str, Any]) -> Rehearsal:
    seen = tuple(Observation(**one) for one in told["observations"])
    return Rehearsal(**{**told, "done": tuple(told["done"]), "observations": seen})


def explored(told: Mapping[str, Any]) -> Explored:
    sessions = {name: tuple(steps) for name, steps in told["sessions"].items()}
    violations = tuple(
        Violation(**{**one, "steps": tuple(one["steps"])}) for one in told["violations"]
    )
    return Explored(**{**told, "sessions": sessions, "violations": violations})


def mutant(told: Mapping[str, Any]) -> Mutant:
    return Mutant(**{**told, "steps": tuple(told["steps"])})
