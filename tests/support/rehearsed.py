"""One script of `aps drill`, run in its own process on a pack of the test's choice."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from aps import packs
from aps.demo.binaries import Binaries
from aps.drill.programme import SCRIPTS
from tests.support import cli, memory


def rehearsed(
    binaries: Binaries, name: str, pack: str = str(packs.HOME), before: str = ""
) -> dict[str, Any]:
    """What came of it, after `before` was done in its process."""
    (number,) = (number for number, (_, script) in SCRIPTS.items() if script.name == name)
    config = {"pack": pack, "prefix": str(binaries.folder.parent), "groups": [number]}
    code = f"{before}\nfrom aps.drill import process\nprocess.main()"
    run = subprocess.run(
        [sys.executable, "-P", "-c", code, json.dumps(config)],
        env=cli.environment({"TMPDIR": str(memory.place())}),
        capture_output=True,
        text=True,
        timeout=cli.TIMEOUT,
        check=False,
    )
    told = [json.loads(line) for line in run.stdout.splitlines()]
    (result,) = (one["rehearsal"] for one in told if "rehearsal" in one)
    return dict(result)


def noticed(rehearsal: dict[str, Any], observation: str) -> None:
    """Broken, and by that observation."""
    failed = [one["what"] for one in rehearsal["observations"] if not one["holds"]]
    assert (rehearsal["verdict"], observation in failed) == ("broken", True), rehearsal
