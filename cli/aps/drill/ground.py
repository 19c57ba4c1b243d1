"""Where a rehearsal is run: a database and a store of its own on the drill's server, and worker processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, Final

from aps import database as sessions
from aps import matrix as matrices
from aps import packs
from aps.database import Database, Limits, Row
from aps.demo import queue
from aps.demo.actor import Actor, Part
from aps.demo.cluster import Cluster
from aps.demo.family import Family
from aps.demo.worker import read
from aps.drill.waiting import until
from aps.errors import Usage
from aps.model.matrix import Matrix

_TEMPLATE: Final = "queue"
_SQL: Final = Path(__file__).parent / "sql"
_NEEDED: Final = ("schema.sql", "roles.sql", "worker/claim.sql", "worker/publish.sql")
# Nobody waits half an hour in a drill: files are judged at once.
_GRACES: Final = {"orphan_grace": "0 s", "materialization_grace": "0 s"}


def checked(pack: Path) -> Path:
    """The folder of a pack that is the reference queue, or a copy of it. Raises Usage for any other."""
    for name in _NEEDED:
        if not (pack / "queries" / name).is_file():
            raise Usage(
                f"--pack {pack}: it has no queries/{name}; the drill rehearses the reference queue, or a copy of it"
            )
    return pack


def text(name: str) -> str:
    """A query of the drill's own, `drill/sql/NAME.sql`."""
    return (_SQL / f"{name}.sql").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Yard:
    """What all rehearsals share: the server, the processes, the queue as its pack has it."""

    server: Cluster
    family: Family
    home: Path
    pack: Path = packs.HOME

    @cached_property
    def matrix(self) -> Matrix:
        return matrices.load(self.pack, _GRACES)

    @property
    def queries(self) -> Path:
        return self.pack / "queries"

    def prepare(self) -> None:
        """The queue once, to be copied for every rehearsal."""
        queue.create(self.server, _TEMPLATE, self.pack)

    def ground(self, name: str) -> Ground:
        """A fresh queue and an empty store of that name."""
        store = self.home / "stores" / name
        (store / "inputs").mkdir(parents=True)
        queue.copy(self.server, _TEMPLATE, name)
        queue.bind(self.server, name, store)
        return Ground(self, name, store)


class Ground:
    """One rehearsal's queue. Fork every actor before a session is opened: a session is not shared with a fork."""

    def __init__(self, yard: Yard, name: str, store: Path) -> None:
        self.yard = yard
        self.name = name
        self.store = store
        self._numbers = count(1)
        self._actors: list[Actor] = []

    @property
    def server(self) -> Cluster:
        return self.yard.server

    @property
    def matrix(self) -> Matrix:
        """The reference matrix, or that of the copy; without graces."""
        return self.yard.matrix

    def dsn(self, role: str = "aps_work") -> str:
        return self.server.dsn(self.name, queue.LOGINS[role])

    def session(self, role: str = "aps_work", name: str = "drill", **limits: int) -> Database:
        """A session of a member of that role; `postgres` is the superuser. Use as a context manager."""
        bounds = Limits(**limits) if limits else None
        return sessions.connect(self.dsn(role), application=f"drill/{name}", limits=bounds)

    def actor(
        self,
        part: Part,
        lease: timedelta,
        abandon_limit: int | None = None,
        name: str | None = None,
    ) -> Actor:
        """A worker process (w1, w2, ... unless named), which waits for its cues; killed at the rehearsal's end."""
        named = name or f"w{next(self._numbers)}"
        made = Actor(
            self.yard.family,
            named,
            part,
            self.dsn("aps_work"),
            self.store,
            lease,
            abandon_limit,
            self.yard.queries,
        )
        self._actors.append(made)
        return made

    def worker(self, session: Database, statement: str, **bound: Any) -> Row | None:
        """One statement of the worker's side, in autocommit; its row, if it returned one."""
        rows = session.call(read(statement, self.yard.queries), bound)
        return rows[0] if rows else None

    def accept(self, session: Database, key: str, **more: Any) -> int:
        """A request without an input, unless told otherwise; its job."""
        given = {"kind": "export", "input_name": None, "input_digest": None} | more
        row = self.worker(session, "accept", request_key=key, **given)
        return int((row or {})["job_id"] or 0)

    def ask(self, session: Database, name: str, **bound: Any) -> list[Row]:
        """A query of the drill's own, `drill/sql/NAME.sql`, in autocommit."""
        return session.call(text(name), bound)

    def job(self, session: Database, job: int) -> Row:
        """The whole row. Needs a role that may read it."""
        return self.ask(session, "job", job_id=job)[0]

    def overdue(self, session: Database, job: int) -> None:
        """Wait until the lease of a job is over, by the clock of the server."""
        until(
            lambda: self.ask(session, "overdue", job_id=job)[0]["overdue"] == "t",
            f"the lease of job {job} to end",
        )

    def end(self) -> None:
        """Kill the workers that are still there."""
        for one in self._actors:
            one.end()


@contextmanager
def opened(yard: Yard, name: str) -> Iterator[Ground]:
    """Ground for one rehearsal, left by everybody at its end."""
    ground = yard.ground(name)
    try:
        yield ground
    finally:
        ground.end()
