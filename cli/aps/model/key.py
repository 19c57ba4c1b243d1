"""The text form of a job's key: its values joined by `/`, which is escaped inside the values of a composite one."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, unquote

# Everything printable stays readable; only the separator and the escape itself are escaped.
_READABLE = "".join(chr(c) for c in range(32, 127) if chr(c) not in "/%")


def text(values: Sequence[str]) -> str:
    if len(values) == 1:
        return values[0]
    return "/".join(quote(value, safe=_READABLE) for value in values)


def parse(job: str, width: int) -> tuple[str, ...] | None:
    """The values of a key of `width` columns, or None where the text is not of that shape."""
    if width == 1:
        return (job,)
    parts = job.split("/")
    return tuple(unquote(part) for part in parts) if len(parts) == width else None
