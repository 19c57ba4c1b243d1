"""Take a name away from one file, and from no other that may have taken the name by then.

The kernel removes by name, not by file. So the name's entry is moved to a name that chance made, where nobody else
looks; there it is compared, and only then removed, or put back. It is removed only while the name that is to stay is
seen to be of the same file. Each run takes its name aside before it looks for the other, so that a move and its
reverse, at the same time, cannot both remove.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from contextlib import suppress

from aps.store import folders, names
from aps.store.folders import Absent, Obstacle
from aps.store.model import NotMoved
from aps.store.move import Move, Opened


def leave(move: Move, old: Opened, folder: int) -> bool:
    """Did this call take the old name away. Raises OSError, NotMoved; whatever else had the name keeps it."""
    try:
        standing = folders.status(old.folder, old.leaf)
    except Absent:
        return False
    if folders.inode(standing) != folders.inode(old.seen):
        raise _taken(move)
    move.pause("checked")
    hold = folder if move.into else old.folder
    spare = _prefix(move.source) + secrets.token_hex(8).encode()
    try:
        os.rename(old.leaf, spare, src_dir_fd=old.folder, dst_dir_fd=hold)
    except FileNotFoundError:
        return False
    move.pause("aside")
    if not _drop(hold, spare, old, folder):
        _put_back(move, hold, spare, old.folder, old.leaf)
        raise _taken(move)
    return True


def _taken(move: Move) -> NotMoved:
    return NotMoved(
        "changed", move.told("one of its names was taken by another while it was moved")
    )


def sweep(move: Move) -> None:
    """Settle the names by chance that killed runs of this move or its reverse left. Raises OSError, Obstacle."""
    with move.new() as new, move.old() as old:
        kept = new or old
        # The quarantined file is where they lie: with one name, and not there yet, it has left none.
        if kept is None or (move.into and new is None and kept.seen.st_nlink == 1):
            return
        for name in (move.source, move.target):
            _sweep(move, kept, name)


def _sweep(move: Move, kept: Opened, name: str) -> None:
    *way, leaf = names.parts(name)
    *aside, _ = names.parts(move.target if move.into else move.source)
    try:
        with (
            folders.passing(move.root.descriptor, aside) as hold,
            folders.passing(move.root.descriptor, way) as folder,
        ):
            for spare in _left(hold, _prefix(name)):
                if not _drop(hold, spare, kept, kept.folder):
                    _put_back(move, hold, spare, folder, leaf)
    except Absent:
        return


def _left(hold: int, prefix: bytes) -> list[bytes]:
    with folders.listing(hold) as listed:
        return [name for name in map(os.fsencode, os.listdir(listed)) if name.startswith(prefix)]


def _prefix(name: str) -> bytes:
    return b".aps-leaving-" + hashlib.sha256(names.raw(name)).hexdigest()[:16].encode() + b"-"


def _drop(hold: int, spare: bytes, judged: Opened, stays: int) -> bool:
    """Remove the name if it is one more of the judged file; False where it is another's, or where it is the last."""
    kept = folders.inode(judged.seen)
    try:
        if folders.inode(folders.status(hold, spare)) != kept:
            return False
    except Absent:
        # A run of the same move at the same time has settled it.
        return True
    try:
        if folders.inode(folders.status(stays, judged.leaf)) != kept:
            return False
    except Absent:
        return False
    with suppress(FileNotFoundError):
        os.unlink(spare, dir_fd=hold)
    return True


def _put_back(move: Move, hold: int, spare: bytes, folder: int, leaf: bytes) -> None:
    """To its own name, unless another file has taken that: then it stays, and is told of."""
    try:
        found = folders.status(hold, spare)
        if stat.S_ISDIR(found.st_mode):
            os.rename(spare, leaf, src_dir_fd=hold, dst_dir_fd=folder)
            return
        with suppress(FileExistsError):
            os.link(spare, leaf, src_dir_fd=hold, dst_dir_fd=folder, follow_symlinks=False)
        if folders.inode(folders.status(folder, leaf)) != folders.inode(found):
            raise _stays(move, spare, "another one has it now")
        os.unlink(spare, dir_fd=hold)
    except (Absent, FileNotFoundError):
        # A run of the same move at the same time has settled it.
        return
    except OSError as error:
        raise _stays(move, spare, folders.reason(error)) from error


def _stays(move: Move, spare: bytes, reason: str) -> Obstacle:
    beside = names.shown(move.target if move.into else move.source)
    return Obstacle(
        f"a file that had its name for a moment could not be put back ({reason}); "
        f"it lies beside {beside} as {names.shown(names.text(spare))}"
    )
