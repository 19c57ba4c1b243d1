"""Give an open file a second name, without overwriting."""

from __future__ import annotations

import errno
import os
from typing import Final

from aps.store import folders
from aps.store.folders import Absent, Obstacle
from aps.store.model import NotMoved
from aps.store.move import Move, Opened

_OPEN_FILES: Final = "/proc/self/fd"
_NO_LINKS: Final = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)


def link(move: Move, old: Opened, folder: int) -> None:
    """Afterwards the new name is of the judged file, whoever made it. Raises OSError, Obstacle, NotMoved."""
    try:
        _link(old, folder)
    except FileExistsError:
        pass
    except FileNotFoundError:
        raise Obstacle("it was removed while it was moved") from None
    except OSError as error:
        raise _refused(move, error) from error
    try:
        linked = folders.status(folder, old.leaf)
    except Absent:
        raise Obstacle(f"{move.target} was removed while it was made") from None
    if folders.inode(linked) != folders.inode(old.seen):
        raise NotMoved("blocked", move.told(f"another file took {move.target}"))


def _link(old: Opened, folder: int) -> None:
    """Without /proc only the old name can be linked, whatever has it by now: the caller compares, nothing is lost."""
    if os.path.isdir(_OPEN_FILES):
        os.link(f"{_OPEN_FILES}/{old.file}", old.leaf, dst_dir_fd=folder)
    else:
        os.link(old.leaf, old.leaf, src_dir_fd=old.folder, dst_dir_fd=folder, follow_symlinks=False)


def _refused(move: Move, error: OSError) -> OSError | NotMoved:
    said = folders.reason(error)
    if error.errno == errno.EXDEV:
        return NotMoved(
            "blocked", move.told("it lies on another file system than the store's root")
        )
    if error.errno in _NO_LINKS:
        text = f"no hard link can be made to it ({said}); it was not moved, as there is no other safe way"
        return NotMoved("blocked", move.told(text))
    return error
