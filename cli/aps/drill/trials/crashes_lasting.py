"""Crashes that the engine of a reclaim cannot get over alone: in both of its tries, or of a server that stays away."""

from __future__ import annotations

from typing import Final

from aps.drill.ground import Ground
from aps.drill.operator import Operator
from aps.drill.script import Notes, Script
from aps.drill.trials import crashing
from aps.drill.trials.crashes_reclaim import (
    LEFT_ALONE,
    NOT_ANSWERED,
    NOT_DONE,
    RECLAIMED,
    Watched,
    abandoned,
    agrees,
    words,
)

_HURRY: Final = 0.3


def twice(ground: Ground, notes: Notes) -> None:
    (job,) = abandoned(ground, 1)
    with crashing.standing(ground):
        plan = Operator(ground).plan("reclaim", job)
        watched = Watched(ground, plan, job, "acted", crashing.killed, times=2)
        told = watched.apply()
        notes.did(
            "a job was reclaimed; the operator's backend was killed in the first try and in the second"
        )
        notes.saw("what the operator was told", words(told), "failed, verified")
        notes.saw("how often it was tried", watched.tries, 2)
        agrees(ground, notes, "after two crashes", watched, LEFT_ALONE)
        _again(ground, notes, watched, RECLAIMED, "applied, verified")


def _again(ground: Ground, notes: Notes, before: Watched, expected: str, told: str) -> None:
    """The same plan once more, and nothing crashes."""
    again = Watched(ground, before.plan, before.job, "never", crashing.killed)
    step = f"{before.step}, applied once more"
    notes.saw(f"{step}: what the operator was told", words(again.apply()), told)
    agrees(ground, notes, step, again, expected)


_AWAY: Final = {
    "acted": ("failed, verified", LEFT_ALONE, "applied, verified"),
    NOT_DONE: ("unknown, verified", LEFT_ALONE, "applied, verified"),
    NOT_ANSWERED: ("unknown, verified", RECLAIMED, "already, verified"),
}


def away(ground: Ground, notes: Notes) -> None:
    crashing.plant(ground)
    jobs = abandoned(ground, len(_AWAY))
    with crashing.standing(ground):
        for job, (step, (told, stands, again)) in zip(jobs, _AWAY.items(), strict=True):
            plan = Operator(ground).plan("reclaim", job)
            watched = Watched(ground, plan, job, step, crashing.away, patience=_HURRY)
            operation = watched.apply()
            notes.did(f"job {job} was reclaimed; the server crashed and stayed away at: {step}")
            notes.saw(f"{step}: what the operator was told", words(operation), told)
            agrees(ground, notes, f"{step}, settled by the journal", watched, stands)
            _again(ground, notes, watched, RECLAIMED, again)


SCRIPTS: Final = (
    Script(
        "reclaim-crashed-twice",
        "The operator's backend is killed in both tries of a reclaim",
        "what was told as failed did not happen, and the same plan can be applied afterwards",
        crashing.NO_POWER_LOSS,
        twice,
    ),
    Script(
        "reclaim-server-away",
        "The server crashes during a reclaim and stays away",
        "an outcome is unknown only where a COMMIT was sent, and the journal decides it once the server is back",
        f"{crashing.NO_POWER_LOSS}; nor anything about a server that comes back as another or from a backup",
        away,
    ),
)
