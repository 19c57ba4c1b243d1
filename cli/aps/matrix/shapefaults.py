"""What pydantic finds wrong with the shape, told in our words and at its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from aps.matrix.faults import MOST, Fault, nearest
from aps.matrix.shape import (
    ActionShape,
    MatrixShape,
    OwnerShape,
    ParameterShape,
    RollbackShape,
    SeverityShape,
    StateShape,
    ThresholdShape,
)
from aps.matrix.source import Path, Source, Unquoted

_BY_KEY: dict[str | int, type[BaseModel]] = {
    "owner": OwnerShape,
    "severity": SeverityShape,
    "warning": ThresholdShape,
    "critical": ThresholdShape,
    "action": ActionShape,
    "rollback": RollbackShape,
}
_ASKED = {
    "matrix": "write `matrix: 1`",
    "system": "name the queue",
    "table": "name the table whose rows are the jobs",
    "key": "name the column, or list the columns, of the job's key",
    "states": "write a mapping of state to what it means",
    "means": "say in one sentence what is so in this state",
    "action": "write none, or {run: reclaim, effect: what it does}",
    "run": "write reclaim, reconcile or manual",
    "effect": "say what the job is after the action",
    "criterion": "say what shows that the action was wrong",
    "team": "name the team that is responsible",
    "type": "write interval, integer, text or boolean",
    "default": "write the value that holds without --set",
}


def faults(source: Source) -> tuple[MatrixShape | None, list[Fault]]:
    """The shape where the file has one, else every place where it has not."""
    try:
        return MatrixShape.model_validate(source.tree), []
    except ValidationError as error:
        return None, [
            _fault(source, found["type"], found["loc"], found)
            for found in error.errors(include_url=False)[:MOST]
            # The source has told these already.
            if found["loc"] not in source.broken
        ]


def _fault(source: Source, kind: str, path: Path, found: Any) -> Fault:
    if kind == "extra_forbidden":
        known = _keys(path[:-1])
        return source.key_fault(path, f"unknown key; {nearest(str(path[-1]), known)}")
    if kind == "missing":
        remedy = _ASKED.get(str(path[-1]), "write it")
        return source.key_fault(path, f"missing; {remedy}")
    return source.fault(path, _sentence(kind, found))


def _keys(path: Path) -> Iterator[str]:
    model = _model(path)
    return (field.alias or name for name, field in model.model_fields.items())


def _model(path: Path) -> type[BaseModel]:
    match path:
        case ():
            return MatrixShape
        case ("states", _):
            return StateShape
        case ("parameters", _):
            return ParameterShape
        case _:
            return _BY_KEY[path[-1]]


def _sentence(kind: str, found: Any) -> str:
    value, context = found["input"], found.get("ctx", {})
    given = value.text if isinstance(value, Unquoted) else value
    match kind:
        case "aps":
            return str(context["told"])
        case "literal_error":
            options = [o.strip("' ") for o in context["expected"].replace(" or ", ",").split(",")]
            hint = nearest(given, options) if isinstance(given, str) else ""
            close = f"; {hint}" if hint.startswith("did") else ""
            return f"must be one of {', '.join(options)}{close}"
        case "int_type":
            return "must be a whole number, written plainly"
        case "bool_type":
            return "must be true or false"
        case "greater_than_equal":
            return f"must be at least {context['ge']}"
        case "dict_type" | "model_type" | "model_attributes_type":
            return "must be a mapping of key: value"
        case "too_short":
            return "must hold at least one"
        case _:
            return str(found["msg"])
