"""What the root of a store allows, tried with a file of aps's own that is gone again at once."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Final

from aps.store import folders
from aps.store.names import IDENTITY_NAME, shown, text

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# A root with more entries than this is not read to its end.
_ENTRIES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Fitness:
    """`refused` is the system's reason where a file or a link could not be made; `free` is in bytes.

    `elsewhere` names folders directly below the root that lie on another file system.
    """

    writable: bool
    links: bool
    refused: str | None
    free: int
    elsewhere: tuple[str, ...]


def of(root: int) -> Fitness:
    """Raises OSError where the root cannot be looked at."""
    room = os.statvfs(root)
    writable, links, refused = _tried(root)
    return Fitness(writable, links, refused, room.f_bavail * room.f_frsize, _elsewhere(root))


def _tried(root: int) -> tuple[bool, bool, str | None]:
    # Such a name is aps's own: no walk tells it, should we be killed in between.
    name = f"{IDENTITY_NAME}.{secrets.token_hex(8)}"
    try:
        os.close(os.open(name, _NEW, 0o600, dir_fd=root))
    except OSError as error:
        return False, False, folders.reason(error)
    try:
        os.link(name, f"{name}.link", src_dir_fd=root, dst_dir_fd=root, follow_symlinks=False)
    except OSError as error:
        return True, False, folders.reason(error)
    finally:
        for made in (name, f"{name}.link"):
            with suppress(OSError):
                os.unlink(made, dir_fd=root)
    return True, True, None


def _elsewhere(root: int) -> tuple[str, ...]:
    device = os.fstat(root).st_dev
    found = []
    with os.scandir(root) as entries:
        for entry in islice(entries, _ENTRIES):
            with suppress(OSError):
                if (
                    entry.is_dir(follow_symlinks=False)
                    and entry.stat(follow_symlinks=False).st_dev != device
                ):
                    found.append(shown(text(os.fsencode(entry.name))))
    return tuple(sorted(found))
