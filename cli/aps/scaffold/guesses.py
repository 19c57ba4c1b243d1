"""What was guessed of a table, why, and what a person must look at before anybody relies on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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


def of(table: Table, roles: Roles, told: Iterable[str]) -> Iterator[Guess]:
    """In the order in which a pack is read; what a person told is none."""
    yield from (one for one in _of(table, roles) if one.about not in told)


def _of(table: Table, roles: Roles) -> Iterator[Guess]:
    yield _state(table, roles)
    if roles.worker:
        told = "that it names a process that runs jobs, and not a person, a team or a customer"
        yield _named("worker", roles.worker, "the worker of a claim", told)
    if roles.token:
        yield _named(
            "token", roles.token, "what one claim is known by", "that each claim sets it anew"
        )
    if roles.lease:
        told = "that it ends a claim and not the job, and that workers renew it while they work"
        yield _named("lease", roles.lease, "the end of a claim", told)
    if roles.heartbeat:
        told = "that workers write it, several times within silent_after"
        yield _named("heartbeat", roles.heartbeat, "a worker's sign of life", told)
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
        yield _named("generation", roles.generation, "the generation of a claim", told)
    if roles.attempts:
        told = "what raises it; it is shown, never changed. A job tried too often may be a state of its own"
        yield _named("attempts", roles.attempts, "a count of attempts", told)


def _times(roles: Roles) -> Iterator[Guess]:
    told = {
        "the claim": roles.claimed,
        "the start": roles.started,
        "the end": roles.finished,
        "the failure": roles.failed_at,
        "when it is due": roles.due,
        "the creation": roles.created,
        "the last change": roles.updated,
    }
    listed = [f"{column.name} {about}" for about, column in told.items() if column]
    if listed:
        check = "that a person counts the age of a job from these"
        yield Guess(
            "times", f"these tell a time: {', '.join(listed)}", "their names and types", check
        )
    if roles.result:
        check = "a finished row without it may be a state of its own: missing_artifact"
        yield Guess("result", f"{roles.result.name} holds the result", "its name", check)


def _named(about: str, column: Column, what: str, check: str) -> Guess:
    why = f"its name, and its type {column.type.replace('%%', '%')}"
    return Guess(about, f"{column.name} is {what}", why, check)
