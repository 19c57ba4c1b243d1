"""What was guessed of a table, why, and what a person must look at before anybody relies on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aps.scaffold.classes import shown
from aps.scaffold.reading import MOST_VALUES, SAMPLED_ROWS
from aps.scaffold.roles import Roles
from aps.scaffold.table import Column, Table

_KNOWN = {
    "enum": "all values of its enum type",
    "check": "all values that its CHECK constraint allows",
    "sample": f"those in the first {SAMPLED_ROWS:,} rows, in the server's statistics, and its default",
}


@dataclass(frozen=True, slots=True)
class Guess:
    """`about` is the part of the pack, `what` the guess in words, `check` what to look at."""

    about: str
    what: str
    why: str
    check: str


def of(table: Table, roles: Roles) -> Iterator[Guess]:
    """In the order in which a pack is read."""
    yield _state(table, roles)
    if roles.worker:
        told = "that it names a process that runs jobs, and not a person, a team or a customer"
        yield _named("worker", roles.worker, told)
    if roles.token:
        yield _named("token", roles.token, "that each claim sets it anew")
    if roles.lease:
        told = (
            "that it ends a claim and not the job itself, and that workers renew it while they work"
        )
        yield _named("lease", roles.lease, told)
    if roles.heartbeat:
        yield _named(
            "heartbeat", roles.heartbeat, "that workers write it, several times within silent_after"
        )
    yield from _counters(roles)
    yield from _times(roles)
    naive = [column.name for column in table.columns if column.is_naive]
    if naive:
        why = f"{', '.join(naive)} hold times without a zone"
        yield Guess("time_zone", "they are UTC", why, "what the writers of the table write there")


def _state(table: Table, roles: Roles) -> Guess:
    if roles.state is None:
        marks = [
            one.name for one in (roles.done, roles.finished, roles.failed, roles.failed_at) if one
        ]
        marks += [one.name for one in (roles.worker, roles.claimed, roles.lease) if one]
        what = (
            f"no column holds the state; {', '.join(marks)} tell it"
            if marks
            else "every row is a job that waits"
        )
        why = f"no column is named like a state and holds at most {MOST_VALUES} values"
        return Guess("state", what, why, "that nothing else decides what a worker may take")
    values = roles.state.values or ()
    listed = ", ".join(map(shown, values[:12])) + (", ..." if len(values) > 12 else "")
    why = (
        f"its name and its values: {listed or 'none yet'}; {_KNOWN[roles.state.known or 'sample']}"
    )
    return Guess(
        "state", f"{roles.state.name} holds the state", why, "what each value means in your code"
    )


def _counters(roles: Roles) -> Iterator[Guess]:
    if roles.generation:
        told = (
            "that each claim raises it. If every write of a worker compares it too, in the statement that writes, "
            "this queue can be fencing: enforced; nothing here assumes it"
        )
        yield _named("generation", roles.generation, told)
    if roles.attempts:
        told = "it is shown and never changed; a job that was tried often may deserve a state of its own"
        yield _named("attempts", roles.attempts, told)


def _times(roles: Roles) -> Iterator[Guess]:
    told = {
        "claimed at": roles.claimed,
        "started at": roles.started,
        "finished at": roles.finished,
        "failed at": roles.failed_at,
        "due at": roles.due,
        "created at": roles.created,
        "updated at": roles.updated,
    }
    for about, column in told.items():
        if column:
            yield _named(about, column, "that it is the time from which a person counts")
    if roles.result:
        check = "a finished row without it may be a state of its own: missing_artifact"
        yield Guess("result", f"{roles.result.name} holds the result", "its name", check)


def _named(about: str, column: Column, check: str) -> Guess:
    return Guess(
        about,
        f"{column.name} is the {about}",
        f"its name, and its type {column.type.replace('%%', '%')}",
        check,
    )
