"""A table's rows parted into classes that exclude one another and leave none out: by the values of its state column,
else by what its other columns tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from aps import statements
from aps.errors import Usage
from aps.scaffold import words
from aps.scaffold.roles import Roles
from aps.scaffold.table import Column, Table

# What a class of rows is for the queue; `other` is unfinished as far as anybody knows.
Sort = Literal["ready", "running", "done", "failed", "other"]
SORTS: tuple[Sort, ...] = get_args(Sort)
FINISHED: tuple[Sort, ...] = ("done", "failed")
_WAY: tuple[Sort, ...] = ("ready", "running", "other", "done", "failed")

# Names that states made from times, and aps itself, have.
_TAKEN = frozenset(
    {
        "ready",
        "live_lease",
        "adoption",
        "confirmed_publication",
        "missing_artifact",
        "orphan_candidate",
    }
    | {
        "unconfirmed_materialization",
        "scheduled_later",
        "silent",
        "beating",
        "other_value",
        "no_value",
    }
    | {"unclassified", "conflict", "undetermined", "not_looked", "schema", "roles"}
    | {"population", "names", "ahead"}
    # YAML reads these as something else.
    | {"yes", "no", "true", "false", "on", "off", "null", "none", "y", "n"}
)


@dataclass(frozen=True, slots=True)
class Meant:
    """What a person says of a value: its sort, and the name of its state where there is a better one."""

    sort: Sort
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Class:
    """`conditions` are SQL over the alias t, all of them true; `said` is the same for a person.

    `value` is the SQL of the value that the state column has in it, None where it has no single one. `time` is the
    column named like that value (`printed`, `printed_at`); `sure` where a person said what the value means.
    """

    name: str
    sort: Sort
    conditions: tuple[str, ...]
    said: str
    value: str | None = None
    time: Column | None = None
    sure: bool = False


def of(table: Table, roles: Roles, meant: Mapping[str, Meant]) -> list[Class]:
    """Every row is in exactly one of them. `meant` is what a person says of values. Raises Usage for an unknown one."""
    if roles.state:
        return list(_by_value(table, roles, roles.state, meant))
    if meant:
        raise Usage(f"--value {next(iter(meant))}: no column of {table.name} holds a state")
    return list(_by_columns(roles))


def _by_value(
    table: Table, roles: Roles, state: Column, meant: Mapping[str, Meant]
) -> Iterator[Class]:
    values = _distinct(state)
    if state.known == "sample":
        values += [value for value in meant if value not in values]
    for value in meant:
        if value not in values:
            raise Usage(f"--value {value}: {state.name} holds {', '.join(map(shown, values))}")
    used = {one.name for one in meant.values() if one.name}
    for value, sort in _in_order(table, roles, values, meant):
        said_of = meant.get(value)
        own = _own_time(table, value)
        name = (said_of and said_of.name) or _name(value, sort, used, state)
        used.add(name)
        sql = literal(state, value)
        said = f"{state.name} is {shown(value)}"
        yield Class(name, sort, (f"t.{state.sql} = {sql}",), said, sql, own, value in meant)
    if state.known == "sample":
        listed = ", ".join(literal(state, value) for value in values)
        unlike = f"t.{state.sql} NOT IN ({listed})" if values else f"t.{state.sql} IS NOT NULL"
        told = "a value that was not seen when this pack was made"
        yield Class("other_value", "other", (unlike,), f"{state.name} has {told}")
    if state.nullable:
        yield Class("no_value", "other", (f"t.{state.sql} IS NULL",), f"{state.name} is NULL")


def _in_order(
    table: Table, roles: Roles, values: Sequence[str], meant: Mapping[str, Meant]
) -> list[tuple[str, Sort]]:
    """Values that were only seen have no order of their own: the way of a job through the queue is one."""
    sorts = {
        value: meant[value].sort if value in meant else _sort(value, roles, _own_time(table, value))
        for value in values
    }
    if roles.state and roles.state.known == "sample":
        return sorted(sorts.items(), key=lambda one: (_WAY.index(one[1]), one[0]))
    return list(sorts.items())


def _distinct(state: Column) -> list[str]:
    """Each value once; as the type compares them."""
    found: dict[str, str] = {}
    for value in [*(state.values or ()), *_default(state)]:
        found.setdefault(value.casefold() if state.type.endswith("citext") else value, value)
    return list(found.values())


def _default(state: Column) -> list[str]:
    text = state.default or ""
    quoted = re.fullmatch(r"'((?:[^']|'')*)'(?:::.*)?", text, re.DOTALL)
    if quoted:
        return [quoted[1].replace("''", "'")]
    return [text] if state.is_integer and re.fullmatch(r"-?\d+", text) else []


def _own_time(table: Table, value: str) -> Column | None:
    """`printed_at` of the value `printed`."""
    word = value.strip().lower()
    return next((one for one in table.columns if one.is_time and one.words[:1] == (word,)), None)


def _sort(value: str, roles: Roles, own: Column | None) -> Sort:
    """By the word; of a word that is not known by its form, where a column of the table speaks for that."""
    plain = re.sub(r"[\W_]+", "_", value.strip().lower())
    known: tuple[tuple[Sort, Sequence[str]], ...] = (
        ("ready", words.READY),
        ("running", words.RUNNING),
        ("done", words.DONE),
        ("failed", words.FAILURE),
    )
    claimed = roles.worker or roles.token or roles.lease or roles.heartbeat or roles.claimed
    # Where a value is known to run, another one of that form is a step that may have no worker.
    known_to_run = any(
        value.lower() in words.RUNNING for value in (roles.state and roles.state.values) or ()
    )
    runs = plain.endswith("ing") and claimed and not known_to_run
    formed: Sort = "running" if runs else "done" if own else "other"
    return next((sort for sort, listed in known if plain in listed), formed)


def _name(value: str, sort: Sort, used: set[str], state: Column) -> str:
    """The core name for the first value that waits and the first that is done, else the value itself."""
    core = {"ready": "ready", "done": "confirmed_publication"}.get(sort)
    if core and core not in used:
        return core
    plain = re.sub(r"[^a-z0-9]+", "_", value.lower()).strip("_")
    if not plain[:1].isalpha() or plain in _TAKEN:
        plain = f"{re.sub(r'[^a-z]+', '_', state.name.lower()).strip('_') or 'value'}_{plain or 'blank'}"
    number = 2
    made = plain
    while made in used | _TAKEN:
        made, number = f"{plain}_{number}", number + 1
    return made


def _by_columns(roles: Roles) -> Iterator[Class]:
    """Finished before failed before claimed before ready: each leaves out those before it."""
    left: tuple[str, ...] = ()
    for name, sort, column in _marks(roles):
        if column.is_boolean:
            yes, no = f"t.{column.sql}", f"t.{column.sql} IS NOT TRUE"
            said = f"{column.name} is true"
        else:
            yes, no = f"t.{column.sql} IS NOT NULL", f"t.{column.sql} IS NULL"
            said = f"{column.name} is set"
        yield Class(name, sort, (yes, *left), said)
        left = (*left, no)
    yield Class(
        "ready", "ready", left, "nothing marks it as taken or over" if left else "it is there"
    )


def _marks(roles: Roles) -> Iterator[tuple[str, Sort, Column]]:
    done = roles.done or _nullable(roles.finished)
    failed = roles.failed or _nullable(roles.failed_at)
    claimed = next(
        filter(None, map(_nullable, (roles.worker, roles.token, roles.claimed, roles.lease))), None
    )
    if done:
        yield "confirmed_publication", "done", done
    if failed:
        yield "failed", "failed", failed
    if claimed:
        yield "claimed", "running", claimed


def _nullable(column: Column | None) -> Column | None:
    """One that is always set tells nothing."""
    return column if column and column.nullable else None


def literal(state: Column, value: str) -> str:
    return value if state.is_integer else statements.literal(value)


def shown(value: str) -> str:
    """A value within a sentence, whatever it holds."""
    plain = "".join(c if c.isprintable() else "?" for c in value)
    return f"'{plain[:60]}'"
