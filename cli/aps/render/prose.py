"""What is no table: parts joined by a dot, labelled paragraphs, wrapped. Words are never cut."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from aps.render.view import View

# Stands for a space where a line must not break; data cannot hold it, for private use is escaped.
GLUE = "\ue000"

LABEL = 13


def whole(text: str) -> str:
    """The text as one word, so that a command can be pasted."""
    return text.replace(" ", GLUE)


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """The lines; `width` counts the indents."""
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=whole(first),
        subsequent_indent=whole(rest),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(GLUE, " ").rstrip() for line in lines]


def joined(parts: Iterable[str], view: View, room: int | None = None) -> str:
    """`a · b · c`: where a line must break, it breaks between parts, as far as they fit."""
    limit = (room or view.columns) - 2
    kept = [whole(part) if len(part) <= limit else part for part in parts if part]
    return f"{GLUE}{view.dot} ".join(kept)


def line(parts: Iterable[str], view: View, indent: str = "", first: str = "") -> str:
    """The parts as one paragraph; `indent` is that of its further lines."""
    text = joined(parts, view, view.columns - len(indent))
    return "\n".join(wrapped(text, view.columns, first, indent))


def labelled(label: str, text: str, view: View, room: int = LABEL) -> str:
    """`label        text`, further lines under the text; nothing where there is no text."""
    if not text:
        return ""
    first = label.ljust(room) if len(label) < room else f"{label} "
    return "\n".join(wrapped(text, view.columns, first, " " * room))


def paragraphs(blocks: Iterable[Iterable[str]]) -> str:
    """Blocks of lines with an empty line between; empty lines and blocks are left out."""
    kept = ["\n".join(text for text in block if text) for block in blocks]
    return "\n\n".join(block for block in kept if block)
