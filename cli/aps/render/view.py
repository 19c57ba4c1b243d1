"""How a person wants to see it: nothing here changes what is said, only how it is laid out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from aps.model.report import CONFLICT, UNCLASSIFIED, UNDETERMINED, Job, Level
from aps.render import visible

Mark = Literal["!!", " !", "?", ""]

_MARKS: dict[Level | None, Mark] = {"critical": "!!", "warning": " !", None: ""}
_COLOURS: dict[Mark, str] = {"!!": "\x1b[1;31m", " !": "\x1b[33m", "?": "\x1b[35m"}
_PLAIN = "\x1b[0m"
_NARROWEST = 40


def mark(severity: Level | None) -> Mark:
    return _MARKS[severity]


def mark_of(job: Job) -> Mark:
    """The mark of one job: its severity, else `?` where its state is not known to be one."""
    doubtful = job.state in (CONFLICT, UNCLASSIFIED, UNDETERMINED)
    return _MARKS[job.severity] or ("?" if doubtful else "")


@dataclass(frozen=True, slots=True)
class View:
    """`width` in columns; without `unicode` all is ASCII; `quiet` leaves out what could be typed next.

    `listing` names the state whose jobs are listed in place of the first screen; `suffix` is what
    every printed command needs to reach the same queue, `place` and `store` its parts that may be long.
    """

    width: int = 80
    colour: bool = False
    unicode: bool = True
    quiet: bool = False
    listing: str | None = None
    suffix: str = ""
    place: str = ""
    store: str = ""

    @property
    def columns(self) -> int:
        return max(self.width, _NARROWEST)

    @property
    def dot(self) -> str:
        return "·" if self.unicode else "-"

    def text(self, value: str | None) -> str:
        """Any text from outside, fit for a terminal: None is `-`, and nothing in it is control."""
        return visible.quoted(value, ascii_only=not self.unicode)

    def words(self, value: str) -> str:
        """A sentence or a name, fit for a terminal; not quoted."""
        return visible.text(value, ascii_only=not self.unicode)

    def brief(self, command: str | None) -> str | None:
        """The command for a narrow column: a long place is left out, visibly, so that a paste fails and not misses."""
        if command is None:
            return None
        for option, given in (("--dsn", self.place), ("--store", self.store)):
            if given.startswith(f"{option} "):
                command = command.replace(given, f"{option} ...")
        return command

    def paint(self, text: str, mark: Mark) -> str:
        """The colour that goes with a mark, which stands in the text as well."""
        if not self.colour or mark not in _COLOURS or not text.strip():
            return text
        return f"{_COLOURS[mark]}{text}{_PLAIN}"
