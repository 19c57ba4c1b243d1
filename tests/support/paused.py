"""`aps` as a process that stops at one named step: it says so on stdout and goes on when told on stdin.

`STEP:2` is the second time that the step is reached. The steps of a move of a file are those of `aps.store.quarantine`.
"""

from __future__ import annotations

import sys
from functools import partial
from unittest import mock

from aps.main import main
from aps.run import Run
from aps.store import LocalStore


def run(at: str) -> None:
    step, _, time = at.partition(":")
    left = [int(time or 1)]

    def pause(reached: str) -> None:
        left[0] -= reached == step
        if reached == step and left[0] == 0:
            print(f"@{at}", flush=True)
            sys.stdin.readline()

    with (
        mock.patch("aps.run.Run", partial(Run, pause=pause)),
        mock.patch.object(LocalStore.__init__, "__defaults__", (pause,)),
    ):
        main()


if __name__ == "__main__":
    run(sys.argv.pop(1))
