"""What matrix.yaml must say beyond its shape: names, owners, ways back, the core states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_args

from aps.matrix import parameters
from aps.matrix.faults import Fault, nearest
from aps.matrix.shape import NAME
from aps.matrix.source import Source
from aps.model.matrix import (
    BOUND_ALWAYS,
    BOUND_TO_ACTIONS,
    CORE_STATES,
    DSN,
    SCHEMA,
    ParameterType,
)

RESERVED = frozenset(
    {"unclassified", "conflict", "undetermined", "not_looked"}
    | {"schema", "roles", "population", "names", "ahead", "completion", "version"}
)
_BOUND = BOUND_ALWAYS | BOUND_TO_ACTIONS | {"max_lease"}
_COLUMNS = frozenset({"since", "refusal", "item", "locked", "blocked_by"})
_NAME = r'[^."\s](?:[^."\n]*[^."\s])?'
_TABLE = re.compile(rf"{_NAME}(\.{_NAME})?")
_COLUMN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def faults(source: Source, undone: frozenset[str]) -> Iterator[Fault]:
    """`undone` are the states whose undo file exists."""
    yield from _table_and_key(source)
    yield from _core(source)
    for name in source.names("parameters"):
        yield from _parameter(source, name)
    for name in source.names("states"):
        yield from _state_name(source, name)
        if isinstance(source.get("states", name), dict):
            yield from _owner(source, name)
            yield from _contexts(source, name)
            yield from _action(source, name)
            yield from _way_back(source, name, name in undone)
            yield from _leads(source, name)


def _table_and_key(source: Source) -> Iterator[Fault]:
    table = source.text("table")
    if table and table.strip() and not _TABLE.fullmatch(table.strip()):
        yield source.fault(("table",), "write the name without quotes: table, or schema.table")
    columns = source.texts("key")
    for at, column in enumerate(columns):
        path = ("key", at)
        if not _COLUMN.fullmatch(column):
            yield source.fault(path, f"{column!r} is no plain column name")
        elif column in columns[:at]:
            yield source.fault(path, f"{column} stands twice; name each column once")
        elif column in _BOUND | _COLUMNS:
            yield source.fault(path, f"{column} has a meaning for aps; key by another column")


def _core(source: Source) -> Iterator[Fault]:
    states, absent = source.names("states"), source.names("absent")
    for name in absent:
        if name in states:
            text = "is a state too; remove it here, or the state"
            yield source.key_fault(("absent", name), text)
    for name in CORE_STATES:
        if name not in (*states, *absent):
            hint = nearest(name, {*states, *absent} - set(CORE_STATES))
            close = f" ({hint})" if hint.startswith("did") else ""
            text = f"{name} is neither a state nor absent; write `{name}: why` below absent{close}"
            yield source.key_fault(("absent",), text)


def _parameter(source: Source, name: str) -> Iterator[Fault]:
    path = ("parameters", name)
    if not re.fullmatch(NAME, name):
        yield source.key_fault(path, "a name is lower-case letters, digits and _")
    if name in _BOUND or name in source.texts("key"):
        yield source.key_fault(path, "the name is bound by aps itself; take another")
    default, kind = source.get(*path, "default"), source.text(*path, "type")
    if isinstance(default, str | int) and kind is not None and kind in get_args(ParameterType):
        try:
            parameters.declared(kind, default)
        except ValueError as error:
            yield source.fault((*path, "default"), str(error))


def _state_name(source: Source, name: str) -> Iterator[Fault]:
    path = ("states", name)
    if not re.fullmatch(NAME, name):
        text = "a state's name is lower-case letters, digits and _, a letter first"
        yield source.key_fault(path, text)
    elif name in RESERVED:
        yield source.key_fault(path, "the name has a meaning for aps; take another")


def _owner(source: Source, name: str) -> Iterator[Fault]:
    if not source.has("owner") and not source.has("states", name, "owner"):
        text = "missing; name the team, here or once for the file"
        yield source.key_fault(("states", name, "owner"), text)


def _contexts(source: Source, name: str) -> Iterator[Fault]:
    for at, context in enumerate(source.texts("states", name, "context")):
        if not re.fullmatch(NAME, context):
            text = "the name of a context is lower-case letters, digits and _"
            yield source.fault(("states", name, "context", at), text)


def _places(source: Source, path: tuple[str, ...]) -> Iterator[Fault]:
    """What a manual command names in braces is filled in; a slip of the fingers would be pasted as it stands."""
    known = {*source.texts("key"), DSN, SCHEMA}
    for place in re.findall(r"\{([A-Za-z_]\w*)\}", source.text(*path) or ""):
        if place not in known:
            told = ", ".join(f"{{{name}}}" for name in sorted(known))
            yield source.fault(path, f"{{{place}}} is nothing that is filled in; there are {told}")


def _action(source: Source, name: str) -> Iterator[Fault]:
    path = ("states", name, "action")
    run = source.text(*path, "run")
    if run == "manual" and not source.has(*path, "command"):
        text = "missing; manual names what a person runs"
        yield source.key_fault((*path, "command"), text)
    if run in ("reclaim", "reconcile") and source.has(*path, "command"):
        text = f"is for manual only; {run} runs queries/{name}.{run}.sql"
        yield source.key_fault((*path, "command"), text)
    yield from _places(source, (*path, "command"))
    if source.get(*path, "changes_per_job") == 0:
        yield from _looking(source, name, run)
    enforced = source.text("fencing") == "enforced"
    if run == "reclaim" and not enforced and not source.has(*path, "attest"):
        text = (
            "missing; fencing is not enforced, so a late worker can still write: "
            "name what a person must confirm, such as all-workers-stopped"
        )
        yield source.key_fault((*path, "attest"), text)


def _looking(source: Source, name: str, run: str | None) -> Iterator[Fault]:
    """An action that only reads files."""
    state = ("states", name)
    path = (*state, "action", "changes_per_job")
    if run != "reconcile":
        yield source.fault(path, "0 is for reconcile only, where it reads files and writes nothing")
    elif source.text(*state, "artifacts") not in ("claimed", "optional"):
        text = "0 means that files are read; write artifacts: claimed, or optional"
        yield source.fault(path, text)
    if source.has(*state, "rollback"):
        text = "there is nothing to roll back where nothing is written; remove it"
        yield source.key_fault((*state, "rollback"), text)


def _way_back(source: Source, name: str, undone: bool) -> Iterator[Fault]:
    state = ("states", name)
    path = (*state, "rollback")
    acts = isinstance(source.get(*state, "action"), dict)
    if source.text(*state, "action") == "none" and source.has(*path):
        yield source.key_fault(path, "there is no action to roll back; remove it")
    if not acts or source.get(*state, "action", "changes_per_job") == 0:
        return
    if not source.has(*path):
        text = "missing; write {criterion: what shows that it was wrong, irreversible: why}"
        yield source.key_fault(path, text)
        return
    final = source.has(*path, "irreversible")
    if final and undone:
        text = f"queries/{name}.undo.sql exists, so there is a way back; remove one"
        yield source.key_fault((*path, "irreversible"), text)
    # A manual action is undone by hand, a quarantined file by the store itself.
    run = source.text(*state, "action", "run")
    undo_elsewhere = run == "manual" or (
        run == "reconcile" and source.text(*state, "artifacts") == "listed"
    )
    if not final and not undone and not undo_elsewhere:
        text = f"missing; say why there is no way back, or write queries/{name}.undo.sql"
        yield source.key_fault((*path, "irreversible"), text)


def _leads(source: Source, name: str) -> Iterator[Fault]:
    """States that a job may be in next: others of this matrix, each told once."""
    state = ("states", name)
    action = (*state, "action", "to")
    for at, to in enumerate(source.texts(*action)):
        listed = isinstance(source.get(*action), list)
        path = (*action, at) if listed else action
        if text := _no_place(source, name, to):
            yield source.fault(path, text)
        elif to in source.texts(*action)[:at]:
            yield source.fault(path, f"{to} stands twice; name each state once")
    for to in source.names(*state, "moves"):
        if text := _no_place(source, name, to):
            yield source.key_fault((*state, "moves", to), text)


def _no_place(source: Source, name: str, to: str) -> str | None:
    states = source.names("states")
    if to == name:
        return "is the state itself; name what a job becomes, or remove it"
    if to not in states:
        return f"no state is called {to!r}; {nearest(to, states)}"
    return None
