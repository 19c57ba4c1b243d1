"""A query as it is shown: its lines, as they are."""

from __future__ import annotations


def lines(sql: str) -> list[str]:
    """Without the line ends of another system; tabs are spaces."""
    return [line.rstrip("\r").expandtabs(4) for line in sql.split("\n")]
