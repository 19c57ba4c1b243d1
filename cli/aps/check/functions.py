"""Functions that have no place in a query that looks: those of time, of chance, and those with effects.

They are read from the plan, where views are opened, names are certain and nothing is a comment or a literal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from aps import statements
from aps.check.asked import LOOKS, Asked
from aps.check.places import code, line
from aps.check.plans import Node
from aps.database import Database
from aps.matrix import sql
from aps.model.checked import Finding

Function = tuple[str | None, str]

_TIME = frozenset(
    {"now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "timeofday"}
)
_TIME_WORDS = frozenset(
    {"CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIMESTAMP", "LOCALTIME"}
)
_TIME_TEXTS = frozenset({"'now'", "'today'", "'tomorrow'", "'yesterday'"})
_TIME_TYPES = frozenset({"timestamptz", "timestamp", "date", "time", "timetz"})
_CHANCE = frozenset({"random", "random_normal", "gen_random_uuid", "uuidv4", "uuidv7"})
_NO_EXPRESSION = frozenset(
    {"Node Type", "Relation Name", "Schema", "Alias", "Index Name", "CTE Name", "Subplan Name"}
)


def called(nodes: Iterable[Node]) -> set[Function]:
    """Schema, where the plan names it, and name of every function; words of time stand without a schema."""
    return {function for node in nodes for text in _texts(node) for function in _in(text)}


def _texts(node: Node) -> Iterator[str]:
    for name, value in node.items():
        if name in _NO_EXPRESSION or name == "Plans":
            continue
        yield from (item for item in ([value] if isinstance(value, str) else _listed(value)))


def _listed(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _in(expression: str) -> Iterator[Function]:
    tokens = sql.scan("", expression).code
    for at, token in enumerate(tokens):
        if token.text in _TIME_WORDS:
            yield None, token.text
        name = _name(token)
        if name is None or tokens[at + 1 : at + 2] == () or tokens[at + 1].text != "(":
            continue
        qualified = at > 1 and tokens[at - 1].text == "."
        yield (_name(tokens[at - 2]) if qualified else None), name


def _name(token: sql.Token) -> str | None:
    if token.kind == "word":
        return token.text
    quoted = token.kind == "quoted" and token.text.startswith('"')
    return token.text[1:-1].replace('""', '"') if quoted else None


def volatile(
    database: Database, functions: Iterable[Function]
) -> dict[Function, tuple[bool, bool]]:
    """Those with a VOLATILE overload: whether every overload is, and whether the server itself brings it."""
    listed = sorted(functions, key=str)
    given = {"schemas": [schema for schema, _ in listed], "names": [name for _, name in listed]}
    rows = database.rows(statements.read("check/functions"), given)
    return {
        (row["schema"], str(row["name"])): (row["all_volatile"] == "t", row["builtin"] == "t")
        for row in rows
    }


def faults(database: Database, asked: Asked, nodes: Sequence[Node]) -> Iterator[Finding]:
    if asked.role not in LOOKS:
        return
    yield from _constants(asked)
    found = called(nodes)
    known = volatile(database, {one for one in found if one[1] not in _TIME | _TIME_WORDS})
    for function in sorted(found, key=str):
        schema, name = function
        if name in _TIME | _TIME_WORDS and schema in (None, "pg_catalog"):
            yield _of_time(asked, name)
        elif function in known:
            yield _volatile(asked, function, *known[function])


def effects(database: Database, nodes: Iterable[Node]) -> bool:
    """Whether running it may do more than read: a look that calls such a function is not run at all."""
    return any(name not in _TIME | _CHANCE for _, name in volatile(database, called(nodes)))


def idle(database: Database, asked: Asked, nodes: Sequence[Node]) -> Iterator[Finding]:
    """An action that modifies no table must at least call a function that may."""
    if not asked.writes or any(node.get("Node Type") == "ModifyTable" for node in nodes):
        return
    if not volatile(database, called(nodes)):
        told = "changes nothing: its plan modifies no table and calls no function that could"
        at = line(asked.query)
        yield Finding(asked.query.file, at, "fault", told, "write the statement that does it")


def _constants(asked: Asked) -> Iterator[Finding]:
    """`'now'::timestamptz` is a constant of the moment at which the statement is parsed."""
    scanned = code(asked.query)
    words = [token.text.lower() for token in scanned.code]
    for at, word in enumerate(words):
        beside = {*words[max(0, at - 1) : at], *words[at + 3 : at + 4]}
        if word in _TIME_TEXTS and beside & _TIME_TYPES:
            yield _of_time(asked, word)


def _of_time(asked: Asked, name: str) -> Finding:
    told = (
        f"asks for the time itself ({_spoken(name)}{_through(asked, name)}): states would not agree"
    )
    remedy = "time is %(clock)s, read once for every query"
    return Finding(asked.query.file, line(asked.query, name), "fault", told, remedy)


def _volatile(asked: Asked, function: Function, every: bool, builtin: bool) -> Finding:
    schema, name = function
    spoken = _spoken(f"{schema}.{name}" if schema else name)
    at = line(asked.query, name)
    through = _through(asked, name)
    file = asked.query.file
    if name in _CHANCE and builtin:
        told = f"depends on chance ({spoken}{through}): no two looks agree"
        return Finding(file, at, "fault", told, "return what stands in the rows")
    if builtin:
        told = f"calls {spoken}{through}, which is VOLATILE: a look must have no effect"
        return Finding(file, at, "fault", told, "remove it")
    remedy = f"if it only reads: ALTER FUNCTION {spoken} STABLE; if not, remove it"
    if every:
        return Finding(file, at, "fault", f"calls {spoken}{through}, which is VOLATILE", remedy)
    told = f"calls {spoken}{through}, of which an overload is VOLATILE"
    return Finding(file, at, "warning", told, remedy)


def _spoken(name: str) -> str:
    return name if name in _TIME_WORDS | _TIME_TEXTS else f"{name}()"


def _through(asked: Asked, name: str) -> str:
    """A function that the text does not name is that of a view or of another function."""
    words = {token.text.lower().strip('"') for token in code(asked.query).code}
    return "" if name.lower() in words else ", in a view or function that it uses"
