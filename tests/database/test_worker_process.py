"""The reference worker as a process: `python -m aps.demo.export`."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.support.database import Database
from tests.support.queue import queue
from tests.support.sessions import eventually


def test_sigterm_gives_the_job_in_hand_back(database: Database, tmp_path: Path) -> None:
    caller = queue(database)
    job = caller.accept("r1")["job_id"]
    argv = [sys.executable, "-P", "-m", "aps.demo.export", "--dsn", database.dsn("aps_work")]
    argv += ["--store", str(tmp_path), "--name", "w1", "--work-seconds", "2"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as worker:
        eventually(lambda: caller.job(job)["state"] == "running")
        eventually(lambda: any(tmp_path.iterdir()))
        worker.send_signal(signal.SIGTERM)
        told, _ = worker.communicate()
    assert worker.returncode == 0
    assert told.startswith(f"released {job} 1 {job}/1-")
    assert caller.job(job)["state"] == "ready"


def test_a_worker_process_ends_when_nothing_is_ready(database: Database, tmp_path: Path) -> None:
    caller = queue(database)
    jobs = [caller.accept(key)["job_id"] for key in ("r1", "r2")]
    argv = [sys.executable, "-P", "-m", "aps.demo.export", "--until", "nothing-ready"]
    argv += ["--dsn", database.dsn("aps_work"), "--store", str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert [line.split()[:3] for line in done.stdout.splitlines()] == [
        ["published", str(job), "1"] for job in jobs
    ]
