"""What each column of a table may be for, by its name and type. A guess, never a fact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType

from aps.errors import Usage
from aps.scaffold import words
from aps.scaffold.table import Column, Table


@dataclass(frozen=True, slots=True)
class Roles:
    """The column of each role; None where no column looks like it."""

    state: Column | None = None
    done: Column | None = None
    failed: Column | None = None
    worker: Column | None = None
    token: Column | None = None
    lease: Column | None = None
    heartbeat: Column | None = None
    generation: Column | None = None
    attempts: Column | None = None
    claimed: Column | None = None
    started: Column | None = None
    finished: Column | None = None
    failed_at: Column | None = None
    due: Column | None = None
    created: Column | None = None
    updated: Column | None = None
    result: Column | None = None


def may_be_state(column: Column) -> bool:
    """A short text, a small number: something with few values, named like a state."""
    fits = (column.is_text or column.is_integer) and not column.type.endswith("[]")
    return fits and bool(set(column.words) & set(words.STATE))


def guess(table: Table, told: Mapping[str, str]) -> Roles:
    """`told` names the column of a role, for those that a person knows better. Raises Usage."""
    named = {role: _told(table, role, column) for role, column in told.items()}
    left = replace(table, columns=tuple(one for one in table.columns if one not in named.values()))
    return replace(_guessed(left), **named)


def _told(table: Table, role: str, name: str) -> Column | None:
    """`none` for a role that no column has."""
    known = [field.name for field in fields(Roles)]
    if role not in known:
        raise Usage(f"--column {role}={name}: no such role; there are: {', '.join(known)}")
    found = next((column for column in table.others() if column.name == name), None)
    if found is None and name != "none":
        raise Usage(f"--column {role}={name}: {table.name} has no such column beside its key")
    if found and not _FIT[role](found):
        raise Usage(f"--column {role}={name}: a column of type {found.type} cannot be that")
    return found


def _guessed(table: Table) -> Roles:
    times = [column for column in table.others() if column.is_time]
    others = [column for column in table.others() if not column.is_time]
    flags = [column for column in others if column.is_boolean]
    named = [
        column for column in others if column.is_text or column.is_integer or column.type == "uuid"
    ]
    numbers = [column for column in others if column.is_integer]
    free = _Free()
    return Roles(
        state=free.take(_state(others)),
        done=free.first(flags, words.DONE),
        failed=free.first(flags, words.FAILURE),
        token=free.take(_token(named)),
        worker=free.take(_worker([one for one in named if not one.is_enum])),
        lease=free.first(times, words.LEASE, unless=("valid", "created")),
        heartbeat=free.first(times, words.HEARTBEAT),
        generation=free.first(numbers, words.GENERATION),
        attempts=free.first(numbers, words.ATTEMPT, unless=("max", "limit")),
        claimed=free.first(times, words.CLAIMED),
        started=free.first(times, words.STARTED),
        finished=free.first(times, words.FINISHED),
        failed_at=free.first(times, words.FAILED),
        due=free.first(times, words.DUE),
        created=free.first(times, words.CREATED),
        updated=free.first(times, words.UPDATED),
        result=free.first(others, words.RESULT, unless=("by",)),
    )


def _is_time(column: Column) -> bool:
    return column.is_time


def _is_number(column: Column) -> bool:
    return column.is_integer


def _is_flag(column: Column) -> bool:
    return column.is_boolean


def _is_state(column: Column) -> bool:
    return column.values is not None


def _is_any(column: Column) -> bool:
    return True


_FIT: Mapping[str, Callable[[Column], bool]] = MappingProxyType(
    {field.name: _is_time for field in fields(Roles)}
    | {"state": _is_state, "done": _is_flag, "failed": _is_flag}
    | {"generation": _is_number, "attempts": _is_number}
    | {"worker": _is_any, "token": _is_any, "result": _is_any}
)


class _Free:
    """Columns that have no role yet: each has one."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def take(self, columns: Iterable[Column]) -> Column | None:
        for column in columns:
            if column.name not in self._used:
                self._used.add(column.name)
                return column
        return None

    def first(
        self, columns: Sequence[Column], known: Sequence[str], *, unless: Sequence[str] = ()
    ) -> Column | None:
        fit = [column for column in columns if not set(column.words) & set(unless)]
        return self.take(_by_word(fit, known))


def _by_word(columns: Sequence[Column], known: Sequence[str]) -> Iterable[Column]:
    """The surest word first, then in the order of the table."""
    for word in known:
        yield from (column for column in columns if word in column.words)


def _state(columns: Sequence[Column]) -> Iterable[Column]:
    listed = [column for column in columns if column.values or column.known == "sample"]
    exact = [column for column in listed if len(column.words) == 1 and may_be_state(column)]
    yield from _by_word(exact, words.STATE)
    yield from _by_word([column for column in listed if may_be_state(column)], words.STATE)
    yield from (column for column in listed if column.is_text and _speaks(column.values or ()))


def _speaks(values: Sequence[str]) -> bool:
    """Values that say both that work waits or runs and that it is over."""
    said = {value.lower() for value in values}
    return bool(said & {*words.READY, *words.RUNNING}) and bool(
        said & {*words.DONE, *words.FAILURE}
    )


def _token(columns: Sequence[Column]) -> Iterable[Column]:
    claims = {"lock", "lease", "claim", "locked", "claimed", *words.TOKEN}
    marks = {"token", "id", "key"}
    return (one for one in columns if claims & set(one.words) and marks & set(one.words))


def _worker(columns: Sequence[Column]) -> Iterable[Column]:
    taken = [
        one
        for one in columns
        if set(one.words) & {"by", "to"} and set(one.words) & set(words.CLAIMED)
    ]
    yield from taken
    yield from _by_word(columns, words.WORKER)
