"""The runbook as one JSON object; for one state it holds that state alone."""

from __future__ import annotations

from dataclasses import replace

from aps.model.runbook import Page, Runbook
from aps.render import tree
from aps.render.view import View


def show(runbook: Runbook, view: View) -> str:
    return tree.dump(tree.of(runbook), indent=2)


def explain(runbook: Runbook, page: Page, view: View) -> str:
    return show(replace(runbook, states=(page,)), view)
