"""Make a plan: choose jobs that a state holds now, with the evidence that the write will be fenced by."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from aps import choosing, files, gathering, permission
from aps import snapshot as snapshots
from aps.choosing import DEFAULT_LIMIT, Selection
from aps.database import Database
from aps.errors import PlanError, Refused, StoreError
from aps.evidence import Judgement
from aps.files import Sight
from aps.gathering import Gathered
from aps.model import key
from aps.model.matrix import Matrix, State
from aps.model.plan import FORMAT_VERSION, LIFETIME_SECONDS, Plan, PlannedJob, RefusedJob
from aps.model.report import Evidence, PackRef, Server
from aps.snapshot import Snapshot

__all__ = ["DEFAULT_LIMIT", "Selection", "check", "fingerprint", "held_to_store", "plan"]

_NOBODY_LOOKED = "nobody looked; with --store URL what lies there is told first"

# What is done because of a file is planned with the file.
OF_FILES = ("reconcile",)


def plan(
    matrix: Matrix,
    database: Database,
    command: str,
    selection: Selection,
    sight: Sight | None = None,
) -> Plan:
    """What would be done now. Changes nothing. Raises Refused, Usage, NoSuchJob, StoreError, QueryError.

    `sight` is how far a whole queue or store is looked at; the files of what is then planned are read to the last byte.
    """
    with database.look():
        server = database.probe()
        if server.in_recovery:
            raise Refused(f"{server.name} is a standby: plan and act on the primary")
        snapshot = snapshots.take(database, matrix, server)
        permission.suits(snapshot)
        if command not in OF_FILES:
            gathered = gathering.by_rows(snapshot, command, selection)
    if command in OF_FILES:
        if sight is None:
            raise StoreError(f"{command} reads files before it does anything: say where they lie")
        gathered = gathering.by_files(sight, snapshot, command, selection)
    elif sight:
        gathered = gathering.beside(sight, gathered)
    return _seal(command, selection, gathered, sight)


def _split(
    command: str, selection: Selection, gathered: Gathered
) -> tuple[list[PlannedJob], list[RefusedJob]]:
    planned, refused = [], []
    state, matrix = gathered.state, gathered.snapshot.matrix
    wanted = None if state is None or selection.jobs else selection.wanted(state)
    for values, judged in gathered.jobs.items():
        name = key.text(values)
        if state is None or not permission.holds(judged, state):
            reason: str | None = choosing.why_not(matrix, command, state, judged)
        else:
            reason = permission.refusal(judged, state) or gathered.ahead.get(values)
        if state is None or reason:
            refused.append(RefusedJob(name, judged.state, reason or ""))
        else:
            beside = gathered.beside.get(values, judged)
            over = _overlays(beside, state.name)
            planned.append(PlannedJob(name, values, gathered.rows(judged, wanted), overlays=over))
    return planned, refused


def _overlays(judged: Judgement, planned: str) -> Mapping[str, tuple[Evidence, ...]]:
    return {
        name: rows
        for name, rows in judged.rows.items()
        if name not in judged.lifecycle and name != planned
    }


def _seal(command: str, selection: Selection, gathered: Gathered, sight: Sight | None) -> Plan:
    """The plan with its id, its place, its time and its fingerprint."""
    snapshot = gathered.snapshot
    matrix, server = snapshot.matrix, snapshot.server
    jobs, refused = _split(command, selection, gathered)
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
        state=gathered.state.name if gathered.state else next(iter(gathered.jobs.values())).state,
        **_terms(gathered.state),
        parameters={name: str(value) for name, value in matrix.values.items()},
        selection=selection.text,
        created_at=_utc(snapshot.clock),
        expires_at=_utc(snapshot.clock + timedelta(seconds=LIFETIME_SECONDS)),
        found=gathered.found,
        jobs=tuple(jobs),
        refused=tuple(refused),
        meanings=_meanings(matrix, jobs),
        fencing=matrix.fencing,
        second_sighting_seconds=_apart(gathered.state),
        causes=gathered.causes,
    )
    unsealed = _with_files(unsealed, gathered, sight)
    return replace(unsealed, fingerprint=fingerprint(unsealed))


def _terms(acting: State | None) -> dict[str, Any]:
    """Of the action; of a job that is in another action's state nothing of that action is told."""
    action = acting.action if acting else None
    rollback = acting.rollback if acting else None
    return {
        "effect": action.effect if action else "none is permitted",
        "irreversible": rollback.irreversible if rollback else None,
        "criterion": rollback.criterion if rollback else "",
        "attest": action.attest if action else None,
        "writes": not (action and action.looks),
    }


def _with_files(plan: Plan, gathered: Gathered, sight: Sight | None) -> Plan:
    """What was seen of files, or that nobody looked, where there are any."""
    looked, matrix = gathered.looked, gathered.snapshot.matrix
    if sight is None:
        return replace(plan, notes=(_NOBODY_LOOKED,) if _has_files(matrix) else ())
    return replace(
        plan,
        store=sight.url,
        level=looked.level,
        looked=looked.judged,
        missing=looked.missing,
        notes=tuple(looked.notes),
    )


def _has_files(matrix: Matrix) -> bool:
    return any(state.artifacts for state in matrix.states)


def _meanings(matrix: Matrix, jobs: list[PlannedJob]) -> dict[str, str]:
    names = dict.fromkeys(name for job in jobs for name in job.overlays)
    states = (matrix.state(name) for name in names)
    return {state.name: state.means for state in states if state}


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


def held_to_matrix(plan: Plan, matrix: Matrix) -> None:
    """Raises PlanError where a saved plan asks for less than the matrix does: who can write a file can seal it anew."""
    state = matrix.state(plan.state)
    asked = state.action.attest if state and state.action else None
    if plan.jobs and (plan.attest, plan.second_sighting_seconds) != (asked, _apart(state)):
        raise PlanError(
            f"the plan has other terms than the matrix has for {plan.state}; plan again"
        )


def held_to_store(plan: Plan, snapshot: Snapshot, sight: Sight) -> Plan:
    """The saved plan or less: without jobs whose files are ahead of them. No transaction may be open.

    Raises StoreError where the store is not the one of this database, or nothing in it may be acted upon.
    """
    gathering.trust(sight, snapshot)
    if plan.command in OF_FILES:
        gathering.not_older(sight, snapshot, [])
        return plan
    planned = {job.key: job for job in plan.jobs}
    ahead = {values: why for values, why in files.ahead(sight, snapshot, []) if values in planned}
    if not ahead:
        return plan
    refused = (RefusedJob(planned[values].job, plan.state, why) for values, why in ahead.items())
    held = replace(
        plan,
        jobs=tuple(job for job in plan.jobs if job.key not in ahead),
        refused=(*plan.refused, *refused),
    )
    return replace(held, fingerprint=fingerprint(held))
