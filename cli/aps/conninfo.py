"""Connection strings as text: what can be said of one without repeating a secret that may be in it."""

from __future__ import annotations

import re

_URI = re.compile(r"postgres(?:ql)?://", re.IGNORECASE)
_HOW = "write key=value words (quote a value with spaces) or postgresql://USER@HOST/DATABASE"


def fault(dsn: str) -> str | None:
    """Why this one is refused before libpq sees it; None where it may go on.

    A password with `@` or `/` in it splits a URI in the wrong place: libpq would take a piece of it for a host or a
    port, and name that piece in its error.
    """
    found = _URI.match(dsn)
    if found is None:
        return None
    place = re.sub(r"^[^@/]*@", "", dsn[found.end() :].partition("?")[0], count=1)
    if "@" not in place:
        return None
    return (
        "the connection string has a second @; write a mark in a name or password as %40, %2F, %3A"
    )


def unreadable(dsn: str, words: str) -> str:
    """The sentence for one that libpq cannot read; its own words only where no password can be in them."""
    secret = "pass" in dsn.lower() or "@" in dsn
    return f"the connection string is not one{'' if secret else f' ({words})'}: {_HOW}"
