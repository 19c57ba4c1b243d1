"""The queue that interleavings are run on: kept sessions, a quick reset, the invariants, and what was told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from aps import database as sessions
from aps import evidence
from aps import snapshot as snapshots
from aps.database import Database, Row
from aps.demo import queue
from aps.demo.worker import read
from aps.drill.ground import Ground
from aps.errors import Usage
from aps.model.drill import Violation
from aps.model.matrix import Matrix, State
from aps.snapshot import Snapshot

_SQL: Final = Path(__file__).parent / "sql"
_STANDING: Final = "standing"
# So many resets leave so many dead rows behind that every step gets slower.
_VACUUM_EVERY: Final = 300


@cache
def text(name: str) -> str:
    return (_SQL / f"{name}.sql").read_text(encoding="utf-8")


def named(matrix: Matrix, name: str) -> State:
    """A state that the matrix must have. Raises Usage."""
    state = matrix.state(name)
    if state is None:
        raise Usage(f"the matrix of {matrix.system} has no state {name}: the drill needs it")
    return state


def with_state(matrix: Matrix, state: State) -> Matrix:
    """The matrix with that state in place of the one of its name."""
    states = tuple(state if one.name == state.name else one for one in matrix.states)
    return replace(matrix, states=states)


@dataclass
class Told:
    """What became of one interleaving so far, and the files it wrote; and what all of them answered."""

    steps: list[str] = field(default_factory=list)
    faults: list[tuple[str, str]] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    written: set[str] = field(default_factory=set)


class Scene:
    """`altered` has the text of worker statements that are not as the pack has them."""

    def __init__(self, ground: Ground, altered: Mapping[str, str] | None = None) -> None:
        self.ground = ground
        self.altered = dict(altered or {})
        self.told = Told()
        self.matrix = ground.matrix
        # A state and columns of its evidence that are not fenced, though they ought to be.
        self.unfenced: tuple[str, tuple[str, ...]] | None = None
        self._sessions: dict[str, Database] = {}
        self._resets = 0
        self._sound: set[str] = set()
        self._watch = self.session("watch", "postgres")
        self._watch.run(text("setup"))
        self._watch.commit()
        self._judge = self._looking()

    def session(self, name: str, role: str) -> Database:
        """That party's own; opened once, and kept."""
        if name not in self._sessions:
            dsn = self.ground.server.dsn(self.ground.name, queue.LOGINS[role])
            self._sessions[name] = sessions.connect(dsn, application=name, kept=True)
        return self._sessions[name]

    def statement(self, name: str) -> str:
        """A statement of the worker's side."""
        return self.altered.get(name) or _shipped(name, self.ground.yard.queries)

    def call(self, session: Database, name: str, **bound: Any) -> Row | None:
        """One of them, in autocommit. Raises QueryError."""
        rows = session.call(self.statement(name), bound)
        if len(rows) > 1:
            self.told.faults.append(("a statement is about one job", f"{name}: {len(rows)} rows"))
        return rows[0] if rows else None

    def pass_time(self, session: Database, how: str) -> None:
        """Every lease is over from here on: `end_leases` moves them, `outwait_leases` waits for their ends."""
        session.call(text(how), {})

    def clear(self) -> None:
        """An empty queue, of which nothing was told."""
        self._resets += 1
        if self._resets % _VACUUM_EVERY == 0:
            self._watch.call(text("vacuum"), {})
        self._watch.call(text("reset"), {})
        self.told.steps.clear()
        self.told.faults.clear()
        self.told.written.clear()

    def blocked(self, pids: Sequence[int]) -> set[int]:
        rows = self._watch.call(text("blocked"), {"pids": list(pids)})
        return {int(row["pid"] or 0) for row in rows}

    def read_by(self, adapted: Callable[[Matrix], Matrix]) -> None:
        """Operators read the queue by that matrix from here on."""
        self.matrix = adapted(self.ground.matrix)
        if self.unfenced:
            name, columns = self.unfenced
            state = named(self.matrix, name)
            self.matrix = with_state(
                self.matrix, replace(state, reading=(*state.reading, *columns))
            )

    def meddle(self, *, late: bool) -> None:
        """A trigger touches another row with every reclaim."""
        self._watch.call(text("meddle"), {"late": late})

    def forge(self) -> None:
        """Rows that no correct writer leaves, and that nobody may take."""
        self._watch.call(text("forge"), {})

    def ask(self, name: str) -> list[Row]:
        """A query of the explorer's own."""
        return self._watch.call(text(name), {})

    def violations(self) -> list[Violation]:
        """What does not hold now."""
        faults = list(self.told.faults)
        for row in self._watch.call(text("invariants"), {}):
            if row["invariant"] != _STANDING:
                faults.append((str(row["invariant"]), f"job {row['job_id']}: {row['detail']}"))
            else:
                faults += self._unsound(str(row["detail"]))
        return [Violation(name, detail, tuple(self.told.steps)) for name, detail in faults]

    def _unsound(self, standing: str) -> list[tuple[str, str]]:
        """Jobs that are not in exactly one state, by the engine's own judgement; asked once for each standing."""
        if standing in self._sound:
            return []
        keys = [(part.partition(",")[0],) for part in standing.split(";") if part]
        with self._judge.database.look():
            now = replace(self._judge, clock=self._judge.database.clock(), unread={})
            judged = evidence.judge(now, keys)
        wrong = [
            ("a job is in exactly one lifecycle state", f"job {key[0]}: {one.state}")
            for key, one in zip(keys, judged, strict=True)
            if len(one.lifecycle) != 1
        ]
        if not wrong:
            self._sound.add(standing)
        return wrong

    def _looking(self) -> Snapshot:
        database = self.session("judge", "aps_read")
        with database.look():
            return snapshots.take(database, self.ground.matrix, database.probe())

    def close(self) -> None:
        for session in self._sessions.values():
            session.close()


@cache
def _shipped(name: str, queries: Path) -> str:
    return read(name, queries)
