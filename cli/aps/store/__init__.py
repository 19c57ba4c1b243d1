"""Artifact stores: where published files lie. One small protocol; local folders are the first that keep it.

A store is named by the operator (`--store URL`), never by the database. Names are relative, `/` between folders; a name
that is absolute, climbs out, holds control characters or passes a symbolic link is refused, and an error is never
absence. Nothing here deletes the last name of a file.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from aps.errors import StoreError
from aps.store.local import LocalStore
from aps.store.model import (
    Binding,
    Expected,
    Moved,
    NotMoved,
    Observation,
    Pause,
    Progress,
    Seen,
    Store,
    Unnameable,
)
from aps.store.names import IDENTITY_NAME, QUARANTINE
from aps.store.observations import ObservedStore
from aps.store.observations import read as observed

__all__ = [
    "IDENTITY_NAME",
    "QUARANTINE",
    "Binding",
    "Expected",
    "LocalStore",
    "Moved",
    "NotMoved",
    "Observation",
    "ObservedStore",
    "Pause",
    "Progress",
    "Seen",
    "Store",
    "Unnameable",
    "observed",
    "open",
]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SUPPORTED = "a store is a folder: give a path, or file:///PATH"


def open(url: str) -> LocalStore:
    """The store at `file:///PATH`, `file:/PATH` or a path. Only its symbolic links are read yet, once and for all."""
    if url.startswith("file:"):
        return LocalStore(_path(url))
    scheme = _SCHEME.match(url)
    if scheme:
        raise StoreError(f"store {url}: {scheme[1]} is not supported; {_SUPPORTED}")
    if not url or "\0" in url:
        raise StoreError(f"store {url!r}: this names no folder; {_SUPPORTED}")
    return LocalStore(url.encode("utf-8", "surrogateescape"))


def _path(url: str) -> bytes:
    place = url.removeprefix("file:")
    if place.startswith("//"):
        host, slash, path = place[2:].partition("/")
        if host not in ("", "localhost"):
            raise StoreError(
                f"store {url}: the folder of another host ({host}) is not supported; mount it here"
            )
        place = slash + path
    decoded = unquote_to_bytes(place.encode("utf-8", "surrogateescape"))
    if not decoded.startswith(b"/") or b"\0" in decoded:
        raise StoreError(f"store {url}: this names no folder; {_SUPPORTED}")
    return decoded
