"""The tables of docs/reference.md, made from the code. `python -m tests.support.reference` writes them anew."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import typer

from aps import matrix, packs
from aps.exits import MEANING
from aps.main import app
from aps.model import duration
from aps.model.matrix import Value
from aps.model.operation import OUTCOMES

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "reference.md"
_BLOCK = re.compile(r"<!-- made: (?P<name>[^>]*) -->\n(?P<table>.*?)<!-- end -->", re.DOTALL)


@cache
def commands() -> dict[str, Any]:
    """Every command by its words: `inspect`, `demo stop`."""
    root: Any = typer.main.get_command(app)
    return dict(_below("", root.commands))


def _below(prefix: str, found: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, command in found.items():
        yield prefix + name, command
        yield from _below(f"{prefix}{name} ", getattr(command, "commands", {}))


def options(command: Any) -> list[Any]:
    return [one for one in command.params if one.opts[0].startswith("-") and one.name != "help"]


def table(name: str) -> str:
    """The table of that name: `options COMMAND`, `exit codes`, `states`, `parameters`."""
    kind, _, rest = name.partition(" ")
    if kind == "options":
        return _table(("option", "meaning", "default"), map(_option, options(commands()[rest])))
    if kind == "commands":
        rows = ((f"`aps {words}`", _flat(command.help)) for words, command in commands().items())
        return _table(("command", "does"), rows)
    if kind == "exit":
        return _table(
            ("code", "meaning"), ((str(code.value), said) for code, said in MEANING.items())
        )
    if kind == "outcomes":
        return ", ".join(f"`{outcome}`" for outcome in OUTCOMES) + "\n"
    return _of_matrix(kind)


def _of_matrix(kind: str) -> str:
    loaded = matrix.load(packs.find(packs.DEFAULT))
    if kind == "parameters":
        rows = (
            (f"`{one.name}`", one.type, _default(one.default), one.means)
            for one in loaded.parameters.values()
        )
        return _table(("parameter", "type", "default", "means"), rows)
    states = (
        (f"`{state.name}`", state.kind, state.action.run if state.action else "none", state.means)
        for state in loaded.states
    )
    return _table(("state", "kind", "action", "means"), states)


def _default(value: Value) -> str:
    return duration.spoken(value.total_seconds()) if isinstance(value, timedelta) else str(value)


def _option(one: Any) -> tuple[str, str, str]:
    value = f" {one.metavar}" if one.metavar else ""
    default = "" if one.default is None or one.default is False else f"`{one.default}`"
    given = f" (`{one.envvar}`)" if one.envvar else ""
    return f"`{', '.join(one.opts)}{value}`", f"{_flat(one.help).rstrip('.')}{given}", default


def _flat(text: str) -> str:
    return " ".join(text.split())


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines
    )


def blocks(text: str) -> dict[str, str]:
    return {match["name"]: match["table"] for match in _BLOCK.finditer(text)}


def renewed(text: str) -> str:
    """The document with every table as the code has it now."""
    return _BLOCK.sub(
        lambda match: f"<!-- made: {match['name']} -->\n{table(match['name'])}<!-- end -->", text
    )


if __name__ == "__main__":
    FILE.write_text(renewed(FILE.read_text(encoding="utf-8")), encoding="utf-8")
