"""Nouns as JSON: every field, `not_` as `not`, the data exact, what a terminal obeys escaped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from aps.render import visible


def of(value: Any) -> Any:
    """Objects, arrays and plain values in place of dataclasses, mappings and tuples."""
    if is_dataclass(value):
        return {name(field.name): of(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): of(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [of(item) for item in value]
    return value


def name(field: str) -> str:
    """The name of a field in JSON: a trailing underscore only keeps Python's words apart."""
    return field.removesuffix("_")


def dump(value: Any, *, indent: int | None = None) -> str:
    """JSON that reads back as the same data, whatever it holds, and can be printed as UTF-8."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    # What json leaves raw stands inside strings only, but for its own line breaks.
    return "".join(c if c == "\n" or not visible.hidden(c) else _escape(c) for c in text)


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1]
