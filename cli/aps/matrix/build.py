"""From a shape without faults to the nouns that the engine uses."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from aps import packs
from aps.matrix import parameters
from aps.matrix.files import Files
from aps.matrix.queries import file_of
from aps.matrix.shape import MatrixShape, OwnerShape, SeverityShape, StateShape, ThresholdShape
from aps.matrix.sql import SqlFile
from aps.model.matrix import (
    Action,
    Matrix,
    Move,
    Owner,
    Parameter,
    Query,
    Rollback,
    Severity,
    State,
    Threshold,
)

Scanned = Mapping[str, SqlFile]


def matrix(
    pack: Path, shape: MatrixShape, files: Files, scanned: Scanned, overrides: Mapping[str, str]
) -> Matrix:
    owner = _owner(shape.owner)
    return Matrix(
        name=packs.name(pack),
        path=pack,
        sha256=files.sha256,
        system=shape.system,
        title=shape.title or shape.system,
        table=shape.table,
        key=tuple(shape.key),
        fencing=shape.fencing,
        owner=owner,
        states=tuple(_state(name, one, owner, scanned) for name, one in shape.states.items()),
        absent=MappingProxyType(shape.absent),
        parameters=MappingProxyType(parameters.overridden(_parameters(shape), overrides)),
        population=_query(scanned, "population"),
        schema=shape.schema_,
        max_lease=shape.max_lease,
        most_missing=shape.most_missing,
        scope=shape.scope,
        versions=tuple(shape.versions or ()),
        names=_optional(scanned, "names"),
        further_names=_optional(scanned, "names", "context"),
        ahead=_optional(scanned, "ahead"),
        completion=_optional(scanned, "completion"),
        version=_optional(scanned, "version"),
    )


def _parameters(shape: MatrixShape) -> dict[str, Parameter]:
    found = {}
    for name, one in shape.parameters.items():
        value = parameters.declared(one.type, one.default)
        found[name] = Parameter(name, one.type, value, value, one.means, one.unit)
    return found


def _state(name: str, shape: StateShape, owner: Owner | None, scanned: Scanned) -> State:
    own = _owner(shape.owner) or owner
    assert own is not None
    return State(
        name=name,
        title=_title(name, shape),
        means=shape.means,
        evidence=_query(scanned, name),
        owner=own,
        severity=_severity(shape.severity, acts=_changes(shape)),
        kind=shape.kind,
        not_=shape.not_,
        action=_action(name, shape, scanned),
        rollback=_rollback(shape),
        moves=tuple(Move(to, by) for to, by in (shape.moves or {}).items()),
        liveness=shape.liveness,
        artifacts=shape.artifacts,
        reading=tuple(shape.reading or ()),
        context=tuple(_query(scanned, one, "context") for one in shape.context or ()),
        limit=shape.limit,
        bulk=shape.bulk,
        next=shape.next,
        tell=shape.tell,
        forbidden=shape.forbidden,
        outside_effects=shape.outside_effects,
        done_when=shape.done_when,
        retention=shape.retention,
        unlogged=shape.unlogged,
    )


def _title(name: str, shape: StateShape) -> str:
    """Where only age speaks for a worker, the name of its state says so wherever it is shown."""
    title = shape.title or name.replace("_", " ")
    if shape.liveness != "age":
        return title
    return "live?" if title == "live lease" else f"{title} (live?)"


def _action(name: str, shape: StateShape, scanned: Scanned) -> Action | None:
    action = shape.action
    if action is None:
        return None
    return Action(
        run=action.run,
        effect=action.effect,
        attest=action.attest,
        command=action.command,
        changes_per_job=action.changes_per_job,
        to=tuple(action.to or ()),
        query=_optional(scanned, name, action.run),
        abort=_optional(scanned, name, "abort"),
        verify=_optional(scanned, name, "verify"),
        undo=_optional(scanned, name, "undo"),
    )


def _rollback(shape: StateShape) -> Rollback | None:
    back = shape.rollback
    return None if back is None else Rollback(back.criterion, back.irreversible)


def _owner(shape: OwnerShape | None) -> Owner | None:
    return None if shape is None else Owner(shape.team, shape.contact, shape.escalate)


def _changes(shape: StateShape) -> bool:
    """To look is no reason to need somebody."""
    return shape.action is not None and shape.action.changes_per_job > 0


def _severity(shape: SeverityShape | None, *, acts: bool) -> Severity:
    if shape is None:
        return Severity(warning=Threshold(count=1) if acts else None)
    return Severity(_threshold(shape.warning), _threshold(shape.critical))


def _threshold(shape: ThresholdShape | None) -> Threshold | None:
    return None if shape is None else Threshold(shape.count, shape.age)


def _query(scanned: Scanned, *parts: str) -> Query:
    one = scanned[file_of(*parts)]
    return Query(".".join(parts), one.file, one.statement, frozenset(one.parameters))


def _optional(scanned: Scanned, *parts: str) -> Query | None:
    return _query(scanned, *parts) if file_of(*parts) in scanned else None
