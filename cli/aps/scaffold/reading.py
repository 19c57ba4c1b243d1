"""Read a table's description: from the catalogue, and the values of a column from a bounded sample of its rows."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from aps import snapshot, statements
from aps.database import Database, QueryError, Row
from aps.errors import DatabaseError, Refused, Usage
from aps.scaffold import values
from aps.scaffold.roles import may_be_state
from aps.scaffold.table import Column, Table

# A sample reads so many rows, and a column with more values than that is no state.
SAMPLED_ROWS = 100_000
MOST_VALUES = 40

_KINDS = {"v": "a view", "m": "a materialized view", "f": "a foreign table"}


@dataclass(frozen=True, slots=True)
class _Relation:
    oid: str
    schema: str
    row: Row

    @property
    def shown(self) -> str:
        """As people and matrix.yaml write it; what the search path finds needs no schema."""
        return str(self.row["name"]) if self.plain else f"{self.schema}.{self.row['name']}"

    @property
    def sql(self) -> str:
        name = str(self.row["name_sql"])
        return _bound(name if self.plain else f"{self.row['schema_sql']}.{name}")

    @property
    def plain(self) -> bool:
        return self.row["visible"] == "t"


def read(
    database: Database, given: str, key: Sequence[str] = (), state: str | None = None
) -> Table:
    """Inside a look; `state` names a column whose values are read whatever it is called.

    Raises Usage where there is no such table or no key, Refused where it may not be read.
    """
    role = database.probe().role
    relation = _relation(database, given)
    kind = _KINDS.get(str(relation.row["kind"]))
    if kind or relation.row["kind"] not in ("r", "p"):
        told = kind or "no table"
        raise Usage(f"{relation.shown} is {told}: name the table whose rows aps would lock")
    if relation.row["readable"] != "t":
        grant = f"GRANT SELECT ON {relation.sql} TO {snapshot.sql_name(role)}"
        raise Refused(f"{role} may not read {relation.shown}: {grant}".replace("%%", "%"))
    columns = [_column(row) for row in _rows(database, "columns", relation)]
    named = _key(relation, columns, _rows(database, "indexes", relation), key)
    asked = _valued(database, relation, columns, named, state)
    schema = None if relation.schema == "public" else str(relation.row["schema_sql"])
    keyed = tuple(c for n in named for c in asked if c.name == n)
    return Table(relation.shown, relation.sql, asked, keyed, schema)


def _relation(database: Database, given: str) -> _Relation:
    for schema, name in _readings(given):
        bound = {"table": name, "schema": schema}
        rows = database.rows(statements.read("scaffold/relation"), bound)
        found = [_Relation(str(row["relation"]), str(row["schema"]), row) for row in rows]
        if found and (schema or found[0].plain):
            return found[0]
        if found:
            others = ", ".join(f"--table {one.schema}.{name}" for one in found)
            raise Usage(f"schema public has no table {name}; there is {others}")
    similar = database.rows(statements.read("scaffold/similar"), {"aps": "aps"})
    close = difflib.get_close_matches(given, [str(row["name"]) for row in similar], n=1)
    hint = f"; did you mean {close[0]}?" if close else "; write --table SCHEMA.TABLE"
    raise Usage(f"no table {given} in this database{hint}")


def _readings(given: str) -> Iterable[tuple[str | None, str]]:
    """What `a.b` may mean; quotes as SQL takes them are understood, and not asked for."""
    bare = given.strip()
    yield None, bare
    schema, dot, name = bare.partition(".")
    if dot:
        yield schema.strip('"'), name.strip('"')
    elif bare.startswith('"'):
        yield None, bare.strip('"')


def _rows(database: Database, name: str, relation: _Relation) -> list[Row]:
    return database.rows(statements.read(f"scaffold/{name}"), {"relation": relation.oid})


def _column(row: Row) -> Column:
    labels = json.loads(row["labels"]) if row["labels"] else None
    return Column(
        name=str(row["name"]),
        sql=_bound(str(row["sql"])),
        type=_bound(str(row["type"])),
        kind=str(row["kind"]),
        nullable=row["nullable"] == "t",
        default=row["default_sql"],
        generated=row["generated"] == "t",
        values=tuple(labels) if labels else None,
        known="enum" if labels else None,
    )


def _key(
    relation: _Relation, columns: Sequence[Column], indexes: Sequence[Row], asked: Sequence[str]
) -> tuple[str, ...]:
    """The primary key, or the columns asked for, which a unique index must hold."""
    found = [(tuple(json.loads(str(row["columns"]))), row) for row in indexes]
    if asked:
        unknown = [name for name in asked if name not in {column.name for column in columns}]
        if unknown:
            raise Usage(f"--key: {relation.shown} has no column {', '.join(unknown)}")
        for names, row in found:
            if set(names) == set(asked) and row["nullable"] != "t":
                return tuple(asked)
        listed = ", ".join(asked)
        raise Usage(
            f"--key: no unique index of {relation.shown} keeps ({listed}) single and not null"
        )
    if found and found[0][1]["is_primary"] == "t":
        return found[0][0]
    raise Usage(
        f"{relation.shown} has no primary key to name its jobs by; {_instead(relation, found)}"
    )


def _instead(relation: _Relation, found: Sequence[tuple[tuple[str, ...], Row]]) -> str:
    fit = [(names, row) for names, row in found if row["nullable"] != "t"]
    if fit:
        names, row = fit[0]
        keys = " ".join(f"--key {name}" for name in names)
        return f"the unique index {row['name']} would do: {keys}"
    if found:
        names, row = found[0]
        return f"the unique index {row['name']} would do once {', '.join(names)} may not be NULL"
    return f"no unique index would do; add one: ALTER TABLE {relation.sql} ADD PRIMARY KEY (...)"


def _valued(
    database: Database,
    relation: _Relation,
    columns: Sequence[Column],
    key: Sequence[str],
    state: str | None,
) -> tuple[Column, ...]:
    """The columns, those that may hold a state with the values that they have."""
    checks = [(str(r["column"]), str(r["definition"])) for r in _rows(database, "checks", relation)]
    made = []
    for column in columns:
        if column.known is None and column.name not in key:
            column = _checked(column, [text for name, text in checks if name == column.name])
            if column.known is None and (may_be_state(column) or column.name == state):
                column = _sampled(database, relation, column)
        made.append(column)
    return tuple(made)


def _checked(column: Column, definitions: Sequence[str]) -> Column:
    for definition in definitions:
        listed = values.allowed(definition, column.sql.replace("%%", "%"))
        if listed:
            return replace(column, values=listed, known="check")
    return column


def _sampled(database: Database, relation: _Relation, column: Column) -> Column:
    """Rows from the beginning of the table, and what the server's statistics know of the rest."""
    sql = statements.read("scaffold/sample").format(column=column.sql, table=relation.sql)
    most = MOST_VALUES + 1
    common = {"schema": relation.schema, "table": relation.row["name"], "column": column.name}
    try:
        seen = database.rows(sql, {"rows": SAMPLED_ROWS, "values": most})
        seen += database.rows(statements.read("scaffold/common"), common | {"values": most})
    except QueryError as error:
        raise DatabaseError(f"{relation.shown}.{column.name} cannot be sampled: {error}") from error
    found = tuple(dict.fromkeys(str(row["value"]) for row in seen))
    return replace(column, values=found if len(found) <= MOST_VALUES else None, known="sample")


def _bound(sql: str) -> str:
    """Every statement is bound, so a percent in a name is doubled."""
    return sql.replace("%", "%%")
