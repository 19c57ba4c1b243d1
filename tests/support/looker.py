"""`python -m tests.support.looker WORDS`: the exit code of `aps WORDS`, then what it prints; never fails itself."""

from __future__ import annotations

import sys

from tests.support import cli

if __name__ == "__main__":
    said = cli.call(*sys.argv[1:])
    sys.stdout.write(f"{said.code}\n{said.stdout}")
    sys.stderr.write(said.stderr)
