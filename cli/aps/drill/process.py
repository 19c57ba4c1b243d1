"""The process that owns a drill: its server, workers and files end with it, however it ends.

Started as `python -m aps.drill.process CONFIG`, JSON of a Config; tells its starter a line of JSON a message.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aps.demo import cluster
from aps.demo.binaries import Binaries
from aps.demo.family import Family
from aps.errors import ApsError

_PR_SET_PDEATHSIG: Final = 1
_SETTINGS: Final = {"deadlock_timeout": "50ms", "max_connections": "200"}


@dataclass(frozen=True, slots=True)
class Config:
    """What is to be run: `groups` by number, all where empty."""

    pack: str
    prefix: str | None = None
    groups: tuple[int, ...] = ()


def main() -> None:
    given = json.loads(sys.argv[1])
    config = Config(given["pack"], given.get("prefix"), tuple(given.get("groups", ())))
    if sys.platform == "linux":
        # Its starter may be killed without a word.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for name in [name for name in os.environ if name.startswith("PG")]:
        # What the caller set for other databases must not reach this one.
        del os.environ[name]
    try:
        _run(config)
    except ApsError as error:
        tell(error=str(error))


def _run(config: Config) -> None:
    from aps.drill.ground import Yard
    from aps.drill.programme import SCRIPTS
    from aps.drill.rehearsing import rehearse
    from aps.render import tree

    home = cluster.new_folder()
    os.chdir(home)
    family = Family(home, home / "workers.log")
    try:
        binaries = Binaries.find(Path(config.prefix) if config.prefix else None)
        with cluster.start(home / "data", binaries, keep=False, settings=_SETTINGS) as server:
            yard = Yard(server, family, home, Path(config.pack))
            yard.prepare()
            for number, (kind, script) in SCRIPTS.items():
                if not config.groups or number in config.groups:
                    tell(rehearsal=tree.of(rehearse(yard, number, kind, script)))
    finally:
        family.end()


def tell(**message: object) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
