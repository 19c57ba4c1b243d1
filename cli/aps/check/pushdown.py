"""Does the key reach the tables? Evidence is asked for given keys at every plan and again under every lock.

Tried with five keys and judged by the shape of the plan, which holds for a small table as for a large one: the key must
be compared, as a plain column, in a scan of a table, and an index of that table must begin with the column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aps import statements
from aps.check import plans
from aps.check.asked import Asked
from aps.check.places import line
from aps.check.plans import LARGE, Node
from aps.database import Database
from aps.model.checked import Finding
from aps.model.matrix import Query
from aps.snapshot import sql_name

_CONDITIONS = ("Index Cond", "Recheck Cond", "Filter", "Join Filter", "Hash Cond", "Run Condition")
_KEY = re.compile(r"\baps_key_\d+")
# `j.id = k.aps_key_1`, either way round; PostgreSQL shows a varchar as text, which its index serves.
_COLUMN = r'(?:\((?P<{0}>[\w".]+)\)::text|(?P<{1}>[\w".]+))'
_GIVEN = r"\(?\w+\.aps_key_(?P<{}>\d+)\)?(?:::text)?"
_EQUAL = re.compile(
    rf"\({_COLUMN.format('cast_left', 'left')} = {_GIVEN.format('given_right')}\)"
    rf"|\({_GIVEN.format('given_left')} = {_COLUMN.format('cast_right', 'right')}\)"
)
_CONTRACT = (
    "keep the key a plain column: no LIMIT, no DISTINCT ON, no window across keys, no WITH used twice or "
    "MATERIALIZED; aggregate other tables in LATERAL"
)


@dataclass(frozen=True, slots=True)
class Tried:
    """The plan of a query for given keys, and what the catalogue knows of the tables in it."""

    nodes: Sequence[Node]
    sizes: Mapping[plans.Relation, int]
    leading: frozenset[tuple[str, str, str]]


Compared = tuple[str, str, str]


def statement(asked: Asked, types: Mapping[str, str]) -> str:
    """The statement that aps itself makes around the query."""
    if asked.role == "names":
        return statements.claims_of(asked.query, types)
    return statements.judge({asked.query.name: asked.query}, types)


def tried(database: Database, nodes: Sequence[Node]) -> Tried:
    compared = sorted({found for node in nodes for found in _compared(node)})
    given = {
        "schemas": [schema for schema, _, _ in compared],
        "names": [name for _, name, _ in compared],
        "columns": [column for _, _, column in compared],
    }
    rows = database.rows(statements.read("check/leading"), given)
    leading = ((str(row["schema"]), str(row["name"]), str(row["column_name"])) for row in rows)
    return Tried(nodes, plans.sizes(database, plans.relations(nodes)), frozenset(leading))


def faults(asked: Asked, tried: Tried) -> Iterator[Finding]:
    query = asked.query
    stops = next((node for node in tried.nodes if _stops(node)), None)
    compared = {found for node in tried.nodes for found in _compared(node)}
    if stops is not None or not compared:
        where, told = _stopped(query, stops) if stops is not None else (line(query), _EXPRESSION)
        yield Finding(query.file, where, "fault", f"with five keys: {told}", _CONTRACT)
    elif not compared & tried.leading:
        schema, name, column = min(compared)
        table = f"{sql_name(schema)}.{sql_name(name)}"
        told = f"with five keys: no index of {table} begins with {column}"
        remedy = f"make one: CREATE INDEX ON {table} ({sql_name(column)})"
        yield Finding(query.file, line(query, name), "fault", told, remedy)
    else:
        yield from _scanned(query, tried)


_EXPRESSION = "no table is asked for the key as a plain column, so all rows are read for each"


def _scanned(query: Query, tried: Tried) -> Iterator[Finding]:
    """The key reaches a table, and another is read from end to end all the same."""
    for node in tried.nodes:
        if node.get("Node Type") != "Seq Scan":
            continue
        relation = str(node.get("Schema")), str(node.get("Relation Name"))
        if tried.sizes.get(relation, 0) >= LARGE:
            table = ".".join(map(sql_name, relation))
            told = f"with five keys: {table} is still read from end to end"
            at = line(query, relation[1])
            yield Finding(query.file, at, "fault", told, "join it by a column that an index serves")


def _compared(node: Node) -> Iterator[Compared]:
    """Schema, table and column of each plain comparison with a key in a scan of a table."""
    if "Relation Name" not in node:
        return
    for condition in _CONDITIONS:
        for found in _EQUAL.finditer(str(node.get(condition, ""))):
            column = next(filter(None, (found[name] for name in _SIDES)))
            name = column.rpartition(".")[2].strip('"')
            yield str(node.get("Schema")), str(node["Relation Name"]), name


# Of a table already, or of no table at all.
_HARMLESS = frozenset({"Bitmap Index Scan", "Values Scan", "Result"})
_SIDES = ("cast_left", "left", "cast_right", "right")


def _stops(node: Node) -> bool:
    """The key is compared only here, above the tables: all below was computed for every job."""
    if "Relation Name" in node or node.get("Node Type") in _HARMLESS:
        return False
    return any(_KEY.search(str(node.get(condition, ""))) for condition in _CONDITIONS)


def _stopped(query: Query, node: Node) -> tuple[int, str]:
    kind = str(node.get("Node Type"))
    if kind == "CTE Scan":
        name = str(node.get("CTE Name"))
        return line(query, name), f"the key stops at WITH {name}, which is computed for all jobs"
    if kind == "Function Scan":
        name = str(node.get("Function Name"))
        return line(query, name), f"the key does not enter {name}(), which answers for all jobs"
    words = ("limit", "fetch", "over", "distinct", "group", "union", "intersect", "except")
    return line(query, *words), "the key is compared only after all rows were read"
