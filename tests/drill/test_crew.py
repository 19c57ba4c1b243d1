"""Units of work are shared out among processes: each is done once, and of a process that fails the reason is told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# In a process of its own: a crew is forked, and a test's process has threads and sessions.
_PROGRAM = """
import os, sys
from pathlib import Path
from aps.demo.family import Family
from aps.drill.explore import crew
from aps.errors import DatabaseError

home = Path(sys.argv[1])
family = Family(home, home / "workers.log")

def begin(name):
    def work(unit):
        {work}
    return work

try:
    print(sorted(crew.share(family, 40, begin, "crew")))
except DatabaseError as error:
    print(error)
finally:
    family.end()
"""


def crew(home: Path, work: str) -> str:
    home.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(work=work), str(home)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert not home.exists()
    return done.stdout.strip()


def test_every_unit_is_done_once_and_told_with_what_came_of_it(tmp_path: Path) -> None:
    told = crew(tmp_path / "home", "return unit * unit")
    assert told == str([(unit, unit * unit) for unit in range(40)])


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        ("return [].pop()", "IndexError: pop from empty list"),
        ("os._exit(3)", "it left no word"),
    ],
)
def test_of_a_process_that_fails_its_last_words_are_told(
    tmp_path: Path, work: str, reason: str
) -> None:
    told = crew(tmp_path / "home", work)
    assert told == f"a process that explored ended before its work was done: {reason}"
