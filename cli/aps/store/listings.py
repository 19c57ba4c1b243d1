"""The JSON that `rclone lsjson --hash -R` prints, read into entries: everything that is wrong at once, by number.

What rclone leaves out was tried (1.75): the listing of a folder that cannot be read, or does not exist, ends after `[`
or has the folder without its content; a file that cannot be read has no hashes; links and pipes are not listed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from aps.errors import StoreError

_SHA256: Final = "sha256"
_SHA256_LENGTH: Final = 64
_HEX: Final = re.compile(r"[0-9a-f]+")
_FAULTS_TOLD: Final = 5


@dataclass(frozen=True, slots=True)
class Entry:
    """`size` None: the tool could not tell."""

    path: str
    folder: bool
    size: int | None
    digest: str | None


class _Fault(str):
    """What is wrong with one entry."""


def entries(content: bytes, where: str) -> Iterator[Entry]:
    """In the order of the listing, which is not empty. Raises StoreError; the first entry has the number 1."""
    read = _read(content, where)
    faults = [
        f"entry {number}: {one if isinstance(one, _Fault) else 'no object with a Path'}"
        for number, one in enumerate(read, 1)
        if not isinstance(one, Entry)
    ]
    if faults:
        more = len(faults) - _FAULTS_TOLD
        rest = f"; and {more} more" if more > 0 else ""
        raise StoreError(f"{where}: {'; '.join(faults[:_FAULTS_TOLD])}{rest}")
    return (one for one in read if isinstance(one, Entry))


def _read(content: bytes, where: str) -> list[object]:
    try:
        # Each object becomes an entry as soon as it ends: the parsed listing is never in memory whole.
        read = json.loads(content.decode("utf-8-sig"), object_hook=_object)
    except UnicodeDecodeError as error:
        raise StoreError(f"{where}: not UTF-8 at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise StoreError(
            f"{where}: not JSON, or cut off, at line {error.lineno}, column {error.colno} "
            f"({error.msg}); did the tool that made it fail?"
        ) from None
    except RecursionError:
        raise StoreError(f"{where}: nested too deep to be a listing") from None
    if not isinstance(read, list):
        raise StoreError(f"{where}: not the array that `rclone lsjson --hash -R` prints")
    if not read:
        raise StoreError(f"{where}: the listing is empty, as that of a wrong folder would be")
    return read


def _object(held: dict[str, object]) -> object:
    return _entry(held) if "Path" in held else held


def _entry(held: dict[str, object]) -> Entry | _Fault:
    path, size, folder = held["Path"], held.get("Size", -1), held.get("IsDir", False)
    if not isinstance(path, str):
        return _Fault("Path is no text")
    if not isinstance(folder, bool):
        return _Fault("IsDir is neither true nor false")
    if not isinstance(size, int) or isinstance(size, bool):
        return _Fault("Size is no whole number")
    hashes = held.get("Hashes")
    if hashes is None:
        hashes = {}
    digest = _digest(hashes) if isinstance(hashes, dict) else _Fault("Hashes is no object")
    if isinstance(digest, _Fault):
        return digest
    return Entry(path, folder, size if size >= 0 else None, digest)


def _digest(hashes: dict[object, object]) -> str | _Fault | None:
    """sha256 where it is there, else the first by name; an empty text is how rclone says that it has none."""
    known = {}
    for method, value in hashes.items():
        if not isinstance(value, str):
            return _Fault(f"the hash {method} is no text")
        if value:
            known[str(method).lower().replace("-", "")] = value.lower()
    if not known:
        return None
    method = _SHA256 if _SHA256 in known else min(known)
    value = known[method]
    if not _HEX.fullmatch(value) or (method == _SHA256 and len(value) != _SHA256_LENGTH):
        return _Fault(f"the hash {method} is not hex of its length")
    return f"{method}:{value}"
