"""The tables of docs/drill.md, made from what a drill runs. `python -m tests.support.programme` writes them anew."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from aps.drill.explore.programs import PROGRAMS, by_hand
from aps.drill.programme import PARTS, SCRIPTS

FILE: Final = Path(__file__).parents[2] / "docs" / "drill.md"
_BLOCK: Final = re.compile(r"<!-- made: (?P<name>[^>]*) -->\n(?P<table>.*?)<!-- end -->", re.DOTALL)
_KINDS: Final = {"groups": ("group",), "trials": ("trial",)}
NAMES: Final = (*_KINDS, "further", "programs")


def table(name: str) -> str:
    """The table of that name, one of NAMES; a sentence where there is nothing to tell."""
    if name == "further":
        parts = [(number, one) for number, one in PARTS.items() if number not in SCRIPTS]
        rows = [(str(number), one.kind, one.title) for number, one in parts]
        if not rows:
            return "Nothing but the groups and the trials.\n"
        return _table(("number", "kind", "what is run"), rows)
    if name == "programs":
        told = [one for one in PROGRAMS if one not in by_hand.PROGRAMS]
        return _table(("program", "what is interleaved"), [(one.name, one.title) for one in told])
    scripts = [
        (str(number), one.title, one.proves, one.does_not_prove)
        for number, (kind, one) in SCRIPTS.items()
        if kind in _KINDS[name]
    ]
    return _table(("number", "what is done", "what it proves", "what it does not prove"), scripts)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines
    )


def blocks(text: str) -> dict[str, str]:
    return {match["name"]: match["table"] for match in _BLOCK.finditer(text)}


def renewed(text: str) -> str:
    """The document with every table as the programme has it now."""
    return _BLOCK.sub(
        lambda match: f"<!-- made: {match['name']} -->\n{table(match['name'])}<!-- end -->", text
    )


if __name__ == "__main__":
    FILE.write_text(renewed(FILE.read_text(encoding="utf-8")), encoding="utf-8")
