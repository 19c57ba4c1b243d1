"""One line a state: every field that is one value, and the lists joined. No cell is a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from aps.model.runbook import Page, Runbook
from aps.render import tree
from aps.render.csv import cell
from aps.render.records import Value
from aps.render.view import View

# What is SQL, and long; the file is told.
_LEFT = frozenset({"sql", "says"})
_ACTION = "action"


def show(runbook: Runbook, view: View) -> str:
    rows = [_row(page) for page in runbook.states]
    columns = dict.fromkeys(name for row in rows for name in row)
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([cell(column) for column in columns])
    writer.writerows([cell(row.get(column)) for column in columns] for row in rows)
    return written.getvalue().removesuffix("\n")


def explain(runbook: Runbook, page: Page, view: View) -> str:
    return show(replace(runbook, states=(page,)), view)


def _row(page: Page) -> dict[str, Value]:
    data = tree.of(page)
    # Where nothing may be done the word stands, and not the empty fields of an action.
    run = page.action.run if page.action else "none"
    return {"state": page.state, _ACTION: run} | _flat("", data)


def _flat(prefix: str, data: Mapping[str, Any]) -> dict[str, Value]:
    """`owner.team` for what lies in a mapping; a list is one text."""
    row: dict[str, Value] = {}
    for name, value in data.items():
        if isinstance(value, Mapping):
            row |= _flat(f"{prefix}{name}.", value)
        elif isinstance(value, list):
            row[f"{prefix}{name}"] = "; ".join(map(_listed, value)) or None
        elif name not in _LEFT and not (name == _ACTION and value is None):
            row[f"{prefix}{name}"] = value
    return row


def _listed(item: Any) -> str:
    if not isinstance(item, Mapping):
        return str(item)
    return str(item["file"]) if "file" in item else f"{item['by']} -> {item['to']}"
