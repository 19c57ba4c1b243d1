"""What may be done to a job, and why not: by its one state, the matrix, and the refusal of its own evidence."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from aps.errors import Refused
from aps.evidence import Judgement
from aps.model import key
from aps.model.matrix import Action, State
from aps.model.plan import Plan
from aps.model.report import CONFLICT, UNCLASSIFIED, UNDETERMINED, Evidence
from aps.model.runbook import FENCING
from aps.snapshot import Snapshot

# The columns of the key to their values.
Keyed = Mapping[str, str]
_UNKEYED: Keyed = MappingProxyType({})


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


def command(action: Action, jobs: Sequence[str], suffix: str, keyed: Keyed = _UNKEYED) -> str:
    """What to type; for a manual action, the queue's own command with the values of `keyed` in place of `{NAME}`."""
    if action.run != "manual":
        return key.typed(f"aps {action.run}", jobs, suffix)
    known = {f"{{{column}}}": shlex.quote(value) for column, value in keyed.items()}
    # In one pass, so that a value which looks like a place is not taken for one.
    places = "|".join(map(re.escape, known)) or r"(?!)"
    return re.sub(places, lambda place: known[place[0]], str(action.command))


def by_hand(state: State) -> str | None:
    """Why no command of aps acts on a job of this state: a person does, with the queue's own command."""
    if state.action is None or state.action.run != "manual":
        return None
    team = state.owner.team
    return f"its action is manual: {team} does it with the queue's own command, which `aps inspect` of the job shows"


def suits(snapshot: Snapshot) -> None:
    """Raises Refused where the queue here is not of a version that the pack is for."""
    if snapshot.versions and snapshot.versions.fault:
        raise Refused(f"{snapshot.versions.fault}: nothing is acted upon")


def sightings(plan: Plan, clock: datetime) -> float:
    """Seconds until the jobs may be seen the second time; zero or less from then on."""
    return (plan.second_sighting_seconds or 0.0) - (
        clock - datetime.fromisoformat(plan.created_at)
    ).total_seconds()


def seen_twice(plan: Plan, clock: datetime) -> None:
    """Raises Refused where the plan is too young: what it saw may be no more than an emptied table."""
    if plan.second_sighting_seconds and (left := sightings(plan, clock)) > 0:
        raise Refused(
            f"{plan.state} rests on an UNLOGGED table, which a crash empties: seen once so far, "
            f"apply this plan in {math.ceil(left)} s or later"
        )


def attest(plan: Plan) -> str:
    """Why the matrix asks for the attestation, and how it is given."""
    why = "" if plan.fencing == "enforced" else f" ({FENCING[plan.fencing]})"
    return (
        f"{plan.state}: the matrix asks for the attestation {plan.attest!r}{why}; "
        f"where it is true, say --attest {plan.attest}"
    )
