"""`aps matrix schema`: what an editor needs to complete and check a matrix.yaml."""

from __future__ import annotations

import json

from aps.commands import console


def schema() -> None:
    """Print the JSON Schema of matrix.yaml, for editors."""
    console.out(text())


def text() -> str:
    """As the file that ships it; the text has a line break at its end."""
    from aps import matrix

    return f"{json.dumps(matrix.schema(), indent=2)}\n"
