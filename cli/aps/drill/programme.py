"""All that is rehearsed, by number: the sixteen groups, the trials, then what is more than one script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aps.drill import further
from aps.drill.groups import adoption, claims, files, publication
from aps.drill.part import Part, scripted
from aps.drill.script import Script
from aps.drill.trials import TRIALS
from aps.errors import Usage
from aps.model.drill import Kind

GROUPS: Final[tuple[Script, ...]] = (
    *claims.SCRIPTS,
    *adoption.SCRIPTS,
    *publication.SCRIPTS,
    *files.SCRIPTS,
)
SCRIPTS: Final[dict[int, tuple[Kind, Script]]] = dict(
    enumerate([*(("group", one) for one in GROUPS), *(("trial", one) for one in TRIALS)], start=1)
)
FURTHER: Final[tuple[Part, ...]] = tuple(further.PARTS.values())
PARTS: Final[dict[int, Part]] = dict(
    enumerate([*(scripted(*one) for one in SCRIPTS.values()), *FURTHER], start=1)
)


def chosen(asked: Sequence[str]) -> dict[int, Part]:
    """The parts of these numbers, in their order; all where none is named. Raises Usage for a number that none has."""
    numbers = {str(number): number for number in PARTS}
    for given in asked:
        if given.strip() not in numbers:
            raise Usage(f"--group {given}: write a whole number from 1 to {len(PARTS)}")
    named = {numbers[given.strip()] for given in asked}
    return {number: part for number, part in PARTS.items() if number in named or not named}
