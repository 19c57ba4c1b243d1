"""A real worker process in the middle of its file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SCRIPT = Path(__file__).with_name("writer.py")


@contextmanager
def writing(file: Path, step: int = 4096) -> Iterator[subprocess.Popen[bytes]]:
    """It has begun, and writes on; killed at the end at the latest."""
    file.parent.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-P", str(_SCRIPT), str(file), str(step)], stdout=subprocess.PIPE
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == b"writing\n"
        yield process
    finally:
        process.kill()
        process.communicate(timeout=60)
