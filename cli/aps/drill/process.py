"""The process that owns a drill: its server, workers and files end with it, however it ends.

Started as `python -m aps.drill.process CONFIG`, JSON of a Config; tells its starter a line of JSON a message. A signal
ends it at once, with nothing left to do: what takes the server, the workers and the files away are processes and pipes
that notice its death, whatever it died of.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aps.demo import cluster
from aps.demo.binaries import Binaries
from aps.demo.cluster import Cluster
from aps.demo.family import Family
from aps.drill.heard import Begun
from aps.errors import ApsError, DatabaseError

if TYPE_CHECKING:
    from aps.drill.ground import Yard
    from aps.drill.part import Part, Played

_PR_SET_PDEATHSIG: Final = 1
_AGAIN: Final = 10
_SETTINGS: Final = {"deadlock_timeout": "50ms", "max_connections": "200"}


@dataclass(frozen=True, slots=True)
class Config:
    """What is to be run: `groups` by number, all where empty. It ends with the process `starter`."""

    pack: str
    prefix: str | None = None
    groups: tuple[str, ...] = ()
    starter: int | None = None


def main() -> None:
    given = json.loads(sys.argv[1])
    groups = tuple(map(str, given.get("groups", ())))
    config = Config(given["pack"], given.get("prefix"), groups, given.get("starter"))
    _end_with(config.starter)
    for name in [name for name in os.environ if name.startswith(("PG", "APS_"))]:
        # What the caller set for other databases must not reach this one.
        del os.environ[name]
    began = time.monotonic()
    try:
        _run(config)
        # The last word: all is gone by now.
        tell(done=round(time.monotonic() - began, 3))
    except ApsError as error:
        tell(error=str(error), exit=error.exit_code)


def _end_with(starter: int | None) -> None:
    # An exception in its place could be swallowed by what is being rehearsed.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, _too_long)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # It may have died before it was asked about.
    if starter is not None and os.getppid() != starter:
        os._exit(1)


def _run(config: Config) -> None:
    # Not before it is sure to end with its starter: the driver takes longer to load than the server to start.
    from aps.drill import circumstances, ground, programme
    from aps.render import tree

    pack = ground.checked(Path(config.pack))
    parts = programme.chosen(config.groups)
    binaries = Binaries.find(Path(config.prefix) if config.prefix else None)
    home = cluster.new_home()
    family = Family(home, home / "workers.log")
    try:
        tell(home=str(home))
        os.chdir(home)
        tell(step=f"starting a private PostgreSQL {binaries.version}")
        with _server(home, binaries) as server:
            tell(step="preparing the queue")
            yard = ground.Yard(server, family, home, pack)
            yard.prepare()
            tell(head=tree.of(circumstances.of(yard)))
            for place, (number, part) in enumerate(parts.items(), start=1):
                begun = Begun(number, part.kind, part.name, part.title, place, len(parts))
                tell(begun=tree.of(begun))
                tell(**tree.of(_played(yard, number, part)))
    finally:
        family.end()


def _server(home: Path, binaries: Binaries) -> Cluster:
    sockets = home / "sockets"
    return cluster.start(home / "data", binaries, keep=False, settings=_SETTINGS, sockets=sockets)


def _played(yard: Yard, number: int, part: Part) -> Played:
    signal.alarm(part.limit or 0)
    try:
        return part.play(yard, number, lambda step: tell(step=step))
    finally:
        signal.alarm(0)


def _too_long(*_: object) -> None:
    # Again where it was swallowed.
    signal.alarm(_AGAIN)
    raise DatabaseError("it took too long and was broken off")


def tell(**message: object) -> None:
    """Where nobody hears it any more it is over."""
    try:
        print(json.dumps(message), flush=True)
    except BrokenPipeError:
        os._exit(1)


if __name__ == "__main__":
    main()
