"""Make a plan: choose jobs that a state holds now, with the evidence that the write will be fenced by."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta

from aps import evidence, naming, permission, shortlist, triage
from aps import snapshot as snapshots
from aps.database import Database
from aps.errors import PlanError, Refused, Usage
from aps.evidence import Judgement
from aps.model import key
from aps.model.matrix import Matrix, State
from aps.model.plan import FORMAT_VERSION, LIFETIME_SECONDS, Plan, PlannedJob, RefusedJob
from aps.model.report import PackRef, Server
from aps.snapshot import Key, Snapshot

# Without --limit a bulk operation takes so many, oldest first: releasing all at once can bring a system down again.
DEFAULT_LIMIT = 100


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
        if self.jobs:
            return "jobs " + ", ".join(self.jobs)
        words = [f"state {self.state or 'any'}"]
        words += [f"{column}={value}" for column, value in self.where.items()]
        if self.older_than is not None:
            words.append(f"older than {self.older_than.total_seconds():g} s")
        return ", ".join(words)


def plan(matrix: Matrix, database: Database, command: str, selection: Selection) -> Plan:
    """What would be done now. Raises Refused, Usage, NoSuchJob; changes nothing."""
    with database.look():
        server = database.probe()
        if server.in_recovery:
            raise Refused(f"{server.name} is a standby: plan and act on the primary")
        snapshot = snapshots.take(database, matrix, server)
        permission.suits(snapshot)
        if selection.jobs:
            keys = naming.named(snapshot, selection.jobs)
            judged = evidence.judge(snapshot, keys)
            state = _common_state(matrix, command, judged)
            _within_limit(state, len(keys), "jobs named")
        else:
            state = _bulk_state(matrix, command, selection)
            keys = _bulk(snapshot, state, selection)
            judged = evidence.judge(snapshot, keys) if keys else []
        found = evidence.count(snapshot, state).jobs if state else len(keys)
    name = state.name if state else judged[0].state
    jobs = _split(snapshot, command, state, keys, judged)
    return _seal(snapshot, command, name, selection, found, jobs)


def _common_state(matrix: Matrix, command: str, judged: Sequence[Judgement]) -> State | None:
    """The one state of named jobs that the command acts on, if any is; one operation has one action."""
    states = list(dict.fromkeys(judgement.state for judgement in judged))
    able = [state for name in states if (state := matrix.state(name)) and _acts(state, command)]
    if len(able) > 1:
        raise Usage(
            f"the jobs are in {', '.join(state.name for state in able)}: "
            "one operation does one action, name the jobs of one state at a time"
        )
    return able[0] if able else None


def _why_not(matrix: Matrix, command: str, judged: Judgement, values: Key) -> str:
    state = matrix.state(judged.state)
    keyed = dict(zip(matrix.key, values, strict=True))
    if state and (by_hand := permission.by_hand(state, keyed)):
        return by_hand
    if state and state.action and state.action.run != command:
        return f"its action is {state.action.run}, not {command}"
    return permission.refusal(judged, state) or "the matrix permits no action on it"


def _acts(state: State, command: str) -> bool:
    return state.action is not None and state.action.run == command


def _bulk_state(matrix: Matrix, command: str, selection: Selection) -> State:
    able = [state for state in matrix.states if _acts(state, command)]
    if selection.state is None:
        able = [state for state in able if state.bulk]
        if len(able) != 1:
            names = ", ".join(state.name for state in able) or "none"
            raise Usage(f"--all needs --state: {command} acts on {names}")
        return able[0]
    state = triage.known_state(matrix, selection.state)
    if not _acts(state, command):
        permitted = state.action.run if state.action else "no action"
        reason = permission.by_hand(state) or f"the matrix permits {permitted}, not {command}"
        raise Refused(f"{state.name}: {reason}")
    if not state.bulk:
        raise Refused(
            f"{state.name}: the matrix permits {command} of named jobs only, never in bulk"
        )
    return state


def _within_limit(state: State | None, asked: int, what: str) -> None:
    if state and state.limit is not None and asked > state.limit:
        raise Refused(
            f"{what} {asked}: the matrix lets one operation take {state.limit} of {state.name}"
        )


def _bulk(snapshot: Snapshot, state: State, selection: Selection) -> list[Key]:
    """The eligible jobs, oldest first."""
    limit = selection.limit or min(DEFAULT_LIMIT, state.limit or DEFAULT_LIMIT)
    _within_limit(state, limit, "--limit")
    if state.name in snapshot.unread:
        raise Refused(f"{state.name} could not be read: {snapshot.unread[state.name]}")
    return shortlist.select(
        snapshot,
        state,
        limit,
        where=selection.where,
        older_than=selection.older_than,
        eligible=True,
    )


def _split(
    snapshot: Snapshot,
    command: str,
    state: State | None,
    keys: Sequence[Key],
    judged: Sequence[Judgement],
) -> tuple[list[PlannedJob], list[RefusedJob]]:
    planned, refused = [], []
    for values, judgement in zip(keys, judged, strict=True):
        name = key.text(values)
        if state and judgement.state == state.name and not permission.refusal(judgement, state):
            planned.append(PlannedJob(name, values, judgement.rows[state.name]))
        else:
            reason = _why_not(snapshot.matrix, command, judgement, values)
            refused.append(RefusedJob(name, judgement.state, reason))
    return planned, refused


def _seal(
    snapshot: Snapshot,
    command: str,
    name: str,
    selection: Selection,
    found: int,
    jobs: tuple[Sequence[PlannedJob], Sequence[RefusedJob]],
) -> Plan:
    """The plan with its id, its place, its time and its fingerprint.

    Of a job that is in another action's state nothing of that action is told.
    """
    matrix, server, state = snapshot.matrix, snapshot.server, snapshot.matrix.state(name)
    acting = state if state and _acts(state, command) else None
    action = acting.action if acting else None
    rollback = acting.rollback if acting else None
    unsealed = Plan(
        format_version=FORMAT_VERSION,
        operation=str(uuid.uuid4()),
        command=command,
        system=matrix.system,
        pack=PackRef(matrix.name, matrix.sha256),
        identity=server.identity,
        database=server.name,
        role=server.role,
        host=server.host,
        state=name,
        effect=action.effect if action else "none is permitted",
        irreversible=rollback.irreversible if rollback else None,
        criterion=rollback.criterion if rollback else "",
        attest=action.attest if action else None,
        parameters={name: str(value) for name, value in matrix.values.items()},
        selection=selection.text,
        created_at=_utc(snapshot.clock),
        expires_at=_utc(snapshot.clock + timedelta(seconds=LIFETIME_SECONDS)),
        found=found,
        jobs=tuple(jobs[0]),
        refused=tuple(jobs[1]),
        fencing=matrix.fencing,
        second_sighting_seconds=_apart(acting),
    )
    return replace(unsealed, fingerprint=fingerprint(unsealed))


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _apart(acting: State | None) -> float | None:
    return acting.unlogged.total_seconds() if acting and acting.unlogged else None


def fingerprint(plan: Plan) -> str:
    """sha256 over the plan without its fingerprint: it shows damage, not forgery."""
    content = asdict(replace(plan, fingerprint=""))
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def check(plan: Plan, matrix: Matrix, server: Server, clock: datetime) -> None:
    """Refuse a plan that is damaged, too old, of another matrix or parameters, or for another database."""
    if fingerprint(plan) != plan.fingerprint:
        raise PlanError(
            "the plan is damaged: its content does not match its fingerprint; plan again"
        )
    if plan.system != matrix.system or plan.pack.sha256 != matrix.sha256:
        raise PlanError(
            f"the plan was made with another matrix ({plan.system} {plan.pack.sha256[:8]}, "
            f"now {matrix.system} {matrix.sha256[:8]}); plan again"
        )
    if plan.parameters != {name: str(value) for name, value in matrix.values.items()}:
        raise PlanError(
            "the plan was made with other parameters (--set); plan again, or set the same"
        )
    if plan.identity != server.identity:
        raise PlanError(
            f"the plan is for another database ({plan.database} on {plan.host}), or this one was restored or "
            "failed over since; plan again"
        )
    if server.in_recovery:
        raise Refused(f"{server.name} is a standby: act on the primary")
    if clock > datetime.fromisoformat(plan.expires_at):
        raise PlanError(f"the plan expired at {plan.expires_at}; plan again")
