"""The statements of a pack, each with what the contract asks of it, and how aps binds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from aps.model.matrix import Action, Matrix, Query, State
from aps.snapshot import Snapshot

Role = Literal[
    "evidence",
    "population",
    "names",
    "ahead",
    "version",
    "context",
    "action",
    "undo",
    "abort",
    "verify",
]
WRITES = frozenset({"action", "undo"})
# What looks at the queue; time and chance have no place there.
LOOKS = frozenset({"evidence", "population", "names", "ahead", "version"})
# With one key the server may fold the array into a constant, and the defect hides.
KEYS = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """One statement; `state` is whose evidence or action it is."""

    query: Query
    role: Role
    state: State | None = None

    @property
    def writes(self) -> bool:
        return self.role in WRITES


def of(matrix: Matrix) -> list[Asked]:
    """Every statement once, also those that several states name."""
    return list({one.query.file: one for one in _of(matrix)}.values())


def _of(matrix: Matrix) -> Iterator[Asked]:
    yield Asked(matrix.population, "population")
    if matrix.names:
        yield Asked(matrix.names, "names")
    if matrix.further_names:
        yield Asked(matrix.further_names, "context")
    if matrix.ahead:
        yield Asked(matrix.ahead, "ahead")
    if matrix.version:
        yield Asked(matrix.version, "version")
    for state in matrix.states:
        yield Asked(state.evidence, "evidence", state)
        for context in state.context:
            yield Asked(context, "context", state)
        if state.action:
            yield from _of_action(state, state.action)


def _of_action(state: State, action: Action) -> Iterator[Asked]:
    roles: dict[Role, Query | None] = {
        "action": action.query,
        "undo": action.undo,
        "abort": action.abort,
        "verify": action.verify,
    }
    for role, query in roles.items():
        if query:
            yield Asked(query, role, state)


def keys(snapshot: Snapshot) -> dict[str, Any]:
    """Keys of no job: the plan does not depend on which they are."""
    return {column: [None] * KEYS for column in snapshot.matrix.key}


def bound(snapshot: Snapshot, asked: Asked) -> dict[str, Any]:
    """As aps binds it when it is sent for five jobs."""
    if asked.role in LOOKS:
        return snapshot.bound
    with_keys = snapshot.bound | keys(snapshot)
    if asked.role == "context":
        return with_keys
    told = {"items": [], "operation": "check", "reason": "check", "actor": snapshot.server.role}
    return with_keys | told | {"before": [None] * KEYS}
