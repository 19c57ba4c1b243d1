"""Every exit code that a command of this version can end with, each produced by what it stands for."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aps.exits import MEANING, Exit
from tests.support import cli, trouble
from tests.support.cli import Result
from tests.support.database import Database
from tests.support.queue import queue
from tests.support.sessions import eventually

pytestmark = pytest.mark.one_server

ALL_ROWS = "SELECT job_id, 'it is not right' AS reason FROM aps.job WHERE job_id = ANY (%(job_id)s::bigint[])"
SLEEPS = "SELECT job_id FROM aps.job WHERE pg_sleep(600) IS NULL"
RAISES = b"""
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'this row is bad'; END $$;
CREATE TRIGGER refuse BEFORE UPDATE ON aps.job FOR EACH ROW WHEN (OLD.worker = 'bad') EXECUTE FUNCTION refuse()"""
A_BUG = "import aps.triage, aps.main; aps.triage.inspect = None; aps.main.main()"

Scenario = Callable[[Database, Path], Result]


def aps(database: Database, *words: str) -> Result:
    return cli.call(*words, "--dsn", database.dsn())


def apply(database: Database, *words: str) -> Result:
    return aps(database, "reclaim", *words, "--yes", "--reason", "test")


def clear(database: Database, folder: Path) -> Result:
    assert apply(database, trouble.abandoned(database)).code == 0
    return aps(database, "inspect")


def bug(database: Database, folder: Path) -> Result:
    done = subprocess.run(
        [sys.executable, "-c", A_BUG, "inspect", "--dsn", database.dsn()],
        env=cli.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    # A bug keeps its traceback: it is not a sentence that a person could act on.
    assert "TypeError" in done.stderr
    return Result(done.returncode, done.stdout, done.stderr)


def usage(database: Database, folder: Path) -> Result:
    return aps(database, "inspect", "--limit", "0")


def warning(database: Database, folder: Path) -> Result:
    trouble.abandoned(database)
    return aps(database, "inspect")


def critical(database: Database, folder: Path) -> Result:
    trouble.abandoned(database, ago="20 min")
    return aps(database, "inspect")


def undetermined(database: Database, folder: Path) -> Result:
    trouble.paused(database)
    return aps(database, "inspect")


def no_such_job(database: Database, folder: Path) -> Result:
    return aps(database, "inspect", "7")


def nothing_applied(database: Database, folder: Path) -> Result:
    plan = saved(database, folder, trouble.abandoned(database))
    assert queue(database).adopt("w2")
    return apply(database, "--plan", plan)


def in_part(database: Database, folder: Path) -> Result:
    plan = saved(
        database, folder, trouble.abandoned(database, "a"), trouble.abandoned(database, "b")
    )
    assert queue(database).adopt("w2")
    return apply(database, "--plan", plan)


def saved(database: Database, folder: Path, *jobs: str) -> str:
    file = str(folder / "plan.json")
    assert aps(database, "reclaim", *jobs, "--plan-out", file).code == 0
    return file


def locked(database: Database, folder: Path) -> Result:
    job = trouble.abandoned(database)
    holder = database.connect("postgres", autocommit=False)
    holder.execute(b"SELECT FROM aps.job WHERE job_id = %s FOR UPDATE", [job])
    said = apply(database, job)
    assert f"aps reclaim {job} --retries 5" in said.stdout
    return said


def rolled_back(database: Database, folder: Path) -> Result:
    pack = trouble.pack(folder, {"adoption.abort": ALL_ROWS})
    said = apply(database, trouble.abandoned(database), "--pack", pack)
    assert database.execute(b"SELECT state, epoch FROM aps.job") == [("running", 1)]
    return said


def not_verified(database: Database, folder: Path) -> Result:
    pack = trouble.pack(folder, {"adoption.verify": ALL_ROWS})
    said = apply(database, trouble.abandoned(database), "--pack", pack)
    assert database.execute(b"SELECT state, epoch FROM aps.job") == [("ready", 2)]
    return said


def row_failed(database: Database, folder: Path) -> Result:
    jobs = [trouble.abandoned(database, worker, worker) for worker in ("good", "bad", "fine")]
    for statement in RAISES.split(b";\nCREATE TRIGGER"):
        prefix = b"" if statement.lstrip().startswith(b"CREATE") else b"CREATE TRIGGER"
        database.execute(prefix + statement)
    said = apply(database, *jobs)
    assert "this row is bad" in said.stdout
    assert database.execute(b"SELECT count(*) FROM aps.job WHERE state = 'ready'") == [(2,)]
    return said


def refused(database: Database, folder: Path) -> Result:
    return aps(database, "reclaim", trouble.abandoned(database), "--yes")


def matrix(database: Database, folder: Path) -> Result:
    return aps(database, "inspect", "--pack", trouble.pack(folder, {}, {"matrix: 1": "matrix: 9"}))


def out_of_reach(database: Database, folder: Path) -> Result:
    return cli.call("inspect", "--dsn", f"host={folder}")


def interrupted(database: Database, folder: Path) -> Result:
    """Ctrl-C while the server works: it is told to stop too."""
    pack = trouble.pack(folder, {"ready": SLEEPS})
    sleeping = b"SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
    trouble.ready(database)
    with subprocess.Popen(
        cli.argv("inspect", "--pack", pack, "--dsn", database.dsn()),
        env=cli.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        eventually(lambda: bool(database.execute(sleeping)))
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=cli.TIMEOUT)
    eventually(lambda: not database.execute(sleeping))
    assert (stdout, "Traceback" in stderr) == ("", False)
    return Result(process.returncode, stdout, stderr)


SCENARIOS: dict[Exit, Scenario] = {
    Exit.CLEAR: clear,
    Exit.BUG: bug,
    Exit.USAGE: usage,
    Exit.WARNING: warning,
    Exit.CRITICAL: critical,
    Exit.UNDETERMINED: undetermined,
    Exit.NO_SUCH_JOB: no_such_job,
    Exit.NOTHING_APPLIED: nothing_applied,
    Exit.IN_PART: in_part,
    Exit.LOCKED: locked,
    Exit.ROLLED_BACK: rolled_back,
    Exit.REFUSED: refused,
    Exit.NOT_VERIFIED: not_verified,
    Exit.ROW_FAILED: row_failed,
    Exit.MATRIX: matrix,
    Exit.DATABASE: out_of_reach,
    Exit.INTERRUPTED: interrupted,
}

# A lost answer needs a network that fails: the tests of the settlement produce it.
ELSEWHERE = {Exit.UNKNOWN}
# Of the commands that work on a store.
LATER = {Exit.STORE, Exit.SUPERSEDED, Exit.CANCELLED, Exit.OPEN, Exit.INCOMPATIBLE}


@pytest.mark.parametrize("code", SCENARIOS, ids=lambda code: f"{code.value} {code.name.lower()}")
def test_it_ends_with(database: Database, tmp_path: Path, code: Exit) -> None:
    said = SCENARIOS[code](database, tmp_path)
    assert said.code == code, said


def test_every_code_is_produced() -> None:
    assert set(SCENARIOS) == set(MEANING) - ELSEWHERE - LATER


def test_help_tells_every_code() -> None:
    words = cli.call("--help").stdout
    lines = [line.strip() for line in words.splitlines()]
    for code, meaning in MEANING.items():
        assert f"{code.value}  {meaning}" in lines
