"""The units of an exploration, shared out among forked processes, each with a queue of its own."""

from __future__ import annotations

import json
import os
import selectors
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, Final

from aps.demo.family import Family
from aps.errors import DatabaseError

# Two at least: while one waits for its server, the other works.
_LEAST: Final = 2
_MOST: Final = 4

# Does the unit of that number, in the process of that name; what it returns must be JSON.
Work = Callable[[int], object]


def share(
    family: Family, units: int, begin: Callable[[str], Work], name: str
) -> Iterator[tuple[int, Any]]:
    """Each unit with what came of it, in the order in which they end. `begin` is called once in each process.

    Nobody may hold a session or a thread. Raises DatabaseError where a process ends before its work is done.
    """
    queue, full = os.pipe()
    os.write(full, b"".join(unit.to_bytes(4, "big") for unit in range(units)))
    os.close(full)
    processes: dict[int, int] = {}
    for number in range(max(_LEAST, min(_MOST, os.cpu_count() or _LEAST, units))):
        news, told = os.pipe()
        run = _runner(queue, told, begin, f"{name}_{number}")
        processes[news] = family.fork(run, keep=(queue, told))
        os.close(told)
    os.close(queue)
    yield from _heard(family, processes)


def _runner(queue: int, told: int, begin: Callable[[str], Work], name: str) -> Callable[[], None]:
    def run() -> None:
        work = begin(name)
        while taken := os.read(queue, 4):
            unit = int.from_bytes(taken, "big")
            line = json.dumps([unit, work(unit)]).encode() + b"\n"
            while line:
                line = line[os.write(told, line) :]

    return run


def _heard(family: Family, processes: dict[int, int]) -> Iterator[tuple[int, Any]]:
    rest = dict.fromkeys(processes, b"")
    with selectors.DefaultSelector() as selector, ExitStack() as closing:
        for news in processes:
            selector.register(news, selectors.EVENT_READ)
            closing.callback(os.close, news)
        while selector.get_map():
            for key, _ in selector.select():
                news = int(key.fd)
                read = os.read(news, 1 << 16)
                *lines, rest[news] = (rest[news] + read).split(b"\n")
                yield from (tuple(json.loads(line)) for line in lines)
                if not read:
                    selector.unregister(news)
                    if family.reap(processes[news]) != 0:
                        raise DatabaseError(f"{_DIED}: {family.last_words() or _SILENT}")


_DIED: Final = "a process that explored ended before its work was done"
_SILENT: Final = "it left no word"
