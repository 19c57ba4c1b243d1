"""One JSON object a line, each with its `record`: the runbook without its lists, then their elements."""

from __future__ import annotations

from dataclasses import replace

from aps.model.runbook import Page, Runbook
from aps.render import tree
from aps.render.view import View

_LISTS = {"states": "state", "parameters": "parameter", "absent": "absent"}


def show(runbook: Runbook, view: View) -> str:
    data = tree.of(runbook)
    head = {name: value for name, value in data.items() if name not in _LISTS}
    records = [{"record": "runbook", **head}]
    records += [{"record": record, **one} for name, record in _LISTS.items() for one in data[name]]
    return "\n".join(tree.dump(one) for one in records)


def explain(runbook: Runbook, page: Page, view: View) -> str:
    return show(replace(runbook, states=(page,)), view)
