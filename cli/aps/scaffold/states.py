"""The states of a pack, drafted from the classes of rows: claims are parted by the time that ends or renews them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from aps.scaffold.classes import FINISHED, Class
from aps.scaffold.roles import Roles
from aps.scaffold.table import Column

SILENT_AFTER = "silent_after"
ZONE = "time_zone"


@dataclass(frozen=True, slots=True)
class Draft:
    """One state: which rows, how old they are, what is said of them. `release` is what a reclaim makes of
    them, None where none is written."""

    name: str
    of: Class
    conditions: tuple[str, ...]
    means: str
    since: Column | None = None
    not_: str | None = None
    liveness: str | None = None
    release: Class | None = None
    window: Column | None = None
    why: str | None = None

    @property
    def finished(self) -> bool:
        return self.of.sort in FINISHED


def drafts(classes: list[Class], roles: Roles) -> list[Draft]:
    waiting = next((one for one in classes if one.sort == "ready"), None)
    target = waiting if waiting and _releasable(waiting, roles) else None
    told = _merged(classes, roles) if roles.lease or roles.heartbeat else classes
    return [draft for one in told for draft in _drafts(one, roles, target, waiting)]


def _merged(classes: list[Class], roles: Roles) -> list[Class]:
    """The values of one claim as one class: its time parts it, not its progress."""
    running = [one for one in classes if one.sort == "running"]
    if len(running) < 2 or roles.state is None:
        return classes
    listed = ", ".join(one.value for one in running if one.value)
    said = f"{roles.state.name} is one of {', '.join(one.said.partition(' is ')[2] for one in running)}"
    merged = Class(running[0].name, "running", (f"t.{roles.state.sql} IN ({listed})",), said)
    return [merged if one is running[0] else one for one in classes if one not in running[1:]]


def _releasable(ready: Class, roles: Roles) -> bool:
    """A reclaim must know how a ready row looks: by its value, or by the columns that are then empty."""
    return ready.value is not None or bool(ready.conditions and not roles.state)


def _drafts(
    one: Class, roles: Roles, target: Class | None, waiting: Class | None
) -> Iterator[Draft]:
    if one.sort in FINISHED:
        yield _finished(one, roles)
    elif one.sort == "ready":
        yield from _ready(one, roles, parted=one is waiting)
    elif one.sort == "running" and roles.lease:
        yield from _leased(one, roles, roles.lease, target)
    elif one.sort == "running" and roles.heartbeat:
        yield from _beating(one, roles, roles.heartbeat, target)
    elif one.sort == "running":
        yield _claimed(one, roles, target)
    else:
        since = roles.updated or roles.created
        yield Draft(one.name, one, one.conditions, one.said, since)


def _finished(one: Class, roles: Roles) -> Draft:
    own = one.time or (roles.failed_at if one.sort == "failed" else None)
    since = own or roles.finished or roles.updated
    window: tuple[str, ...] = ()
    if since:
        window = (_windowed(since),)
    return Draft(one.name, one, (*one.conditions, *window), one.said, since, window=since)


def _windowed(column: Column) -> str:
    """A finished row without a time must not fall out of its state."""
    inside = f"t.{column.sql} >= {moment('finished_since', column)}"
    return f"({inside} OR t.{column.sql} IS NULL)" if column.nullable else inside


def _ready(one: Class, roles: Roles, *, parted: bool) -> Iterator[Draft]:
    since = roles.created or roles.updated
    said = f"{one.said}; any worker may claim it"
    if not parted or roles.due is None:
        yield Draft(one.name, one, one.conditions, said, since)
        return
    due, now = f"t.{roles.due.sql}", moment("clock", roles.due)
    come = f"({due} <= {now} OR {due} IS NULL)" if roles.due.nullable else f"{due} <= {now}"
    yield Draft(
        one.name, one, (*one.conditions, come), f"{said}, for {roles.due.name} has come", roles.due
    )
    later = f"{one.said}; {roles.due.name} lies ahead"
    yield Draft("scheduled_later", one, (*one.conditions, f"{due} > {now}"), later, since)


def _leased(one: Class, roles: Roles, lease: Column, target: Class | None) -> Iterator[Draft]:
    until, now = f"t.{lease.sql}", moment("clock", lease)
    live = Draft(
        "live_lease",
        one,
        (*one.conditions, f"{until} > {now}"),
        f"{one.said} and {lease.name} lies ahead: whoever claimed it may work",
        _begun(roles),
        "that the worker lives; only its time is not over",
        "lease",
    )
    yield live
    yield replace(
        live,
        name="adoption",
        conditions=(*one.conditions, f"{until} <= {now}"),
        means=f"{one.said} and {lease.name} has passed",
        since=lease,
        not_="that the worker stopped; an expired lease is not a dead process",
        release=target,
    )
    if lease.nullable and f"{until} IS NOT NULL" not in one.conditions:
        yield Draft(
            _beside(one),
            one,
            (*one.conditions, f"{until} IS NULL"),
            f"{one.said} and {lease.name} is NULL: nothing says when the claim ends",
            not_="that the worker is alive, or dead",
        )


def _beating(one: Class, roles: Roles, beat: Column, target: Class | None) -> Iterator[Draft]:
    heard = f"t.{beat.sql}"
    limit = f"{moment('clock', beat)} - %({SILENT_AFTER})s"
    alive = Draft(
        "beating",
        one,
        (*one.conditions, f"{heard} > {limit}"),
        f"{one.said} and {beat.name} is recent",
        _begun(roles),
        "that the job makes progress; somebody writes its heartbeat",
        "heartbeat",
    )
    yield alive
    yield replace(
        alive,
        name="silent",
        conditions=(*one.conditions, f"{heard} <= {limit}"),
        means=f"{one.said} and {beat.name} is older than {SILENT_AFTER}",
        since=beat,
        not_="that the worker stopped; it may be slow, paused, or cut off from the database",
        release=target,
    )
    if beat.nullable:
        told = f"{one.said} and {beat.name} is NULL: it was never heard of"
        none = f"{heard} IS NULL"
        yield Draft(
            _beside(one), one, (*one.conditions, none), told, not_="that the worker is dead"
        )


def _beside(one: Class) -> str:
    return f"{one.name}_without_time"


def _begun(roles: Roles) -> Column | None:
    return roles.claimed or roles.started or roles.updated


def _claimed(one: Class, roles: Roles, target: Class | None) -> Draft:
    since = _begun(roles)
    means = f"{one.said}: a worker claimed it"
    not_ = "that the worker is alive, or dead; this table cannot say"
    return Draft(
        one.name, one, one.conditions, means, since, not_, "age" if since else None, target
    )


def moment(bound: str, column: Column) -> str:
    """What aps binds, as that column holds times."""
    return (
        f"%({bound})s::timestamptz AT TIME ZONE %({ZONE})s::text"
        if column.is_naive
        else f"%({bound})s"
    )


def instant(column: Column) -> str:
    """The column as a time that is one everywhere."""
    return f"t.{column.sql} AT TIME ZONE %({ZONE})s::text" if column.is_naive else f"t.{column.sql}"
