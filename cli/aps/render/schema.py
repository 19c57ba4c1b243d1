"""The JSON Schemas of what aps prints, made from the nouns; aps/schemas ships the same."""

from __future__ import annotations

import sys
from types import MappingProxyType
from typing import Any

from aps.model.checked import Checked
from aps.model.completion import Completion
from aps.model.drill import Drill
from aps.model.examination import Examination
from aps.model.listed import Listed
from aps.model.operation import Operation
from aps.model.plan import Plan
from aps.model.report import Report
from aps.model.runbook import Runbook
from aps.render import tree
from aps.render.logs import Log, LoggedOperation

NOUNS: MappingProxyType[str, Any] = MappingProxyType(
    {
        "report": Report,
        "plan": Plan,
        "operation": Operation,
        "log": Log | LoggedOperation,
        "completion": Completion,
        "checked": Checked,
        "runbook": Runbook,
        "listed": Listed,
        "examination": Examination,
        "drill": Drill,
    }
)

_LINES = {
    "report": "report (this object without its lists), then state, one a state, then job, one each",
    "plan": "plan (this object without its lists), then job, one a job, then refused, one a job",
    "operation": "operation (this object without its rows), then row, one a job",
    "checked": "checked (this object without its findings), then finding, one each, worst first",
    "runbook": "runbook (this object without its lists), then state, one a state, then parameter, then absent",
    "listed": "listed (this object without its packs), then pack, one a pack",
    "examination": "examination (this object without its checks), then check, one a check",
    "drill": "drill (this object without its lists), then rehearsal, one each, then explored, one a program, "
    "then mutant, one each",
    "log": "log, then operation, one an operation; of one operation logged_operation, then batch, "
    "one a batch, then entry, one a changed job",
    "completion": "completion (this object)",
}


def of(noun: str) -> dict[str, Any]:
    """The schema of a noun: `report`, `plan`, `operation`, `log`, `completion`, `checked`, and so on."""
    from pydantic import TypeAdapter

    made = _tidied(TypeAdapter(NOUNS[noun]).json_schema(mode="serialization"))
    said = made.pop("description", "")
    lines = f"With --format jsonl one object a line, each with a record: {_LINES[noun]}."
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"aps {noun}",
        "description": f"{said}\n\n{lines}".strip(),
        **made,
    }


def text(noun: str) -> str:
    """The schema as the file that ships it."""
    return f"{tree.dump(of(noun), indent=2)}\n"


def _tidied(node: Any) -> Any:
    """Without titles that repeat the key, and with every field required: all are always written."""
    if isinstance(node, list):
        return [_tidied(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: _tidied(value)
        for key, value in node.items()
        if key not in ("title", "default", "properties", "$defs")
    }
    if fields := node.get("properties"):
        kept["properties"] = {tree.name(name): _tidied(value) for name, value in fields.items()}
        kept["required"] = list(kept["properties"])
    if shared := node.get("$defs"):
        kept["$defs"] = {name: _tidied(value) for name, value in shared.items()}
    return kept


if __name__ == "__main__":
    sys.stdout.write(text(sys.argv[1]))
