"""Rights by the catalogue: what is missing, and the statements that give it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aps import statements
from aps.database import Database, QueryError
from aps.doctor.needs import Need
from aps.model.examination import Check
from aps.snapshot import explain, sql_name

# More grants than these are told as the one role that has them.
_FEW = 3


@dataclass(frozen=True, slots=True)
class Right:
    """One that was looked up. Names are as GRANT takes them."""

    schema: str
    relation: str
    privilege: str
    column: str | None
    may_enter: bool
    held: bool

    @property
    def usable(self) -> bool:
        return self.held and self.may_enter

    @property
    def writes(self) -> bool:
        return self.privilege != "SELECT"


def of(
    database: Database, wanted: Iterable[Need], path: str, role: str | None = None
) -> list[Right]:
    """Those of this session's role, or of another. `path` is the schema of names without one."""
    needs = list(wanted)
    rows = database.rows(
        statements.read("doctor/privileges"),
        {
            "schemas": [need.schema for need in needs],
            "relations": [need.relation for need in needs],
            "privileges": [need.privilege for need in needs],
            "columns": [need.column for need in needs],
            "path": path,
            "role": role,
        },
    )
    return [
        Right(
            str(row["schema"]),
            str(row["relation"]),
            str(row["privilege"]),
            row["column_name"],
            row["may_enter"] == "t",
            row["held"] == "t",
        )
        for row in rows
    ]


def missing(found: Iterable[Right]) -> str:
    """`SELECT on aps.attempt, UPDATE (state) on aps.job`."""
    lacking = [right for right in found if not right.usable]
    schemas = sorted({right.schema for right in lacking if not right.may_enter})
    told = [f"USAGE on schema {schema}" for schema in schemas]
    told += [f"{what} on {table}" for what, table in _by_table(lacking)]
    return ", ".join(told)


def grants(found: Iterable[Right], role: str) -> tuple[str, ...]:
    """The statements that give this role what it lacks, and nothing else."""
    lacking = [right for right in found if not right.usable]
    to = sql_name(role)
    schemas = sorted({right.schema for right in lacking if not right.may_enter})
    given = [f"GRANT USAGE ON SCHEMA {schema} TO {to};" for schema in schemas]
    given += [f"GRANT {what} ON {table} TO {to};" for what, table in _by_table(lacking)]
    return tuple(given)


def _by_table(lacking: Sequence[Right]) -> list[tuple[str, str]]:
    """`SELECT` and `UPDATE (a, b)`, each with its table."""
    columns: dict[tuple[str, str], list[str]] = {}
    for right in lacking:
        if not right.held:
            named = columns.setdefault((right.relation, right.privilege), [])
            named += [right.column] if right.column else []
    return [
        (f"{privilege} ({', '.join(names)})" if names else privilege, table)
        for (table, privilege), names in columns.items()
    ]


def remedy(
    database: Database, found: Sequence[Right], path: str, role: str, group: str
) -> tuple[str, ...]:
    """The single grants; where these are many, membership in a role of aps that has them all."""
    single = grants(found, role)
    if len(single) <= _FEW or role in (group, "aps_read", "aps_operate", "aps_work"):
        return single
    wanted = [_again(right) for right in found if not right.usable]
    covered = of(database, wanted, path, group)
    if len(covered) < len(set(wanted)) or not all(right.usable for right in covered):
        return single
    return (f"GRANT {group} TO {sql_name(role)};",)


def _again(right: Right) -> Need:
    relation = right.relation.removeprefix(f"{right.schema}.")
    column = None if right.column is None else _unquoted(right.column)
    return Need(_unquoted(right.schema), _unquoted(relation), right.privilege, column)


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def unreadable(name: str, error: QueryError, table: str, role: str) -> Check:
    """The check of something that lies in a table which could not be read."""
    said, _, grant = explain(error, table, role).partition(": GRANT ")
    return Check(name, "unknown", f"{table}: {said}", (f"GRANT {grant};",) if grant else ())
