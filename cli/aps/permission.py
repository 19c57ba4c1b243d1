"""What may be done to a job, and why not: by its one state, the matrix, and the refusal of its own evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aps.evidence import Judgement
from aps.model import key
from aps.model.matrix import Action, State
from aps.model.report import CONFLICT, UNCLASSIFIED, UNDETERMINED, Evidence


def holds(judged: Judgement, state: State) -> bool:
    """Is the job in this state: as its own, or as one that lies over a state of its own."""
    if state.kind == "lifecycle":
        return judged.state == state.name
    return state.name in judged.rows and _doubt(judged) is None


def refusal(judged: Judgement, state: State | None) -> str | None:
    """Why nothing may be done to this job; None where the action of this state, which it is in, is permitted."""
    doubt = _doubt(judged)
    if doubt or state is None:
        return doubt
    if state.action is None:
        return None
    return said(judged.rows[state.name])


def said(rows: Iterable[Evidence]) -> str | None:
    """The refusal of the evidence itself."""
    return next((row["refusal"] for row in rows if row.get("refusal")), None)


def _doubt(judged: Judgement) -> str | None:
    """Where a job is not known to be in one state of its own, nothing that lies over it is acted upon either."""
    return {
        UNCLASSIFIED: "no state of the matrix claims this job: aps never acts on it",
        CONFLICT: f"{' and '.join(judged.lifecycle)} both claim this job: aps never acts on it",
        UNDETERMINED: f"not every state could be read: {_unread(judged.unread)}",
    }.get(judged.state)


def _unread(unread: Mapping[str, str]) -> str:
    """Each reason once, after the states that it is for: one missing grant hides many."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in unread.items():
        by_reason.setdefault(reason, []).append(name)
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in by_reason.items())


def command(action: Action, jobs: Sequence[str], suffix: str) -> str:
    """What to type; for a manual action, the queue's own command."""
    if action.run == "manual":
        return str(action.command)
    return key.typed(f"aps {action.run}", jobs, suffix)
