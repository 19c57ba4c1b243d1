"""All that was heard of a drill so far, and the whole report once it is over."""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Protocol

from aps import exits
from aps.drill import heard
from aps.drill.heard import Begun
from aps.errors import ApsError, DatabaseError, MatrixError, StoreError, Usage
from aps.exits import Exit
from aps.model.drill import FORMAT_VERSION, Drill, Explored, Mutant, Rehearsal, Verdict
from aps.model.report import PackRef

_VERDICTS: Final[tuple[Verdict, ...]] = ("holds", "broken", "unfinished")
_EXITS: Final = {"holds": Exit.CLEAR, "broken": Exit.CRITICAL, "unfinished": Exit.UNDETERMINED}
_ERRORS: Final = {one.exit_code: one for one in (Usage, MatrixError, DatabaseError, StoreError)}
_LAST_WORDS: Final = 40


class Unfinished(ApsError):
    """Somebody killed it; that is no fault of what it rehearsed, and nothing is known of that."""

    exit_code = Exit.UNDETERMINED.value


class Audience(Protocol):
    """Who follows a drill while it runs."""

    def step(self, sentence: str) -> None: ...

    def begun(self, begun: Begun) -> None: ...

    def ended(self, rehearsal: Rehearsal) -> None: ...


class Hearing:
    """`home` is where all that belongs to the drill lies, once that is known; `done`: it came to its end.

    `words` are the last that are no message: the traceback of a process that failed.
    """

    def __init__(self, groups: Sequence[str], audience: Audience) -> None:
        self.home: Path | None = None
        self.done = False
        self.rehearsals: list[Rehearsal] = []
        self.total = 0
        self.words: deque[str] = deque(maxlen=_LAST_WORDS)
        self._groups = groups
        self._audience = audience
        self._explored: list[Explored] = []
        self._mutants: list[Mutant] = []
        self._head: dict[str, Any] = {}
        self._begun: Begun | None = None
        self._error: ApsError | None = None
        self._started_at = datetime.now(UTC).isoformat(timespec="microseconds")
        self._started = time.monotonic()
        self._began = self._started

    def hear(self, line: str) -> None:
        """One message; any other line is among the last words of a process that fails."""
        try:
            message = dict(json.loads(line))
        except (ValueError, TypeError):
            self.words.append(line.rstrip())
            return
        self.locate(message)
        if "step" in message:
            self._audience.step(message["step"])
        if "begun" in message:
            self._begin(Begun(**message["begun"]))
        if "rehearsal" in message:
            self._end(message)
        if "error" in message:
            self._error = _ERRORS.get(message["exit"], ApsError)(message["error"])
        self._head = message.get("head", self._head)
        self.done = self.done or "done" in message

    def locate(self, message: dict[str, Any]) -> None:
        self.home = Path(message["home"]) if "home" in message else self.home

    def broke_off(self, how: str, *, killed: bool) -> None:
        """It ended before it was done: what was being rehearsed is unfinished. Raises ApsError where nothing was."""
        last = f": {self.words[-1]}" if self.words else ""
        kind = Unfinished if killed else ApsError
        why = self._error or kind(f"the drill broke off: {how}{last}")
        if self._begun is None and (not self.total or len(self.rehearsals) < self.total):
            raise why
        if self._begun:
            seconds = round(time.monotonic() - self._began, 3)
            self._keep(self._begun.unfinished(str(why), seconds))

    def drill(self) -> Drill:
        counts = Counter(one.verdict for one in self.rehearsals)
        return Drill(
            format_version=FORMAT_VERSION,
            started_at=self._started_at,
            seconds=round(time.monotonic() - self._started, 3),
            versions=self._head["versions"],
            settings=self._head["settings"],
            pack=PackRef(**self._head["pack"]),
            asked=tuple(sorted({int(one) for one in self._groups})),
            rehearsals=tuple(self.rehearsals),
            explored=tuple(self._explored),
            interleavings=sum(one.interleavings for one in self._explored),
            mutants=tuple(self._mutants),
            counts={verdict: counts[verdict] for verdict in _VERDICTS},
            exit_code=self._exit_code(),
        )

    def _exit_code(self) -> int:
        found = [_EXITS[one.verdict] for one in self.rehearsals]
        wrong = any(one.violations for one in self._explored)
        if wrong or any(one.notice == "missed" for one in self._mutants):
            found.append(Exit.CRITICAL)
        return exits.of_look(found).value

    def _begin(self, begun: Begun) -> None:
        self._begun, self._began = begun, time.monotonic()
        self.total = begun.total
        self._audience.begun(begun)

    def _end(self, message: dict[str, Any]) -> None:
        self._explored += map(heard.explored, message["explored"])
        self._mutants += map(heard.mutant, message["mutants"])
        self._keep(heard.rehearsal(message["rehearsal"]))

    def _keep(self, rehearsal: Rehearsal) -> None:
        self._begun = None
        self.rehearsals.append(rehearsal)
        self._audience.ended(rehearsal)
