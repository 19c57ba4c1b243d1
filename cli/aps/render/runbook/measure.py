"""How wide text is, without a font to ask: rather too wide than too narrow, and broken into lines by that."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from aps.render import visible

# Widths of letters, of their size, as in the widest of the usual fonts, so that no text leaves its box.
_MONO, _WIDE, _FULL, _CAPITAL, _LETTER, _SLIM = 0.62, 1.1, 1.0, 0.75, 0.64, 0.41
_BOLD = 1.12


@dataclass(frozen=True, slots=True)
class Style:
    """How text is set: size, and whether all letters are of one width."""

    size: float
    mono: bool = False


TITLE, CODE, WORDS = Style(15 * _BOLD), Style(11, mono=True), Style(12.5)
STRONG = Style(12.5 * _BOLD)


def wrapped(text: str, width: float, style: Style) -> tuple[str, ...]:
    """The lines of a text that may hold anything; a word that is wider than a line is broken."""
    lines = [""]
    for word in visible.text(" ".join(text.split())).split(" "):
        joined = f"{lines[-1]} {word}".strip()
        if _width(joined, style) <= width:
            lines[-1] = joined
            continue
        lines += [word] if lines[-1] else []
        lines[-1] = word
        while _width(lines[-1], style) > width and len(lines[-1]) > 1:
            kept = _fitting(lines[-1], width, style)
            lines[-1:] = [lines[-1][:kept], lines[-1][kept:]]
    return tuple(lines)


def _fitting(word: str, width: float, style: Style) -> int:
    """How many of its letters stand on the line: up to the last sign that parts a name, where there is one."""
    kept = 1
    while kept < len(word) - 1 and _width(word[: kept + 1], style) <= width:
        kept += 1
    parted = max(word.rfind(sign, 0, kept) for sign in "/_-") + 1
    return parted if parted > kept // 2 else kept


def _width(text: str, style: Style) -> float:
    return style.size * sum(_letter(character, style) for character in text)


def _letter(character: str, style: Style) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE
    if style.mono:
        return _MONO
    if character in "ijltfr .,:;'|!I()[]-":
        return _SLIM
    if character in "mwMW@%→":
        return _FULL
    return _CAPITAL if character.isupper() else _LETTER
