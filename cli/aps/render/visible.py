"""Text that may hold anything: what controls a terminal or hides from the eye is an escape."""

from __future__ import annotations

import re
import unicodedata

# Everything after this many characters is counted, not shown.
_LONGEST = 400
_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}
# Controls, formats (bidi, zero width), surrogates, private use, unassigned, separators of lines.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters and marks without ink.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_PRINTABLE = re.compile(r"[ -~]*")


def hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN or character in _BLANK


def text(value: str, *, ascii_only: bool = False) -> str:
    """The text with `\\x1b`, `\\u202e`, `\\U000e0001` in place of what does not show."""
    if _PRINTABLE.fullmatch(value):
        return value
    return "".join(_escape(c) if hidden(c) or (ascii_only and c > "~") else c for c in value)


def _escape(character: str) -> str:
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def quoted(value: str | None, *, ascii_only: bool = False) -> str:
    """A value: None is `-`; an empty one, or spaces at an end, in quotes; a long one is cut."""
    if value is None:
        return "-"
    shown = text(value[:_LONGEST], ascii_only=ascii_only)
    if len(value) > _LONGEST:
        return f"{shown}... ({len(value)} characters)"
    return f'"{shown}"' if shown != shown.strip() or not shown else shown
