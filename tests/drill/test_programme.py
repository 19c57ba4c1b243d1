"""What the drill tells of the queue is so: each group and trial is played on each server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aps.drill.programme import SCRIPTS
from aps.exits import Exit
from tests.support import cli
from tests.support.database import Server

pytestmark = pytest.mark.slow


def test_every_group_and_trial_holds(server: Server, tmp_path: Path) -> None:
    output = tmp_path / "report.json"
    numbers = [word for number in SCRIPTS for word in ("--group", str(number))]
    prefix = ("--postgres-prefix", str(server.binaries.folder.parent))
    said = cli.call("drill", *numbers, *prefix, "--output", str(output), "--quiet")
    assert said.code == Exit.CLEAR, said.stdout
    told = json.loads(output.read_text(encoding="utf-8"))
    rehearsed = {one["number"]: one["verdict"] for one in told["rehearsals"]}
    assert rehearsed == dict.fromkeys(SCRIPTS, "holds")
    assert told["versions"]["postgresql"].split()[1] == server.binaries.version
