"""Start, find, use and end the one demo of this account. Nothing is printed here."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from aps.demo import state
from aps.demo.state import Demo
from aps.errors import DatabaseError

IDLE_SECONDS: Final = 3600.0
_STOP_SECONDS: Final = 20.0
_REFUSAL_SECONDS: Final = 20.0
_POLL: Final = 0.02
_SQL: Final = Path(__file__).parent / "sql"


@dataclass(frozen=True, slots=True)
class Resumed:
    """The stopped worker woke: what it sent under its epoch was refused. `before`: an earlier time already.

    `overdue`: the lease under which the job stands is over.
    """

    job: int
    worker: str
    epoch: int
    sent: str
    state: str
    standing_epoch: int
    overdue: bool
    before: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """One job that a worker took and saw to its end; `answer` is `published` where all went well."""

    answer: str
    job: int
    epoch: int
    file: str


def running() -> Demo | None:
    return state.running()


def touch() -> None:
    """Somebody uses the demo: its idle hour begins anew."""
    state.touch()


def dsn(role: str = "aps_operate") -> str:
    """Where the demo's queue is, for a member of that role. Raises DatabaseError where none runs."""
    return _needed().dsn(role)


def store() -> str:
    """The folder of the demo's artifacts. Raises DatabaseError where none runs."""
    return _needed().store


def start(
    tell: Callable[[str], None] = lambda step: None, idle: float = IDLE_SECONDS
) -> tuple[Demo, bool]:
    """The demo, and whether it was started now. Raises DatabaseError; then nothing of it is left running."""
    with state.turn():
        demo = running()
        if demo:
            touch()
            return demo, False
        argv = [sys.executable, "-P", "-m", "aps.demo.supervisor", str(idle)]
        with subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
            errors="replace",
        ) as launched:
            assert launched.stdout is not None
            return _heard(launched.stdout, tell), True


def stop() -> bool:
    """End the demo and return when its processes, data and files are gone. False where none runs."""
    with state.turn():
        demo = running()
        if demo:
            os.kill(demo.supervisor, signal.SIGTERM)
            _await_end(demo.supervisor)
        state.clear()
        return demo is not None


def stopped(demo: Demo) -> bool:
    """Whether the stopped worker sleeps on: nothing that it sent was refused yet."""
    from aps import database

    with database.connect(demo.dsn("aps_read"), application="aps/demo") as session:
        return not session.call(_sql("refused"), _late(demo))


def resume() -> Resumed:
    """Wake the stopped worker and wait until the fence refused it. Raises DatabaseError."""
    from aps import database

    demo = _needed()
    job = _late(demo)
    refused, standing = _sql("refused"), _sql("standing")
    with database.connect(demo.dsn("aps_read"), application="aps/demo") as session:
        before = bool(session.call(refused, job))
        # Its supervisor does not reap it, so the number is still its own.
        os.kill(demo.workers["stopped"], signal.SIGCONT)
        deadline = time.monotonic() + _REFUSAL_SECONDS
        while not (rows := session.call(refused, job)):
            if time.monotonic() > deadline:
                raise DatabaseError("the resumed worker did not try to publish")
            time.sleep(_POLL)
        now = session.call(standing, {"job_id": job["job_id"]})[0]
    return Resumed(
        job=job["job_id"],
        worker=str(rows[0]["worker"]),
        epoch=job["epoch"],
        sent=str(rows[0]["detail"]).partition(" ")[0],
        state=str(now["state"]),
        standing_epoch=int(now["epoch"] or 0),
        overdue=now["overdue"] == "t",
        before=before,
    )


def _late(demo: Demo) -> dict[str, int]:
    """The stopped worker's job and epoch: it was the first to take that job."""
    return {"job_id": demo.jobs["stopped"], "epoch": 1}


def _sql(name: str) -> str:
    return (_SQL / f"{name}.sql").read_text(encoding="utf-8")


def work() -> list[Finished]:
    """Let one worker process finish what is ready now; it adopts nothing."""
    demo = _needed()
    argv = [sys.executable, "-P", "-m", "aps.demo.export", "--until", "nothing-ready"]
    argv += ["--abandon-limit", "0", "--store", demo.store, "--dsn", demo.dsn("aps_work")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise DatabaseError(f"the demo's worker failed: {last}")
    return [_finished(line) for line in done.stdout.splitlines()]


def _finished(line: str) -> Finished:
    answer, job, epoch, file = line.split(" ", 3)
    return Finished(answer, int(job), int(epoch), file)


def _needed() -> Demo:
    demo = running()
    if demo is None:
        raise DatabaseError("no demo is running; start one with: aps demo")
    touch()
    return demo


def _heard(messages: IO[str], tell: Callable[[str], None]) -> Demo:
    """Listen to a supervisor that starts, until all is ready or it ends."""
    supervisor, last = 0, "no reason given"
    try:
        for line in messages:
            message = _message(line)
            supervisor = message.get("pid", supervisor)
            last = message.get("error") or last
            if "step" in message:
                tell(message["step"])
            demo = running() if "ready" in message else None
            if demo:
                return demo
    except BaseException:
        # Ctrl-C, say: it would go on without us.
        if supervisor:
            os.kill(supervisor, signal.SIGTERM)
            _await_end(supervisor)
        raise
    raise DatabaseError(f"the demo did not start: {last}")


def _message(line: str) -> dict[str, Any]:
    """What the supervisor says; any other line is the last word of one that failed."""
    try:
        return dict(json.loads(line))
    except ValueError:
        return {"error": line.strip()}


def _await_end(supervisor: int) -> None:
    deadline = time.monotonic() + _STOP_SECONDS
    while state.alive():
        if time.monotonic() > deadline:
            os.kill(supervisor, signal.SIGKILL)
            deadline += _STOP_SECONDS
        time.sleep(_POLL)
