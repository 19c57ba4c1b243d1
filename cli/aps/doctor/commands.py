"""What this role may do here, a check a command. Every statement is planned under the role; none is run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from aps import statements
from aps.database import QueryError
from aps.doctor import needs, rights
from aps.doctor.fixes import fix
from aps.doctor.needs import Need
from aps.model.examination import Check, Verdict
from aps.model.matrix import Query, Run, State
from aps.snapshot import Snapshot, explain, sql_name

JOURNAL = (
    Need("aps_journal", "version", "SELECT"),
    *(
        Need("aps_journal", table, privilege)
        for table in ("batch", "entry")
        for privilege in ("SELECT", "INSERT")
    ),
)
# So many names tell what kind of thing it is.
_SHOWN = 5
_DENIED = "42501"
# Nobody's fault and over soon: a lock, a timeout.
_PASSING = ("55P03", "57014")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A statement that cannot run, for these names; `right` where a right is what it lacks."""

    what: str
    query: Query
    error: QueryError

    @property
    def right(self) -> bool:
        return self.error.sqlstate == _DENIED


def inspect(snapshot: Snapshot, path: str) -> Check:
    """Whether every query that a look needs can be read."""
    told = _Told(snapshot, path, "aps_read")
    refused = [one for one in (told.refused(*asked) for asked in _looks(snapshot)) if one]
    if not refused:
        return Check("inspect", "ok", f"{told.role} can read all that the matrix asks for")
    sentence, remedy = told.of(refused)
    return Check("inspect", _how_bad(snapshot, refused), f"{_names(refused)}: {sentence}", remedy)


def _names(refused: Iterable[Refusal]) -> str:
    """What cannot run; the first few by name."""
    names = list(dict.fromkeys(one.what for one in refused))
    if len(names) <= _SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[: _SHOWN - 1])} and {len(names) - _SHOWN + 1} more"


def _looks(snapshot: Snapshot) -> Iterator[tuple[str, Query]]:
    matrix = snapshot.matrix
    for state in matrix.states:
        yield state.title, state.evidence
    yield "the population", matrix.population
    for query in filter(None, (matrix.names, matrix.further_names, matrix.ahead)):
        yield "the names of files", query
    for state in matrix.states:
        for query in state.context:
            yield f"{query.name.removesuffix('.context').replace('_', ' ')} of a job", query


def _how_bad(snapshot: Snapshot, refused: Iterable[Refusal]) -> Verdict:
    """While one lifecycle state is unread no job's state is certain; a lock or a timeout will be over."""
    if all(one.error.sqlstate in _PASSING for one in refused):
        return "unknown"
    whole = {state.title for state in snapshot.matrix.states if state.kind == "lifecycle"}
    certain = not any(one.what in whole | {"the population"} for one in refused)
    return "warning" if certain else "critical"


def acting(snapshot: Snapshot, run: Run, path: str) -> Check:
    """Whether the actions of one command could be done, and recorded."""
    states = [state for state in snapshot.matrix.states if state.action and state.action.run == run]
    if not states:
        return Check(run, "not_asked", f"the matrix of {snapshot.matrix.system} has no such action")
    told = _Told(snapshot, path, "aps_operate")
    found = rights.of(snapshot.database, {*JOURNAL, *_needed(states)}, path)
    lacking = [right for right in found if not right.usable]
    if any(right.writes for right in lacking) and not any(
        right.held and right.writes for right in found
    ):
        return told.reader(run, found)
    refused = [one for one in (told.refused(*asked) for asked in _acts(snapshot, states)) if one]
    if not refused and not lacking:
        names = ", ".join(state.title for state in states)
        where = ", on the primary" if snapshot.server.in_recovery else ""
        return Check(run, "ok", f"{told.role} may {run} {names}{where}")
    sentence, remedy = told.of(refused, lacking)
    verdict: Verdict = "critical"
    if refused and not lacking and all(one.error.sqlstate in _PASSING for one in refused):
        verdict = "unknown"
    names = _names(refused)
    return Check(run, verdict, f"{names or 'nothing could be recorded'}: {sentence}", remedy)


def _needed(states: Iterable[State]) -> set[Need]:
    """What the statements of these actions change."""
    found: set[Need] = set()
    for state in states:
        if state.action and state.action.query:
            found |= {
                need for need in needs.of(state.action.query.sql) if need.privilege != "SELECT"
            }
    return found


def _acts(snapshot: Snapshot, states: Iterable[State]) -> Iterator[tuple[str, Query]]:
    matrix = snapshot.matrix
    lock = statements.rows(matrix.table, snapshot.types, lock=True)
    yield "locking a job", Query("lock", matrix.table, lock, frozenset())
    for state in states:
        assert state.action
        for query in filter(None, (state.action.query, state.action.abort, state.action.verify)):
            yield state.title, query


def holders(snapshot: Snapshot) -> Check:
    """Whether a lock's holder is told with what it does and since when."""
    row = snapshot.database.rows(statements.read("doctor/member"), {"role": "pg_read_all_stats"})[0]
    role = snapshot.server.role
    if row["member"] == "t":
        return Check("lock holders", "ok", f"{role} sees who holds a lock, and since when")
    return Check(
        "lock holders",
        "warning",
        f"{role} sees the pid that holds a lock, not whether it idles and since when"
        + (", nor whether this standby still receives" if snapshot.server.in_recovery else ""),
        (f"GRANT pg_read_all_stats TO {sql_name(role)};",),
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """Asks the server for one role, and words its answers; `group` is the role of aps that has these rights."""

    snapshot: Snapshot
    path: str
    group: str

    @property
    def role(self) -> str:
        return self.snapshot.server.role

    def refused(self, what: str, query: Query) -> Refusal | None:
        """Why the server would not run it; None where it would."""
        sql = statements.read("doctor/explain").format(statement=query.sql)
        try:
            with self.snapshot.database.savepoint():
                self.snapshot.database.rows(sql, self._bound())
        except QueryError as error:
            return Refusal(what, query, error)
        return None

    def _bound(self) -> dict[str, Any]:
        nobody: dict[str, Any] = {column: [] for column in self.snapshot.matrix.key}
        acts = {"items": [], "before": [], "operation": "", "reason": "", "actor": ""}
        return self.snapshot.bound | nobody | acts

    def of(
        self, refused: Iterable[Refusal], lacking: Iterable[rights.Right] = ()
    ) -> tuple[str, tuple[str, ...]]:
        """What they lack, in words, and what gives it."""
        asked = [one for one in refused if one.right]
        wanted = {need for one in asked for need in needs.of(one.query.sql)}
        found = {*lacking, *rights.of(self.snapshot.database, wanted, self.path)}
        lost = sorted((one for one in found if not one.usable), key=str)
        said = [f"{self.role} has no {rights.missing(lost)}"] if lost else []
        said += dict.fromkeys(
            explain(one.error, one.query.sql, self.role)
            for one in refused
            if not (one.right and lost)
        )
        remedy = rights.remedy(self.snapshot.database, lost, self.path, self.role, self.group)
        others = (line for one in asked for line in _other(one.error, self.role))
        return "; ".join(said), tuple(dict.fromkeys([*remedy, *others]))

    def reader(self, run: Run, found: list[rights.Right]) -> Check:
        """Nothing may be written at all: that is no fault of a role that is there to look."""
        remedy = rights.remedy(self.snapshot.database, found, self.path, self.role, self.group)
        if self.role == "aps_read":
            remedy = ("act as a role that is a member of aps_operate",)
        return Check(
            run,
            "not_asked",
            f"{self.role} may only look: it has no right to change anything",
            remedy,
        )


def _other(error: QueryError, role: str) -> tuple[str, ...]:
    """The statements for what is no right to a relation."""
    words = str(error)
    function = re.search(r"permission denied for (function|procedure) (\S+)", words)
    if function:
        return (f"GRANT EXECUTE ON {function[1].upper()} {function[2]} TO {sql_name(role)};",)
    if "row-level security" in words:
        return fix("row_security", role=role)
    return ()
