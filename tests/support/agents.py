"""The agent requests as their workers use them, and rows moved into the past, as only a test may."""

from __future__ import annotations

from dataclasses import dataclass

from tests.support import shipped
from tests.support.database import Database
from tests.support.shipped import Answer, Worker

PACK = "agent-requests"
KEY = {"request": "r-1", "step": 2}


@dataclass(frozen=True)
class Agent:
    """A worker by its name."""

    worker: Worker
    name: str

    def accept(self, request: str = "r-1", step: int = 2, task: str = "look it up") -> str:
        answer = self.worker.run("accept", request=request, step=step, task=task)
        assert answer
        return str(answer["answer"])

    def acquire(self, request: str = "r-1", step: int = 2, lease: str = "10 min") -> Answer:
        return self._ran("acquire", request, step, lease=lease)

    def renew(self, version: int, lease: str = "10 min") -> str:
        return self._answer("renew", version, lease=lease)

    def begin(self, version: int, operation: str = "op-7") -> str:
        return self._answer("begin_external", version, operation=operation)

    def end(self, version: int, happened: bool | None, operation: str = "op-7") -> str:
        return self._answer("end_external", version, operation=operation, happened=happened)

    def complete(self, version: int, result: str = "a result") -> str:
        return self._answer("complete", version, result=result)

    def release(self, version: int) -> str:
        return self._answer("release", version)

    def _answer(self, name: str, version: int, **bound: object) -> str:
        return str(self._ran(name, "r-1", 2, version=version, **bound)["answer"])

    def _ran(self, name: str, request: str, step: int, **bound: object) -> Answer:
        answer = self.worker.run(name, request=request, step=step, worker=self.name, **bound)
        assert answer
        return answer


def agent(database: Database, name: str, *, autocommit: bool = True) -> Agent:
    return Agent(shipped.worker(database, PACK, autocommit=autocommit), name)


def owned(database: Database, name: str = "w1") -> Agent:
    """The owner of r-1/2, newly accepted, under version 1."""
    owner = agent(database, name)
    owner.accept()
    assert owner.acquire()["version"] == 1
    return owner


def overdue(database: Database) -> None:
    """The time of every owner ran out a minute ago."""
    database.execute(
        b"UPDATE agent_step SET renewed_at = clock_timestamp() - interval '2 min',"
        b" expires_at = clock_timestamp() - interval '1 min' WHERE state = 'owned'"
    )


def row(database: Database) -> tuple[str, int, str | None]:
    """State, version and result of r-1/2."""
    rows = database.execute(
        b"SELECT state, version, result FROM agent_step WHERE request = 'r-1' AND step = 2"
    )
    return rows[0][0], rows[0][1], rows[0][2]


def ends(database: Database) -> list[tuple[int, str, str | None]]:
    """The ownerships of r-1/2: version, worker, how it ended."""
    rows = database.execute(
        b"SELECT version, worker, ended_as FROM agent_ownership"
        b" WHERE request = 'r-1' AND step = 2 ORDER BY version"
    )
    return [(one[0], one[1], one[2]) for one in rows]


def events(database: Database, kind: str) -> list[tuple[int | None, str | None, str | None]]:
    """Version, worker and detail of the events of that kind, in order."""
    rows = database.execute(
        b"SELECT version, worker, detail FROM agent_event WHERE kind = %s ORDER BY event_id", [kind]
    )
    return [(one[0], one[1], one[2]) for one in rows]
