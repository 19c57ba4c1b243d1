"""A door for callers: a small HTTP server in front of the queue, in a process of its own, that can be made to fail.

`POST /jobs` with an `Idempotency-Key` and a JSON body (`kind`, and `input_name` with `input_digest` where the job has
an input) accepts a request: 201 where it is new, 200 where the same one was accepted before, 409 where the key belongs
to another one; the body names the job. 400: a request without a key; 503: the queue does not take it now.
"""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, Literal

from aps.database import Database, QueryError
from aps.demo.actor import Actor, Part, Prompter
from aps.demo.worker import Worker, read
from aps.drill.ground import Ground
from aps.errors import ApsError

_STATUS: Final = {"accepted": 201, "repeated": 200, "conflict": 409}
_FIELDS: Final = ("kind", "input_name", "input_digest")
_TIMEOUT: Final = 20.0
# It takes no job.
_NO_LEASE: Final = timedelta(0)

Content = Mapping[str, str | None]
Step = Literal["received", "inserted", "committed"]


@dataclass(frozen=True, slots=True)
class Mishap:
    """What befalls the first request with a key: at that step its connection is cut, or it stands until a cue."""

    step: Step
    then: Literal["cut", "stand"]


class _Cut(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Desk:
    """Accepts what the door hands in. Each request has a session and a transaction of its own."""

    connect: Callable[[], Database]
    prompter: Prompter
    queries: Path
    mishaps: dict[str, Mishap]

    def accept(self, key: str, content: Content) -> tuple[int, dict[str, Any]]:
        """Status and body. Raises ApsError, QueryError; _Cut where the connection is to be cut."""
        mishap = self.mishaps.pop(key, None)
        self._meet(mishap, "received")
        with self.connect() as session:
            session.begin_write()
            rows = session.rows(read("accept", self.queries), {"request_key": key, **content})
            self._meet(mishap, "inserted")
            session.commit()
        self._meet(mishap, "committed")
        if not rows:
            return 503, {"error": "the queue gave no answer"}
        (row,) = rows
        answer = str(row["answer"])
        return _STATUS[answer], {"job": row["job_id"], "state": row["state"], "answer": answer}

    def _meet(self, mishap: Mishap | None, step: Step) -> None:
        if mishap is None or mishap.step != step:
            return
        if mishap.then == "cut":
            raise _Cut
        self.prompter.tell(step)
        self.prompter.wait()


class _Door(BaseHTTPRequestHandler):
    desk: _Desk

    def do_POST(self) -> None:  # the name that the library calls
        try:
            status, body = self._answer()
        except _Cut:
            self.close_connection = True
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
            return
        told = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def _answer(self) -> tuple[int, dict[str, Any]]:
        key = self.headers.get("Idempotency-Key")
        # Read in any case: a connection that is closed with something unread may lose its answer.
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/jobs" or not key:
            return 400, {"error": "it is POST /jobs, with an Idempotency-Key"}
        try:
            return self.desk.accept(key, {name: body.get(name) for name in _FIELDS})
        except (ApsError, QueryError) as error:
            return 503, {"error": str(error)}

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


def _door(mishaps: Mapping[str, Mishap], queries: Path) -> Part:
    def part(worker: Worker, prompter: Prompter, _: Path) -> None:
        desk = _Desk(worker.connect, prompter, queries, dict(mishaps))
        handler = type("Door", (_Door,), {"desk": desk})
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            prompter.tell(str(server.server_port))
            server.serve_forever()

    return part


@dataclass(frozen=True, slots=True)
class Front:
    """The process behind the door."""

    process: Actor
    port: int

    @classmethod
    def open(cls, ground: Ground, name: str, mishaps: Mapping[str, Mishap] | None = None) -> Front:
        process = ground.actor(_door(mishaps or {}, ground.yard.queries), _NO_LEASE, name=name)
        return cls(process, int(process.news()))


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """Status 0: the connection ended without one."""

    status: int
    job: str | None

    def __repr__(self) -> str:
        if not self.status:
            return "no answer"
        job = f"job {self.job}" if self.job else "no job"
        return f"{self.status}, {job}"


class Call:
    """A request that was sent; nobody waits for its answer yet."""

    def __init__(self, front: Front, key: str, content: Content) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", front.port, timeout=_TIMEOUT)
        given = {name: text for name, text in content.items() if text is not None}
        headers = {"Idempotency-Key": key, "Content-Type": "application/json"}
        self._connection.request("POST", "/jobs", json.dumps(given), headers)

    def answer(self) -> Answer:
        """Wait for it. Raises OSError where nothing comes, not even the end of the connection."""
        try:
            response = self._connection.getresponse()
            return Answer(response.status, json.loads(response.read()).get("job"))
        except (ConnectionError, http.client.HTTPException):
            return Answer(0, None)
        finally:
            self._connection.close()


def ask(front: Front, key: str, content: Content) -> Answer:
    """Send a request and wait for its answer."""
    return Call(front, key, content).answer()
