"""What may be done to a job, and why not: by its one state, the matrix, and the refusal of its own evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aps.evidence import Judgement
from aps.model import key
from aps.model.matrix import Action, State
from aps.model.report import CONFLICT, UNCLASSIFIED, UNDETERMINED

# The actions that this version can execute; the others are told with their owner.
EXECUTABLE = ("reclaim",)


def refusal(judged: Judgement, state: State | None) -> str | None:
    """Why nothing may be done to this job; None where its state's action is permitted."""
    if state is None:
        return {
            UNCLASSIFIED: "no state of the matrix claims this job: aps never acts on it",
            CONFLICT: f"{' and '.join(judged.lifecycle)} both claim this job: aps never acts on it",
            UNDETERMINED: f"not every state could be read: {_unread(judged.unread)}",
        }[judged.state]
    if state.action is None:
        return None
    said = next((row["refusal"] for row in judged.rows[state.name] if row.get("refusal")), None)
    if said is None and state.action.run == "reconcile" and state.action.run not in EXECUTABLE:
        return "its action is reconcile, which this version of aps does not have"
    return said


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
