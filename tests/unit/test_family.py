from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.demo import PACKAGES
from tests.support.watching import eventually, is_gone

# A parent with a fork that runs and one that stands still; it tells their numbers and waits.
_PARENT = """
import os, signal, sys, time
from pathlib import Path
from aps.demo import family
home, how = Path(sys.argv[1]), sys.argv[2]
if how == "by its caretaker":
    family._die_with = lambda parent: None
group = family.Family(home, home / "log")
def sleep():
    print("for the log", flush=True)
    os.write(news, b".")
    time.sleep(600)
heard, news = os.pipe()
forks = [group.fork(sleep, keep=(news,)) for _ in range(2)]
for _ in forks:
    os.read(heard, 1)
os.kill(forks[1], signal.SIGSTOP)
print(*forks, flush=True)
sys.stdin.read()
if how == "in good order":
    group.end()
    print(home.exists(), flush=True)
"""


@pytest.mark.parametrize("how", ["by the system", "by its caretaker", "in good order"])
def test_forks_end_with_their_parent_and_their_folder_goes(tmp_path: Path, how: str) -> None:
    home = tmp_path / "the home"
    home.mkdir()
    argv = [sys.executable, "-P", "-c", _PARENT, str(home), how]
    with subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": PACKAGES},
        start_new_session=True,
    ) as parent:
        assert parent.stdout
        assert parent.stdin
        forks = [int(pid) for pid in parent.stdout.readline().split()]
        assert not any(map(is_gone, forks))
        assert (home / "log").read_text() == "for the log\n" * 2
        if how == "in good order":
            parent.stdin.close()
            assert parent.stdout.readline() == "False\n"
            assert parent.wait() == 0
        else:
            parent.kill()
        assert eventually(lambda: all(map(is_gone, forks)) and not home.exists())
