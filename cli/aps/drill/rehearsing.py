"""One script to its rehearsal, whatever becomes of it."""

from __future__ import annotations

import time

from aps.drill.ground import Yard, opened
from aps.drill.script import Notes, Script
from aps.errors import ApsError
from aps.model.drill import Kind, Rehearsal, Verdict


def rehearse(yard: Yard, number: int, kind: Kind, script: Script) -> Rehearsal:
    """Play it on ground of its own. An error of any kind ends this rehearsal only, and is told in it."""
    notes = Notes()
    began = time.monotonic()
    error = None
    try:
        with opened(yard, f"{kind}_{number}") as ground:
            script.play(ground, notes)
    except (ApsError, OSError) as failure:
        error = str(failure)
    except Exception as failure:  # a queue that answers nonsense breaks whoever reads the answer
        error = f"{type(failure).__name__}: {failure}"
    return Rehearsal(
        number=number,
        kind=kind,
        name=script.name,
        title=script.title,
        done=tuple(notes.done),
        observations=tuple(notes.observations),
        proves=script.proves,
        does_not_prove=script.does_not_prove,
        verdict=verdict(notes, error),
        error=error,
        seconds=round(time.monotonic() - began, 3),
    )


def verdict(notes: Notes, error: str | None) -> Verdict:
    """Broken where an observation was not as expected, else unfinished where it ended by an error or saw nothing."""
    if not all(one.holds for one in notes.observations):
        return "broken"
    # What looked at nothing has shown nothing.
    return "unfinished" if error or not notes.observations else "holds"
