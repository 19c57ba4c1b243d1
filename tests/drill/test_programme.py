"""What the drill tells of the queue is so: each group and trial is played on each server."""

from __future__ import annotations

import json

import pytest

from aps.drill.programme import SCRIPTS
from aps.exits import Exit
from tests.support import cli
from tests.support.database import Server

pytestmark = pytest.mark.slow


def test_every_group_and_trial_holds(server: Server) -> None:
    numbers = [word for number in SCRIPTS for word in ("--group", str(number))]
    prefix = ("--postgres-prefix", str(server.binaries.folder.parent))
    said = cli.call("drill", *numbers, *prefix, "--format", "json", "--quiet")
    assert said.code == Exit.CLEAR, said.stdout
    told = json.loads(said.stdout)
    rehearsed = {one["number"]: one["verdict"] for one in told["rehearsals"]}
    assert rehearsed == dict.fromkeys(SCRIPTS, "holds")
    assert told["versions"]["postgresql"].split()[1] == server.binaries.version
