"""Which files belong to given jobs, as their rows tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aps import statements
from aps.model.matrix import Query
from aps.snapshot import BEGINNING, Key, Snapshot

Claims = Mapping[Key, Sequence[str]]


def of(snapshot: Snapshot, keys: Sequence[Key], *, further: bool) -> dict[Key, list[str]]:
    """The names that these jobs' rows claim; with `further` those ever handed out for them too. Raises QueryError."""
    claims: dict[Key, list[str]] = {key: [] for key in keys}
    with snapshot.database.look():
        bound = snapshot.bound | {"finished_since": BEGINNING} | snapshot.keys(keys)
        if snapshot.matrix.names:
            sql = statements.claims_of(snapshot.matrix.names, snapshot.types)
            for row in snapshot.database.rows(sql, bound):
                claims[keys[int(row["ordinal"] or 0) - 1]].append(str(row["aps_name"]))
        if further and snapshot.matrix.further_names:
            _add_further(snapshot, snapshot.matrix.further_names, bound, claims)
    return claims


def _add_further(
    snapshot: Snapshot, query: Query, bound: Mapping[str, object], claims: dict[Key, list[str]]
) -> None:
    for row in snapshot.database.rows(query.sql, bound):
        name, key = row["name"], tuple(str(row[column]) for column in snapshot.types)
        if name is not None and key in claims and name not in claims[key]:
            claims[key].append(name)


def names(claims: Claims) -> list[str]:
    """All of them, each once."""
    return list(dict.fromkeys(name for each in claims.values() for name in each))
