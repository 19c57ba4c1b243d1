"""The SQL files of a pack, made from the templates of this package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from aps import statements
from aps.scaffold.classes import FINISHED, Class
from aps.scaffold.roles import Roles
from aps.scaffold.states import Draft, instant, moment
from aps.scaffold.table import Column, Table

_FOLDER = Path(__file__).parent / "templates"
# Columns of evidence by which aps knows something; a table's own of that name is renamed.
_MEANT = frozenset({"since", "refusal", "item", "locked", "blocked_by"})
_AND = "\n   AND "


@cache
def template(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def files(
    table: Table, roles: Roles, drafts: Sequence[Draft], classes: Sequence[Class]
) -> Iterator[tuple[str, str]]:
    """Each file of queries/, by its name below the pack."""
    yield "queries/population.sql", _population(table, roles, classes)
    for draft in drafts:
        yield f"queries/{draft.name}.sql", _evidence(table, roles, draft)
        if draft.release:
            yield f"queries/{draft.name}.reclaim.sql", _reclaim(table, roles, draft.release)
            yield f"queries/{draft.name}.abort.sql", _abort(table, roles, draft.release)
    ready = next((draft.release for draft in drafts if draft.release), None)
    yield "queries/roles.sql", _roles(table, roles, ready)


def _evidence(table: Table, roles: Roles, draft: Draft) -> str:
    columns = [(key.name, f"t.{key.sql}") for key in table.key]
    if draft.since:
        columns.append(("since", f"{instant(draft.since)} AS since"))
    if draft.of.sort == "ready":
        columns.append(("locked", template("locked.sql").rstrip()))
    columns += [_told(column) for column in _told_of(roles, draft) if column]
    if draft.release and roles.generation is None:
        # It tells this claim from a later one, though never whose it is.
        columns.append(("row_version", "t.xmin::text AS row_version"))
    return template("evidence.sql").format(
        says=comment(draft.means),
        returns=comment(", ".join(name for name, _ in columns)),
        columns=",\n       ".join(sql for _, sql in columns),
        table=table.sql,
        conditions=_where(draft.conditions),
    )


def _told_of(roles: Roles, draft: Draft) -> tuple[Column | None, ...]:
    if draft.of.sort == "running":
        times = (roles.claimed, roles.started, roles.lease, roles.heartbeat)
        return (roles.worker, roles.token, roles.generation, roles.attempts, *times)
    if draft.of.sort == "other":
        state = roles.state if draft.of.value is None else None
        return (state, roles.worker, roles.lease, roles.attempts)
    return (roles.attempts,)


def _told(column: Column) -> tuple[str, str]:
    if column.name not in _MEANT:
        return column.name, f"t.{column.sql}"
    return f"{column.name}_value", f"t.{column.sql} AS {column.name}_value"


def _population(table: Table, roles: Roles, classes: Sequence[Class]) -> str:
    return template("population.sql").format(
        returns=comment(_names(table)),
        columns=_keys(table),
        table=table.sql,
        conditions=_where(unfinished(classes, roles)),
    )


def unfinished(classes: Sequence[Class], roles: Roles) -> list[str]:
    """Conditions that leave out what is known to be finished, and nothing else."""
    over = [one for one in classes if one.sort in FINISHED]
    if not over:
        return []
    if roles.state is None:
        # The last class leaves out those before it, the finished first.
        return list(classes[-1].conditions[: len(over)])
    state = f"t.{roles.state.sql}"
    others = f"{state} NOT IN ({', '.join(one.value for one in over if one.value)})"
    return [f"({others} OR {state} IS NULL)" if roles.state.nullable else others]


def _reclaim(table: Table, roles: Roles, ready: Class) -> str:
    sets = ",\n       ".join(f"{column.sql} = {value}" for column, value in released(roles, ready))
    return template("reclaim.sql").format(
        returns=comment(_names(table)),
        assignments=sets,
        table=table.sql,
        columns=", ".join(map(_returned, table.key)),
        **_given(table),
    )


def _returned(key: Column) -> str:
    """A padded text leaves the server without its blanks only as text, as aps knows the key."""
    return f"t.{key.sql}::text AS {key.sql}" if key.type == "bpchar" else f"t.{key.sql}"


def released(roles: Roles, ready: Class) -> Iterator[tuple[Column, str]]:
    """What a release writes: the value of a ready row, no claim, a higher generation."""
    if roles.state and ready.value is not None:
        yield roles.state, ready.value
    for claim in (roles.worker, roles.token, roles.claimed, roles.lease, roles.heartbeat):
        if claim and claim.nullable and not claim.generated:
            yield claim, "NULL"
    if roles.generation and not roles.generation.generated:
        yield roles.generation, f"t.{roles.generation.sql} + 1"
    if roles.updated and not roles.updated.generated:
        yield roles.updated, moment("clock", roles.updated)


def _abort(table: Table, roles: Roles, ready: Class) -> str:
    conditions = list(ready.conditions)
    if roles.generation and not roles.generation.generated:
        before = f"(k.image ->> {statements.literal(roles.generation.name)})::bigint"
        conditions.append(f"t.{roles.generation.sql} = {before} + 1")
    return template("abort.sql").format(
        returns=comment(_names(table)),
        columns=_keys(table),
        table=table.sql,
        conditions=" AND ".join(conditions),
        **_given(table),
    )


def _roles(table: Table, roles: Roles, ready: Class | None) -> str:
    # Not sent with anything bound, so a percent stands for itself.
    written = ""
    if ready:
        names = dict.fromkeys(column.sql for column, _ in released(roles, ready))
        written = f", UPDATE ({', '.join(names)})"
    usage = [
        f"    GRANT USAGE ON SCHEMA {table.schema} TO {role};\n" if table.schema else ""
        for role in ("aps_read", "aps_operate")
    ]
    text = template("roles.sql").format(
        table=table.sql, update=written, read_usage=usage[0], operate_usage=usage[1]
    )
    return text.replace("%%", "%")


def _given(table: Table) -> dict[str, str]:
    """The keys that aps binds, as rows."""
    aliases = [f"key_{number}" for number, _ in enumerate(table.key, start=1)]
    pairs = list(zip(table.key, aliases, strict=True))
    return {
        "arrays": ", ".join(f"%({key.name})s::{key.type}[]" for key in table.key),
        "aliases": ", ".join(aliases),
        "same_key": " AND ".join(f"t.{key.sql} = k.{alias}" for key, alias in pairs),
    }


def _keys(table: Table) -> str:
    return ", ".join(f"t.{key.sql}" for key in table.key)


def _names(table: Table) -> str:
    return ", ".join(key.name for key in table.key)


def _where(conditions: Iterable[str]) -> str:
    listed = list(conditions)
    return f"\n WHERE {_AND.join(listed)}" if listed else ""


def comment(text: str) -> str:
    """One line that ends nothing and binds nothing."""
    plain = "".join(c if c.isprintable() else "?" for c in text)
    return plain.replace("%", "%%")
