"""Names of files in a store: which are fit to be looked up, which are aps's own, how bytes become text.

Names are UTF-8 whatever the locale says; bytes that are not stay apart as surrogates until they are shown.
"""

from __future__ import annotations

import unicodedata
from typing import Final

IDENTITY_NAME: Final = ".aps-store.json"
QUARANTINE: Final = ".aps-quarantine"


def fault(name: str) -> str | None:
    """Why no file of a store may be looked up by this name; None where one may."""
    if not _utf8(name):
        return "the name is not UTF-8"
    if not name.isprintable() and any(unicodedata.category(one) == "Cc" for one in name):
        return "the name holds control characters"
    if name.startswith("/"):
        return "the name is absolute"
    parts = name.split("/")
    if ".." in parts:
        return "the name climbs out with `..`"
    if "" in parts or "." in parts:
        return "the name has an empty part"
    return "the name is aps's own" if own(parts[0]) else None


def own(top: str) -> bool:
    """Does this entry of the root belong to aps: its identity (or one half written), its quarantine."""
    return top == QUARANTINE or top.startswith(IDENTITY_NAME)


def sayable(name: str) -> bool:
    """Can a text value of the database hold this name."""
    return _utf8(name) and "\0" not in name


def _utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def parts(name: str) -> tuple[bytes, ...]:
    """The folders and the file, as the kernel takes them. The name is without fault."""
    return tuple(raw(name).split(b"/"))


def shown(name: str) -> str:
    """The name with `\\xe9` in place of each byte that is not UTF-8."""
    try:
        return raw(name).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace").decode()
