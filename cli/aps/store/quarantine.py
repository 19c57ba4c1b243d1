"""Move one file aside, or back: a second name, then the first one away. Nothing is ever overwritten or lost.

`NAME` and `QUARANTINE/OPERATION/NAME` are two names below one root. The steps, and what holds after each of them:

- `judged`: the file is open, has the size and digest that were planned, and is the one meant from here on.
- `folder` (for each): a folder on the way to the new name stands, with the mode of the one it mirrors; killed just
  before it got that, it is closed to others. No move yet.
- `linked`: both names are of the judged file. The link is made from the open file, not from its name, so it can be no
  other; where the new name exists it fails.
- `synced`: the new name is safe on disk. The old one may go.
- `checked`: the file was not written to since it was judged, and the old name was still its own.
- `aside`: the old name is gone. What had it has a name by chance (`.aps-leaving-...`) in the folder of the quarantined
  one. Had another file taken the old name since `checked`, it is that one, and it goes back to its name.
- `removed`: that name is gone too; the file has its new name alone.
- `done`: that is safe on disk.

Killed anywhere, the next run goes on from what it finds. Both names on one file: the old one goes. The new one alone:
`already`. A name by chance: dropped where it is one more of the file that has the new name, else put back.

Of any number of runs at once just one takes the old name away. A name is dropped only where another one of the same
file is seen, so two operations at once may leave the file a name in each one's quarantine. A move keeps bytes, owner,
mode and time of modification (its age still counts from when it was written); only the inode's time of change is new.
Where there are no hard links there is no move.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress

from aps.store import folders, hashing, names
from aps.store.folders import Obstacle, Root, Unreadable
from aps.store.leaving import leave, sweep
from aps.store.linking import link
from aps.store.model import Expected, Moved, NotMoved, Pause
from aps.store.move import Move, Opened
from aps.store.names import QUARANTINE


def aside(
    root: Root, name: str, operation: str, expected: Expected, pause: Pause, safe: set[bytes]
) -> Moved:
    """Into quarantine. Where the name is gone: `already` if it lies there, under this operation or another."""
    move = Move(root, name, _place(name, operation), pause, into=True, safe=safe)
    try:
        return _run(move, expected)
    except NotMoved as reason:
        found = place(root, name, expected, None) if reason.outcome == "gone" else None
        if found is None:
            raise
        return Moved(found, already=True)


def back(root: Root, name: str, operation: str, expected: Expected, pause: Pause) -> Moved:
    """Out of quarantine, to its own name."""
    return _run(Move(root, _place(name, operation), name, pause, into=False, safe=set()), expected)


def _place(name: str, operation: str) -> str:
    fault = names.fault(name)
    if fault:
        raise NotMoved("blocked", f"{names.shown(name)}: {fault}")
    if names.fault(operation) or "/" in operation:
        raise ValueError(operation)
    return f"{QUARANTINE}/{operation}/{name}"


def _run(move: Move, expected: Expected) -> Moved:
    try:
        with ExitStack() as opening:
            return _moved(move, expected, opening)
    except OSError as error:
        raise NotMoved("failed", move.told(folders.reason(error))) from error
    except Unreadable as unreadable:
        raise NotMoved("failed", move.told(str(unreadable))) from None
    except Obstacle as obstacle:
        raise NotMoved("changed", move.told(str(obstacle))) from None


def _moved(move: Move, expected: Expected, opening: ExitStack) -> Moved:
    sweep(move)
    new = opening.enter_context(move.new())
    old = opening.enter_context(move.old())
    judged = _judged(move, old, new, expected)
    move.pause("judged")
    if old is None:
        folders.sync(judged.folder)
        return Moved(move.target, already=True)
    folder = new.folder if new else opening.enter_context(move.make_folders(old))
    if not new:
        link(move, old, folder)
    move.linked = True
    move.pause("linked")
    folders.sync(folder)
    move.pause("synced")
    if not hashing.same(judged.seen, os.fstat(judged.file)):
        raise Obstacle("it was written to while it was moved")
    taken = leave(move, old, folder)
    move.pause("removed")
    folders.sync(old.folder)
    move.pause("done")
    return Moved(move.target, already=not taken)


def _judged(move: Move, old: Opened | None, new: Opened | None, expected: Expected) -> Opened:
    """The one file that the names that stand are of, proved to be the expected one."""
    if old and new and folders.inode(old.seen) != folders.inode(new.seen):
        raise NotMoved("blocked", move.told(f"another file lies at {move.target} already"))
    judged = new or old
    if judged is None:
        raise NotMoved("gone", move.told("there is no such file"))
    other = _other_than(expected, judged)
    if other:
        raise NotMoved("changed", move.told(other))
    return judged


def _other_than(expected: Expected, judged: Opened) -> str | None:
    if judged.seen.st_size != expected.size:
        return f"it has {judged.seen.st_size} bytes, not the {expected.size} that were planned"
    digest = hashing.digest(judged.file, judged.seen, lambda _: None)
    return None if digest == expected.digest else f"it has other bytes than planned: {digest}"


def _unheard(_: str) -> None:
    pass


def place(root: Root, name: str, expected: Expected, operation: str | None) -> str | None:
    """Where in quarantine the expected file lies, of that operation or of any."""
    if names.fault(name):
        return None
    for one in _operations(root) if operation is None else [operation]:
        found = _place(name, one)
        with (
            suppress(Obstacle, OSError),
            Move(root, found, name, _unheard, into=False, safe=set()).old() as opened,
        ):
            if opened and _other_than(expected, opened) is None:
                return found
    return None


def _operations(root: Root) -> list[str]:
    try:
        with folders.listing(root.descriptor, QUARANTINE.encode()) as quarantine:
            return sorted(os.listdir(quarantine))
    except OSError:
        return []
