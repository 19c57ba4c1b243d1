"""Plans of statements that are not run: what they write, lock, and read from end to end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from aps import statements
from aps.check.asked import Asked
from aps.check.places import line
from aps.database import Database, Described, Parameters, numbered
from aps.model.checked import Finding
from aps.snapshot import Snapshot, sql_name

Node = Mapping[str, Any]
Relation = tuple[str, str]

# From so many rows on a table is not to be read from end to end at every look.
LARGE = 100_000
# The first server that plans a statement without its values.
_GENERIC = 16
_MOST_COLUMNS = 4


def bound(database: Database, sql: str, parameters: Parameters) -> list[Node]:
    """The nodes of the plan that the server makes when aps sends it. Raises QueryError."""
    return _nodes(database, "explain", sql, parameters)


def generic(
    snapshot: Snapshot, sql: str, described: Described, types: Mapping[int, str]
) -> list[Node]:
    """The nodes of the plan that holds for any values; none where the server has no such plan. Raises QueryError."""
    if int(snapshot.server.server_version.partition(".")[0]) < _GENERIC:
        return []
    sent, _ = numbered(sql, {name: types[kind] for name, kind in described.parameters.items()})
    return _nodes(snapshot.database, "explain_generic", sent, None)


def _nodes(database: Database, how: str, sql: str, parameters: Parameters | None) -> list[Node]:
    text = statements.read(f"check/{how}").format(statement=sql)
    row = database.rows(text, parameters)[0]
    plans = json.loads(row["QUERY PLAN"] or "[]")
    return [node for plan in plans for node in _below(plan.get("Plan", {}))]


def _below(node: Node) -> Iterator[Node]:
    yield node
    for child in node.get("Plans", ()):
        yield from _below(child)


def faults(asked: Asked, nodes: Sequence[Node]) -> Iterator[Finding]:
    """A statement that looks must not write or lock; one that acts must."""
    query = asked.query
    kinds = {node.get("Node Type") for node in nodes}
    if asked.writes:
        return
    if "ModifyTable" in kinds:
        told = "writes: its plan modifies a table"
        yield Finding(
            query.file, line(query), "fault", told, "it may only read; aps acts elsewhere"
        )
    if "LockRows" in kinds:
        at = line(query, "for")
        told = "takes row locks: its plan locks what it reads, maybe in a view"
        yield Finding(query.file, at, "fault", told, "remove the FOR clause; aps locks by itself")


def relations(nodes: Iterable[Node]) -> set[Relation]:
    """The tables that are read from end to end."""
    return {_relation(node) for node in nodes if node.get("Node Type") == "Seq Scan"}


def sizes(database: Database, asked: Iterable[Relation]) -> dict[Relation, int]:
    """Rows by the statistics; nothing of a table that was never counted."""
    listed = sorted(asked)
    given = {"schemas": [schema for schema, _ in listed], "names": [name for _, name in listed]}
    rows = database.rows(statements.read("check/relations"), given)
    return {(str(row["schema"]), str(row["name"])): int(row["rows"] or 0) for row in rows}


def scans(asked: Asked, nodes: Iterable[Node], sizes: Mapping[Relation, int]) -> Iterator[Finding]:
    """Large tables that are read from end to end, with the columns of an index that would help."""
    for node in nodes:
        rows = sizes.get(_relation(node), 0) if node.get("Node Type") == "Seq Scan" else 0
        if rows < LARGE:
            continue
        schema, name = _relation(node)
        table = f"{sql_name(schema)}.{sql_name(name)}"
        told = f"reads all of {table} (about {rows} rows)"
        columns = _filtered(node)
        remedy = (
            f"an index of {table} on ({', '.join(columns)}) would help"
            if columns
            else "narrow it by a condition that an index can serve"
        )
        at = line(asked.query, name)
        yield Finding(asked.query.file, at, "warning", told, remedy)


def _relation(node: Node) -> Relation:
    return str(node.get("Schema")), str(node.get("Relation Name"))


def _filtered(node: Node) -> list[str]:
    alias = re.escape(sql_name(str(node.get("Alias"))))
    columns = re.findall(rf'\b{alias}\.("(?:[^"]|"")+"|\w+)', str(node.get("Filter", "")))
    return list(dict.fromkeys(columns))[:_MOST_COLUMNS]
