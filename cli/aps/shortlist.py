"""The jobs of one state, oldest first, narrowed by their evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from aps import statements
from aps.errors import Usage
from aps.evidence import moment
from aps.model.matrix import State
from aps.snapshot import Key, Snapshot


def select(
    snapshot: Snapshot,
    state: State,
    limit: int,
    *,
    where: Mapping[str, str] | None = None,
    older_than: timedelta | None = None,
    eligible: bool = False,
) -> list[Key]:
    """The keys of one state, oldest first. `where` is exact on evidence columns; `eligible` leaves refusals out.

    Raises Usage for a column that the state's evidence does not have.
    """
    return list(oldest(snapshot, state, limit, where, older_than, eligible=eligible))


def has_columns(snapshot: Snapshot, state: State, where: Iterable[str]) -> None:
    """Raises Usage for a column that the state's evidence does not have."""
    columns = snapshot.columns[state.name]
    for column in where:
        if column not in columns:
            has = ", ".join(columns)
            raise Usage(f"--where {column}=...: {state.name} has no such evidence; it has: {has}")


def oldest(
    snapshot: Snapshot,
    state: State,
    limit: int,
    where: Mapping[str, str] | None = None,
    older_than: timedelta | None = None,
    *,
    eligible: bool = False,
) -> dict[Key, datetime | None]:
    """As `select`, each with the time since when, where that is known."""
    columns = snapshot.columns[state.name]
    has_columns(snapshot, state, where or ())
    if older_than is not None and "since" not in columns:
        raise Usage(f"--older-than: the evidence of {state.name} has no age")
    conditions = statements.conditions(
        tuple(where or ()),
        older=older_than is not None,
        eligible=eligible and "refusal" in columns,
    )
    rows = snapshot.database.rows(
        statements.select(state.evidence, columns, snapshot.matrix.key, conditions),
        snapshot.bound
        | {f"aps_where_{n}": value for n, value in enumerate((where or {}).values())}
        | {"aps_limit": limit, "aps_older_than": older_than},
    )
    return {
        tuple(str(row[column]) for column in snapshot.matrix.key): moment(row["aps_since"])
        for row in rows
    }
