"""What the work on a folder costs without aps: `stat` of every file, or sha256 of its bytes by some threads."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor


def main() -> None:
    what, root = sys.argv[1:]
    if what == "stat":
        print(sum(os.stat(path).st_size for path in _files(root)))
        return
    with ThreadPoolExecutor(int(what)) as pool:
        hashed = pool.map(_sha256, _files(root)) if what != "1" else map(_sha256, _files(root))
        print(len(set(hashed)))


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files(entry.path)
            else:
                yield entry.path


def _sha256(path: str) -> bytes:
    sha256 = hashlib.sha256()
    file = os.open(path, os.O_RDONLY)
    try:
        block = memoryview(bytearray(min(1 << 20, os.fstat(file).st_size)))
        while block and (got := os.readv(file, [block])):
            sha256.update(block[:got])
    finally:
        os.close(file)
    return sha256.digest()


if __name__ == "__main__":
    main()
