"""The process that owns a demo: its server and workers end with it, however it ends.

Started as `python -m aps.demo.supervisor IDLE_SECONDS`; tells its starter, a line of JSON a message, how far it is.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Final

from aps.demo import cluster, queue, state
from aps.demo.binaries import Binaries
from aps.demo.cluster import Cluster
from aps.demo.family import Family
from aps.demo.state import Demo
from aps.errors import ApsError

_DATABASE: Final = "exports"
_LOOK_EVERY: Final = 1.0


def main() -> None:
    idle = float(sys.argv[1])
    # The starter waits for the first process only; nobody waits for this one.
    if os.fork():
        os._exit(0)
    _tell(pid=os.getpid())
    for name in [name for name in os.environ if name.startswith("PG")]:
        # What the caller set for other databases must not reach this one.
        del os.environ[name]
    state.live()
    try:
        _run(idle)
    except ApsError as error:
        _tell(error=str(error))


def _run(idle: float) -> None:
    home = cluster.new_folder()
    os.chdir(home)
    family = Family(home, home / "workers.log")
    try:
        binaries = Binaries.find()
        _tell(step=f"starting a private PostgreSQL {binaries.version}")
        with cluster.start(home / "data", binaries, keep=False) as server:
            state.write(_stage(server, family, home, binaries.version))
            _tell(ready=True)
            _leave_starter()
            _wait(idle)
            state.remove()
    finally:
        state.remove()
        family.end()


def _stage(server: Cluster, family: Family, home: Path, version: str) -> Demo:
    # Loaded while nothing waits for it: the driver takes longer to load than the server to start.
    from aps.demo import stage

    _tell(step="creating the queue")
    store = home / "store"
    (store / "inputs").mkdir(parents=True)
    queue.create(server, _DATABASE)
    queue.bind(server, _DATABASE, store)
    dsns = {role: server.dsn(_DATABASE, login) for role, login in queue.LOGINS.items()}
    _tell(step="letting workers publish, fail, hang and die")
    scene = stage.Stage(family, dsns["aps_work"], store).play()
    return Demo(
        supervisor=os.getpid(),
        server=server.pid or 0,
        version=version,
        home=str(home),
        sockets=str(server.sockets),
        store=str(store),
        dsns=dsns,
        workers=scene.workers,
        jobs=scene.jobs,
    )


def _wait(idle: float) -> None:
    """Until SIGTERM or SIGINT, until nobody used the demo for `idle` seconds, or until nobody can find it any more."""
    told, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, lambda *_: None)
    while not select.select([told], [], [], _LOOK_EVERY)[0]:
        used = state.used_at()
        if used is None or time.time() - used > idle:
            return


def _tell(**message: object) -> None:
    print(json.dumps(message), flush=True)


def _leave_starter() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.close(nothing)


if __name__ == "__main__":
    main()
