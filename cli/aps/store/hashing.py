"""sha256 of an open file, with proof that it was one file all the while.

Size and time of change are compared before and after. A file that is written in place through a memory map, or twice
within one tick of the file system's clock (1 to 10 ms on a local disk), may escape that.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from typing import Final

from aps.store.folders import Obstacle, Unreadable, reason

BLOCK: Final = 1 << 20


def digest(file: int, before: os.stat_result, told: Callable[[int], None]) -> str:
    """`sha256:` and hex over the bytes of the file; each block's length is told. Raises Obstacle."""
    sha256 = hashlib.sha256()
    block = memoryview(bytearray(min(BLOCK, before.st_size)))
    left = before.st_size
    try:
        while left and (got := os.readv(file, [block[:left]])):
            sha256.update(block[:got])
            left -= got
            told(got)
        after = os.fstat(file)
    except OSError as error:
        raise Unreadable(reason(error)) from None
    if left or not same(before, after):
        raise Obstacle("changed while it was read")
    return f"sha256:{sha256.hexdigest()}"


def same(before: os.stat_result, after: os.stat_result) -> bool:
    """Has nothing been written between the two."""
    return (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
