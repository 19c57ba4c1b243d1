"""The columns that the contract asks of each statement, as the server describes them without running it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from aps import packs, statements
from aps.check.asked import Asked
from aps.check.places import answer, in_matrix, line
from aps.check.table import KeyColumn, Table
from aps.database import Column, Database, Described
from aps.model.checked import Finding
from aps.model.matrix import Matrix

_TEXT = frozenset({25, 1043, 1042, 19})
_INTEGER = frozenset({20, 21, 23})
_TIMESTAMPTZ, _TIMESTAMP, _BOOLEAN = 1184, 1114, 16
# What each kind must return besides the key, and which of these columns must be text.
_NEEDED = {
    "names": ("name",),
    "ahead": ("item", "epoch", "job_epoch"),
    "version": ("version",),
    "abort": ("reason",),
    "verify": ("reason",),
}


@dataclass(frozen=True, slots=True)
class Contract:
    """What descriptions are held to; `types` gives the name of a type by its number."""

    matrix: Matrix
    table: Table
    types: Mapping[int, str]
    column_names: Mapping[int, str]


def type_names(database: Database, described: Iterable[Described]) -> dict[int, str]:
    found = {
        number
        for one in described
        for number in (*one.parameters.values(), *(column.type for column in one.columns))
    }
    types = [str(number) for number in sorted(found)]
    rows = database.rows(statements.read("check/types"), {"types": types})
    return {int(row["type"] or 0): str(row["name"]) for row in rows}


def column_names(database: Database, table: Table) -> dict[int, str]:
    """The columns of the table by their position."""
    given = {"relation": str(table.relation)}
    rows = database.rows(statements.read("check/column_names"), given)
    return {int(row["position"] or 0): str(row["name"]) for row in rows}


def faults(contract: Contract, asked: Asked, described: Described) -> Iterator[Finding]:
    """What the statement returns and must not, and what it must and does not."""
    if asked.role == "context":
        return
    columns = {column.name: column for column in described.columns}
    yield from _twice(asked, described)
    yield from _missing(contract, asked, columns)
    for name, key in contract.table.key.items():
        if name in columns:
            yield from _key(contract, asked, columns[name], key)
    if asked.writes and {*contract.matrix.key} <= {*columns}:
        yield from _further(contract, asked, columns)
    if asked.role == "evidence":
        yield from _typed(contract, asked, columns)
        yield from _reading(contract, asked, columns)
        yield from _ageless(contract, asked, columns)
        yield from _unfenced(contract, asked, columns)
    if asked.role in ("abort", "verify") and "reason" in columns:
        yield from _is_text(contract, asked, columns["reason"])
    if asked.role == "names" and "name" in columns:
        yield from _is_text(contract, asked, columns["name"])


def _fault(asked: Asked, told: str, remedy: str, *words: str) -> Finding:
    at = line(asked.query, *words, last=asked.writes)
    return Finding(asked.query.file, at, "fault", told, remedy)


def _twice(asked: Asked, described: Described) -> Iterator[Finding]:
    names = [column.name for column in described.columns]
    for name in dict.fromkeys(names):
        if name == "?column?":
            yield _fault(asked, "returns a column without a name", "name it: expression AS name")
        elif names.count(name) > 1:
            told = f"returns {names.count(name)} columns called {name}"
            yield _fault(asked, told, "name each column once: expression AS name", name)


def _missing(contract: Contract, asked: Asked, columns: Mapping[str, Column]) -> Iterator[Finding]:
    itemised = asked.state is not None and asked.state.kind == "overlay" and "item" in columns
    keyless = asked.role == "version" or (asked.role == "evidence" and itemised)
    needed = () if keyless else contract.matrix.key
    for name in (*needed, *_NEEDED.get(asked.role, ())):
        if name not in columns:
            is_key = name in contract.matrix.key
            what = f"no column {name}, {'which is the key' if is_key else 'which aps reads'}"
            where, at = answer(asked.query, last=asked.writes)
            remedy = f"add {name} to what stands after {where}"
            yield Finding(asked.query.file, at, "fault", f"returns {what}", remedy)


def _key(contract: Contract, asked: Asked, column: Column, key: KeyColumn) -> Iterator[Finding]:
    table = contract.matrix.table
    families = [family for family in (_TEXT, _INTEGER) if key.type in family]
    if column.type != key.type and not any(column.type in family for family in families):
        told = f"{column.name} is {contract.types[column.type]} here, {key.type_name} in {table}"
        yield _fault(asked, told, "return the column as the table has it", column.name)
    elif column.table == contract.table.relation and column.position != key.position:
        other = contract.column_names[column.position]
        told = f"returns {other} of {table} under the name of the key {column.name}"
        yield _fault(asked, told, f"return {column.name} itself", other)


def _further(contract: Contract, asked: Asked, columns: Mapping[str, Column]) -> Iterator[Finding]:
    """An action tells which jobs it changed, and no more: what else it returns nobody compares."""
    known = {*contract.matrix.key, "item"}
    for name in columns:
        if name not in known and name != "?column?":
            told = f"returns {name}, which is not of the key"
            remedy = f"end with RETURNING {', '.join(contract.matrix.key)}"
            yield _fault(asked, told, remedy, name)


def _typed(contract: Contract, asked: Asked, columns: Mapping[str, Column]) -> Iterator[Finding]:
    since, locked = columns.get("since"), columns.get("locked")
    if since and since.type == _TIMESTAMP:
        told = "since is a timestamp without time zone: aps reads it as UTC"
        remedy = "write the zone that it is in: (column AT TIME ZONE 'UTC') AS since"
        at = line(asked.query, "since")
        yield Finding(asked.query.file, at, "warning", told, remedy)
    elif since and since.type != _TIMESTAMPTZ:
        told = f"since is {contract.types[since.type]}, not timestamptz"
        yield _fault(asked, told, "return the time since when, or no since: unknown age", "since")
    if locked and locked.type != _BOOLEAN:
        told = f"locked is {contract.types[locked.type]}, not boolean"
        yield _fault(asked, told, "return whether the row is locked right now", "locked")
    for name in ("refusal", "item"):
        if name in columns:
            yield from _is_text(contract, asked, columns[name])


def _is_text(contract: Contract, asked: Asked, column: Column) -> Iterator[Finding]:
    if column.type not in _TEXT:
        told = f"{column.name} is {contract.types[column.type]}, not text"
        said = "why not, in words, else NULL" if column.name in ("refusal", "reason") else "text"
        yield _fault(asked, told, f"return {said}", column.name)


def _reading(contract: Contract, asked: Asked, columns: Mapping[str, Column]) -> Iterator[Finding]:
    state = asked.state
    for name in state.reading if state else ():
        if name not in columns and state:
            at = in_matrix(contract.matrix, "states", state.name, "reading")
            told = f"states.{state.name}.reading: {asked.query.file} returns no column {name}"
            yield Finding(
                packs.FILE, at, "fault", told, "name columns of the evidence that may move"
            )


def _ageless(contract: Contract, asked: Asked, columns: Mapping[str, Column]) -> Iterator[Finding]:
    """A severity by age that could never be reached."""
    state = asked.state
    if state is None or "since" in columns:
        return
    for name in ("warning", "critical"):
        threshold = getattr(state.severity, name)
        if threshold and threshold.age is not None:
            at = in_matrix(contract.matrix, "states", state.name, "severity", name)
            told = f"states.{state.name}.severity.{name}: asks for an age, and {asked.query.file} returns no since"
            remedy = "return since, the time from when the age counts, or ask for a count"
            yield Finding(packs.FILE, at, "fault", told, remedy)


def _unfenced(contract: Contract, asked: Asked, columns: Mapping[str, Column]) -> Iterator[Finding]:
    """Evidence of the key alone is the same for the next claim, so the write would take that for the planned one."""
    state = asked.state
    if state is None or state.action is None or state.action.query is None:
        return
    moving = {*contract.matrix.key, *state.reading, "locked", "refusal"}
    if {*columns} <= moving and {*contract.matrix.key} <= {*columns}:
        told = f"nothing that it returns tells one claim from the next, so {state.action.run} is held to nothing"
        remedy = "return worker, epoch or lease; where there is none: xmin::text AS row_version"
        yield Finding(asked.query.file, line(asked.query), "warning", told, remedy)
