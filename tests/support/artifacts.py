"""A bound store beside a test's database, and what workers leave in both."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from aps import database as sessions
from aps import install, store, triage
from aps.files import Sight
from aps.model.report import Finding, Report
from aps.store import LocalStore, Observation, Progress, Store
from aps.triage import Look
from tests.support.database import Database
from tests.support.looking import connect, hasty
from tests.support.queue import Queue, queue

CONTENT = b"customer,country\n1001,NL\n"


def digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


@dataclass
class Artifacts:
    """The folder is the store of the database. Published files have CONTENT unless told otherwise."""

    database: Database
    root: Path
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def bound(cls, database: Database, root: Path) -> Artifacts:
        root.mkdir(exist_ok=True)
        with sessions.connect(database.dsn("postgres"), application="aps/init") as session:
            install.bind(session, store.open(str(root)))
        return cls(database, root)

    @cached_property
    def queue(self) -> Queue:
        return queue(self.database)

    def write(self, name: str, content: bytes = CONTENT) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return file

    def published(self, key: str = "p") -> tuple[int, Path]:
        """A job whose worker wrote its file and published it."""
        claim = self.queue.claimed("w1", key=key)
        file = self.write(claim["candidate"])
        assert self.queue.publish(claim["job_id"], "w1", claim["epoch"], digest(CONTENT))
        return claim["job_id"], file

    def waiting(self, key: str = "i", content: bytes = CONTENT) -> tuple[int, str]:
        """A job that waits for an input of that content; the name of the input."""
        name = f"inputs/{key}.csv"
        bound = {"request_key": key, "kind": "export", "input_name": name}
        answer = self.queue.run("accept", **bound, input_digest=digest(content))
        assert answer
        return answer["job_id"], name

    def abandoned(self, key: str = "a", content: bytes = CONTENT) -> tuple[int, Path]:
        """A job whose worker wrote its file, but confirmed nothing before its lease ended."""
        claim = self.queue.claimed("w1", "-1 min", key)
        return claim["job_id"], self.write(claim["candidate"], content)

    def orphan(self, key: str = "o") -> tuple[int, Path]:
        """As abandoned, and another worker took the job over."""
        job, file = self.abandoned(key)
        assert self.queue.adopt("w2")
        return job, file

    def sight(self, opened: Store | None = None, *, rehash: bool = True) -> Sight:
        return Sight(opened or store.open(str(self.root)), rehash=rehash)

    def report(
        self, *jobs: int, state: str | None = None, sight: Sight | None = None, **look: Any
    ) -> Report:
        """What is told to a person who may only look; the grace of orphans and inputs is over at once."""
        asked = Look(jobs=tuple(map(str, jobs)), state=state, **look)
        with connect(self.database, "aps_read") as session:
            return triage.inspect(hasty(), session, asked, sight or self.sight())

    def finding(self, state: str, *, sight: Sight | None = None) -> Finding:
        found = self.report(sight=sight).states
        return next(one for one in found if one.state == state)

    def state(self, job: int) -> tuple[str, tuple[str, ...]]:
        """The state of one job, and what lies over it."""
        (one,) = self.report(job).jobs
        return one.state, one.overlays


class Meanwhile(LocalStore):
    """A store in which something happens right after its first look."""

    def __init__(self, root: Path, then: Callable[[], object]) -> None:
        super().__init__(str(root).encode())
        self._then: Callable[[], object] | None = then

    def look(
        self, names: Any, *, rehash: bool, progress: Progress | None = None
    ) -> Iterator[Observation]:
        yield from list(super().look(names, rehash=rehash, progress=progress))
        then, self._then = self._then, None
        if then:
            then()
