"""What a command is asked to act upon, and which state that is: one operation has one action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from aps import permission, triage
from aps.errors import Refused, Usage
from aps.evidence import Judgement
from aps.files import Looked, Wanted
from aps.model.matrix import Matrix, State
from aps.model.report import UNDETERMINED

# Without --limit a bulk operation takes so many, oldest first: releasing all at once can bring a system down again.
DEFAULT_LIMIT = 100
# Of fewer files no share says anything.
FEW = 10


@dataclass(frozen=True, slots=True)
class Selection:
    """Named jobs, or everything of one state narrowed. Narrowing never makes a job eligible."""

    jobs: tuple[str, ...] = ()
    state: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    older_than: timedelta | None = None
    limit: int | None = None

    @property
    def text(self) -> str:
        words = ["jobs " + ", ".join(self.jobs)] if self.jobs else []
        if self.state or not self.jobs:
            words.append(f"state {self.state or 'any'}")
        words += [f"{column}={value}" for column, value in self.where.items()]
        if self.older_than is not None:
            words.append(f"older than {self.older_than.total_seconds():g} s")
        return ", ".join(words)

    def wanted(self, state: State) -> Wanted:
        """Raises Refused where the limit is more than the matrix lets one operation take."""
        limit = self.limit or min(DEFAULT_LIMIT, state.limit or DEFAULT_LIMIT)
        within_limit(state, limit, "--limit")
        return Wanted(limit, self.where, self.older_than, eligible=True)


def acts(state: State, command: str) -> bool:
    return state.action is not None and state.action.run == command


def named(matrix: Matrix, command: str, name: str) -> State:
    """The state of that name. Raises Usage for one that is not there, Refused where the command may not act on it."""
    state = triage.known_state(matrix, name)
    if not acts(state, command):
        permitted = state.action.run if state.action else "no action"
        reason = permission.by_hand(state) or f"the matrix permits {permitted}, not {command}"
        raise Refused(f"{state.name}: {reason}")
    return state


def of_all(matrix: Matrix, command: str, name: str | None) -> State:
    """The state of --all. Raises Usage, Refused."""
    if name is None:
        able = [state for state in matrix.states if acts(state, command) and state.bulk]
        if len(able) != 1:
            names = ", ".join(state.name for state in able) or "none"
            raise Usage(f"--all needs --state: {command} acts on {names}")
        return able[0]
    state = named(matrix, command, name)
    if not state.bulk:
        raise Refused(
            f"{state.name}: the matrix permits {command} of named jobs only, never in bulk"
        )
    return state


def of_jobs(
    matrix: Matrix, command: str, name: str | None, judged: Sequence[Judgement]
) -> State | None:
    """The one state of named jobs that the command acts on, if any is. Raises Usage, Refused.

    A job's own state goes before what lies over it, and a state that is changed before one that is only looked at.
    """
    if name is not None:
        return named(matrix, command, name)
    found = dict.fromkeys(filter(None, (_of_job(matrix, command, one) for one in judged)))
    able = [state for state in found if not (state.action and state.action.looks)] or list(found)
    if len(able) > 1:
        raise Usage(
            f"the jobs are in {', '.join(state.name for state in able)}: "
            "one operation does one action, name the jobs of one state at a time, or say --state"
        )
    return able[0] if able else None


def _of_job(matrix: Matrix, command: str, judged: Judgement) -> State | None:
    if matrix.state(judged.state) is None:
        return None
    names = [judged.state, *(name for name in judged.rows if name != judged.state)]
    states = (matrix.state(name) for name in names)
    return next((state for state in states if state and acts(state, command)), None)


def why_not(matrix: Matrix, command: str, chosen: State | None, judged: Judgement) -> str:
    """Why a named job is left out, that is not in the state chosen."""
    own = matrix.state(judged.state)
    doubt = permission.refusal(judged, None)
    if doubt or own is None:
        return doubt or UNDETERMINED
    changed = chosen is not None and chosen.kind == "lifecycle"
    if changed and own.action and own.action.looks and own.action.run == command:
        return f"nothing to do: {own.title}, and its file was read"
    if chosen is not None and acts(own, command):
        return f"it is in {own.name}, not in {chosen.name}"
    if by_hand := permission.by_hand(own):
        return by_hand
    if own.action and own.action.run != command:
        return f"its action is {own.action.run}, not {command}"
    return permission.refusal(judged, own) or "the matrix permits no action on it"


def within_limit(state: State | None, asked: int, what: str) -> None:
    """Raises Refused for more jobs than the matrix lets one operation take."""
    if state and state.limit is not None and asked > state.limit:
        raise Refused(
            f"{what} {asked}: the matrix lets one operation take {state.limit} of {state.name}"
        )


def whole(matrix: Matrix, state: State | None, looked: Looked) -> None:
    """Raises Refused where absence is what would be acted on, and so much is missing that the store is in doubt."""
    on_absence = state and state.kind == "lifecycle" and state.artifacts == "claimed"
    if not on_absence or looked.judged < FEW:
        return
    if looked.missing > looked.judged * matrix.most_missing:
        raise Refused(
            f"{looked.missing} of {looked.judged} files are missing, more than {matrix.most_missing:.0%}: is the store "
            "whole, and mounted? One job that is named may still be withdrawn"
        )
