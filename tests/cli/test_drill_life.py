"""However a drill ends, at whatever moment: soon no process and no file of it is left."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from aps.exits import Exit
from tests.support import drilling
from tests.support.drilling import Drilling
from tests.support.terminal import terminal
from tests.support.watching import eventually

pytestmark = pytest.mark.slow

ENDS = {
    signal.SIGINT: Exit.INTERRUPTED,
    signal.SIGTERM: 128 + signal.SIGTERM,
    signal.SIGHUP: 128 + signal.SIGHUP,
    signal.SIGKILL: -signal.SIGKILL,
}
_LIMIT = "LIMIT 1 FOR"
_ENDLESS = "LIMIT (SELECT 1 FROM pg_sleep(600)) FOR"


@pytest.fixture
def stuck(tmp_path: Path) -> str:
    """A copy of the queue in which a claim never ends: the drill stands in the middle of its first rehearsal."""
    return drilling.broken(tmp_path, "worker/claim.sql", _LIMIT, _ENDLESS)


def midway(drill: Drilling) -> None:
    """Wait for the two workers of the first rehearsal, and stop one of them: it hears no signal but one."""
    drill.told("1 of 1: Two claimers")
    assert eventually(lambda: len(drill.workers()) == 2)
    os.kill(drill.workers()[0], signal.SIGSTOP)


@pytest.mark.parametrize("sign", ENDS, ids=lambda sign: sign.name)
def test_a_command_that_is_told_to_end_in_mid_rehearsal_leaves_nothing(
    sign: signal.Signals, stuck: str
) -> None:
    with drilling.drilling("--group", "1", "--pack", stuck) as drill:
        midway(drill)
        drill.signal(sign)
        ended = drill.end()
        if sign != signal.SIGKILL:
            assert os.listdir(drill.folder) == []
        assert drill.gone()
    assert (ended.code, ended.stdout) == (ENDS[sign], "")
    said = "interrupted: 0 of 1 rehearsed; nothing of it is left\n"
    assert ended.stderr == (said if sign == signal.SIGINT else "")


@pytest.mark.parametrize("step", ["starting a private PostgreSQL", "preparing the queue"])
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL], ids=lambda sign: sign.name)
def test_a_command_that_is_told_to_end_in_its_start_leaves_nothing(
    sign: signal.Signals, step: str
) -> None:
    with drilling.drilling("--group", "1") as drill:
        drill.told(step)
        drill.signal(sign)
        assert drill.end().code == ENDS[sign]
        assert drill.gone()


def test_a_process_that_is_killed_in_mid_rehearsal_leaves_nothing_and_that_one_unfinished(
    stuck: str,
) -> None:
    with drilling.drilling("--group", "1", "--pack", stuck) as drill:
        midway(drill)
        os.kill(drill.process, signal.SIGKILL)
        ended = drill.end()
        assert drill.gone()
    assert ended.code == Exit.UNDETERMINED
    assert "its process was killed by signal 9 (SIGKILL)" in ended.stdout
    assert ended.stdout.endswith("\ndrill: UNFINISHED: 1 two claimers\n")


def test_after_ctrl_c_what_was_finished_is_shown_and_no_report_is_written(tmp_path: Path) -> None:
    stuck = drilling.broken(tmp_path, "worker/adopt.sql", _LIMIT, _ENDLESS)
    output = tmp_path / "report.json"
    words = ("--group", "1", "--group", "6", "--pack", stuck, "--output", str(output))
    with drilling.drilling(*words) as drill:
        drill.told("2 of 2")
        drill.signal(signal.SIGINT)
        ended = drill.end()
        assert drill.gone()
    assert ended.code == Exit.INTERRUPTED
    assert ended.stdout.count("Two claimers get different jobs") == 2
    assert ended.stdout.splitlines()[-1].split()[:2] == ["1", "group"]
    assert ended.stderr == "interrupted: 1 of 2 rehearsed; nothing of it is left\n"
    assert os.listdir(tmp_path) == ["copy"]


def test_on_a_terminal_the_progress_is_alive_and_leaves_no_trace() -> None:
    with terminal("drill", "--group", "1") as person:
        person.until("1 of 1: Two claimers get different jobs")
        assert person.end() == Exit.CLEAR
    lines = person.seen.replace("\r", "\n").split("\n")
    assert lines[-2].startswith("drill: the one that was asked for holds on PostgreSQL ")
    # The cursor is there again, as often as it was hidden.
    assert person.seen.count("\x1b[?25h") >= person.seen.count("\x1b[?25l") > 0
