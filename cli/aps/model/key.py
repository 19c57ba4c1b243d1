"""The text form of a job's key: its values joined by `/`, which is escaped inside the values of a composite one."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote as quoted
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


def typed(command: str, jobs: Sequence[str], options: str = "") -> str:
    """The line to type for these jobs. One that begins with - stands after --, where it is no option."""
    words = [quoted(job) for job in jobs]
    line = (
        [command, options, "--", *words]
        if any(job.startswith("-") for job in jobs)
        else [command, *words, options]
    )
    return " ".join(word for word in line if word)
