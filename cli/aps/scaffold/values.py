"""The values that a CHECK constraint allows, where it is a plain list of them."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""(?xs)
      (?P<literal> '(?:[^']|'')*' | -?\d+ )
    | (?P<cast> ::(?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+))?(?:[ ]varying|[ ]precision)?(?:\(\d+\))?(?:\[\])? )
    | (?P<name> "(?:[^"]|"")*" | \w+ )
    | (?P<group> [()] )
    | (?P<mark> [^\s] )
    """
)
# Groups and casts of the server's own; what is left must be exactly a list.
_LEFT_OUT = ("cast", "group")


def allowed(definition: str, column: str) -> tuple[str, ...] | None:
    """Of the text that the server gives for the constraint; None where it says anything else than such a list.

    `column` is the name as SQL takes it; a domain's own constraint says VALUE in its place.
    """
    tokens = [
        (match.lastgroup, match[0])
        for match in _TOKEN.finditer(definition.removeprefix("CHECK "))
        if match.lastgroup not in _LEFT_OUT
    ]
    shape = " ".join("%" if kind == "literal" else text for kind, text in tokens)
    literals = [_plain(text) for kind, text in tokens if kind == "literal"]
    for name in (column, "VALUE"):
        equal = re.escape(name) + " = "
        any_of = rf"{equal}ANY ARRAY \[ %(?: , %)* \]"
        if re.fullmatch(rf"{any_of}|{equal}%(?: OR {equal}%)*", shape):
            return tuple(dict.fromkeys(literals))
    return None


def _plain(literal: str) -> str:
    return literal[1:-1].replace("''", "'") if literal.startswith("'") else literal
