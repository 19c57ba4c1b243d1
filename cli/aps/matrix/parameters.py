"""Values of parameters: as the file declares them and as `--set` gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aps.errors import Usage
from aps.matrix.faults import nearest
from aps.matrix.fields import LEAST, MOST
from aps.model import duration
from aps.model.matrix import Parameter, Value

_ASKED: Mapping[str, tuple[type, str]] = {
    "interval": (str, f"must be {duration.EXPECTED}"),
    "integer": (int, "must be a whole number"),
    "text": (str, "must be text; quote it"),
    "boolean": (bool, "must be true or false"),
}


def declared(kind: str, given: str | int | bool) -> Value:
    """The default of a declaration. Raises ValueError, saying what is asked for."""
    asked, sentence = _ASKED[kind]
    # A bool is an int to Python, not to a person.
    if type(given) is not asked:
        raise ValueError(sentence)
    if kind == "integer" and not LEAST <= int(given) <= MOST:
        raise ValueError(f"must be a whole number from {LEAST} to {MOST}")
    return duration.parse(given) if kind == "interval" and isinstance(given, str) else given


def overridden(
    parameters: Mapping[str, Parameter], overrides: Mapping[str, str]
) -> dict[str, Parameter]:
    """The parameters with what `--set` gives. Raises Usage at a name or value that is wrong."""
    found = dict(parameters)
    for name, text in overrides.items():
        if name not in found:
            raise Usage(f"--set {name}: no such parameter; {nearest(name, found)}")
        try:
            found[name] = replace(found[name], value=_typed(found[name].type, text))
        except ValueError as error:
            raise Usage(f"--set {name}={text}: {error}") from error
    return found


def _typed(kind: str, text: str) -> Value:
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    if kind == "integer" and text.removeprefix("-").isdecimal() and text.isascii():
        # Longer than any that is permitted; Python refuses to read thousands of digits.
        return declared(kind, int(text[:20]))
    return declared(kind, text)
