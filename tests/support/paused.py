"""`aps` as a process that stops at one named step: it says so on stdout and goes on when told on stdin."""

from __future__ import annotations

import sys
from functools import partial
from unittest import mock

from aps.main import main
from aps.run import Run


def run(step: str) -> None:
    def pause(reached: str) -> None:
        if reached == step:
            print(f"@{reached}", flush=True)
            sys.stdin.readline()

    with mock.patch("aps.run.Run", partial(Run, pause=pause)):
        main()


if __name__ == "__main__":
    run(sys.argv.pop(1))
