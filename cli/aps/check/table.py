"""The table of a matrix and its key, as the catalogue has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aps import packs, statements
from aps.check.places import in_matrix
from aps.database import Database
from aps.model.checked import Finding
from aps.model.matrix import Matrix


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """`type` is the server's number for the type below any domain."""

    position: int
    type: int
    type_name: str
    leads: bool


@dataclass(frozen=True, slots=True)
class Table:
    """`relation` is None where there is no such table; `key` holds the columns that it has."""

    relation: int | None
    key: Mapping[str, KeyColumn]
    unique: bool


def read(database: Database, matrix: Matrix) -> Table:
    schema, _, name = matrix.table.rpartition(".")
    rows = database.rows(
        statements.read("check/table"),
        {"key": list(matrix.key), "table": name, "schema": schema or None},
    )
    key = {
        str(row["name"]): KeyColumn(
            int(row["position"] or 0),
            int(row["type"] or 0),
            str(row["type_name"]),
            row["leads"] == "t",
        )
        for row in rows
        if row["position"] is not None
    }
    relation = rows[0]["relation"]
    unique = any(row["unique_key"] == "t" for row in rows)
    return Table(None if relation is None else int(relation), key, unique)


def faults(matrix: Matrix, table: Table, database: str) -> Iterator[Finding]:
    """Without table and key nothing else can be checked; without an index every question reads the table."""
    if table.relation is None:
        remedy = "create it, or name the database and schema that have it (--dsn, --schema)"
        told = f"table: database {database} has no table {matrix.table}"
        yield _finding(matrix, "table", told, remedy)
        return
    for column in matrix.key:
        if column not in table.key:
            told = f"key: table {matrix.table} has no column {column}"
            yield _finding(matrix, "key", told, "name the columns of its primary key")
    if len(table.key) < len(matrix.key):
        return
    columns = ", ".join(matrix.key)
    create = f"make one: CREATE UNIQUE INDEX ON {matrix.table} ({columns})"
    if not any(column.leads for column in table.key.values()):
        told = f"key: no index of {matrix.table} begins with {' or '.join(matrix.key)}"
        yield _finding(matrix, "key", f"{told}: each question about a job reads it all", create)
    elif not table.unique:
        told = f"key: nothing in {matrix.table} keeps ({columns}) from standing in two rows"
        yield Finding(packs.FILE, in_matrix(matrix, "key"), "warning", told, create)


def _finding(matrix: Matrix, key: str, told: str, remedy: str) -> Finding:
    return Finding(packs.FILE, in_matrix(matrix, key), "fault", told, remedy)
