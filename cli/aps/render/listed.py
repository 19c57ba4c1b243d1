"""The packs at hand, in each format."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import fields
from types import MappingProxyType

from aps.model.listed import Listed, ListedPack
from aps.render import Format, grid, markdown, prose, tree
from aps.render.csv import cell
from aps.render.grid import Column, Row
from aps.render.view import View

_COLUMNS = (
    Column("PACK", whole=True, named=False),
    Column("SYSTEM"),
    Column("STATES", right=True),
    Column("FENCING"),
    Column("MATRIX", whole=True),
    Column("FOLDER"),
)
_FIELDS = tuple(field.name for field in fields(ListedPack))


def text(listed: Listed, format: Format, view: View) -> str:
    """Without a line break at its end."""
    return _FORMATS[format](listed, view)


def _table(listed: Listed, view: View) -> str:
    rows = [Row(_cells(one, view), "!!" if one.faults else "") for one in listed.packs]
    broken = [one for one in listed.packs if one.faults]
    notes = [f"{one.name}: {one.first_fault}" for one in broken]
    said = ["\n".join(prose.wrapped(view.words(note), view.columns, rest="  ")) for note in notes]
    following = [] if view.quiet or not listed.packs else [_next(listed)]
    return prose.paragraphs([[grid.text(_COLUMNS, rows, view)], said, following])


def _cells(one: ListedPack, view: View) -> tuple[str, ...]:
    if one.faults:
        told = f"{one.faults} fault{'s' * (one.faults != 1)}"
        return (view.words(one.name), told, "-", "-", "-", view.words(one.path))
    return (
        view.words(one.name),
        view.words(one.system or "-"),
        str(one.states),
        one.fencing or "-",
        (one.sha256 or "-")[:8],
        view.words(one.path),
    )


def _next(listed: Listed) -> str:
    broken = next((one.name for one in listed.packs if one.faults), None)
    if broken:
        return f"next:  aps matrix check --pack {broken}"
    return f"next:  aps matrix show --pack {listed.packs[-1].name}"


def _json(listed: Listed, view: View) -> str:
    return tree.dump(tree.of(listed), indent=2)


def _jsonl(listed: Listed, view: View) -> str:
    head = {"record": "listed", "format_version": listed.format_version}
    records = ({"record": "pack", **tree.of(one)} for one in listed.packs)
    return "\n".join(tree.dump(one) for one in (head, *records))


def _csv(listed: Listed, view: View) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(_FIELDS)
    writer.writerows([cell(getattr(one, name)) for name in _FIELDS] for one in listed.packs)
    return written.getvalue().removesuffix("\n")


def _markdown(listed: Listed, view: View) -> str:
    lines = [
        [markdown.cell(name) for name in _FIELDS],
        ["---"] * len(_FIELDS),
        *([markdown.cell(getattr(one, name)) for name in _FIELDS] for one in listed.packs),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


_FORMATS: MappingProxyType[Format, Callable[[Listed, View], str]] = MappingProxyType(
    {"table": _table, "json": _json, "jsonl": _jsonl, "csv": _csv, "markdown": _markdown}
)
