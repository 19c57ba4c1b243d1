"""What the demo's jobs are: small exports. And the command line of a worker that makes them."""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import time
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

from aps import database
from aps.database import Database
from aps.demo.worker import Claim, Ended, Worker, WorkFailed

_NO_LIMIT = 0
_POLL = 0.2


def export(claim: Claim, store: Path, seconds: float = 0.0, rows: int = 4) -> Iterator[bytes]:
    """The work: a small table, a row a step. Raises WorkFailed where the input is not the one that was confirmed."""
    source = _input(claim, store)
    yield b"job,epoch,row,source\n"
    for row in range(1, rows + 1):
        time.sleep(seconds / rows)
        yield f"{claim.job_id},{claim.epoch},{row},{source}\n".encode()


def _input(claim: Claim, store: Path) -> str:
    if claim.input_name is None:
        return "none"
    try:
        content = (store / claim.input_name).read_bytes()
    except OSError as error:
        raise WorkFailed(f"input {claim.input_name}: {error.strerror}") from error
    if digest(content) != claim.input_digest:
        raise WorkFailed(
            f"input {claim.input_name} is not the one that was confirmed: its digest differs"
        )
    return claim.input_name


def digest(content: bytes) -> str:
    """As the queue records it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def connect(dsn: str | None, name: str) -> Database:
    return database.connect(dsn, application=f"worker/{name}")


def main() -> None:
    """One line for each job that ended: ANSWER JOB EPOCH FILE. SIGTERM gives the job in hand back."""
    given = _arguments()
    lease = timedelta(seconds=given.lease)
    limit = given.abandon_limit or None
    work = partial(export, store=given.store, seconds=given.work_seconds)
    with Worker(
        partial(connect, given.dsn, given.name), given.store, given.name, lease, limit
    ) as worker:
        signal.signal(signal.SIGTERM, lambda *_: worker.stop())
        while not worker.stopping:
            ended = worker.run_one(work)
            if ended:
                print(line(ended), flush=True)
            elif given.until == "nothing-ready":
                return
            else:
                time.sleep(_POLL)
            if ended and given.until == "one-ended":
                return


def line(ended: Ended) -> str:
    return f"{ended.answer} {ended.claim.job_id} {ended.claim.epoch} {ended.claim.candidate}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m aps.demo.export", description="The reference worker on the reference queue."
    )
    parser.add_argument(
        "--dsn", help="else libpq's own variables and service file; no password here"
    )
    parser.add_argument("--store", type=Path, required=True, help="the folder of the artifacts")
    parser.add_argument("--name", default=f"worker-{os.getpid()}", help="who the queue says it is")
    parser.add_argument("--lease", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--work-seconds", type=float, default=0, help="how long one job takes")
    parser.add_argument(
        "--abandon-limit",
        type=int,
        default=3,
        help=f"adopt jobs that fewer workers left; {_NO_LIMIT}: adopt nothing (default: 3)",
    )
    parser.add_argument("--until", choices=("told", "one-ended", "nothing-ready"), default="told")
    return parser.parse_args()


if __name__ == "__main__":
    main()
