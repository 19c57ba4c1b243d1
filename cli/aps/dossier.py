"""What is told of one job when a person asks for it by name: the matrix's words, who holds it, what happened to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from aps import journal, statements
from aps.database import QueryError, Row
from aps.evidence import Judgement
from aps.model import duration, key
from aps.model.matrix import Fencing, Liveness, Query, State
from aps.model.report import Detail, Evidence, Guidance, Holder
from aps.model.runbook import FENCING, LIVENESS
from aps.snapshot import Key, Snapshot, explain, holder


def rows(snapshot: Snapshot, keys: Sequence[Key]) -> list[Row]:
    """The rows of the table that exist for these keys; no lock is taken."""
    sql = statements.rows(snapshot.matrix.table, snapshot.types, lock=False)
    return snapshot.database.rows(sql, snapshot.keys(keys))


def compile(snapshot: Snapshot, values: Key, judged: Judgement) -> Detail:
    """Everything for one job; what cannot be read is named in `errors` and is None, never empty."""
    errors: list[str] = []
    states = [snapshot.matrix.state(name) for name in (*judged.lifecycle, *judged.rows)]
    unique = list(dict.fromkeys(state for state in states if state))
    context: dict[str, tuple[Evidence, ...]] = {}
    for query in dict.fromkeys(query for state in unique for query in state.context):
        found = _context(snapshot, values, query, errors)
        if found is not None:
            context[query.name.removesuffix(".context")] = found
    return Detail(
        guidance=tuple(guidance(state, snapshot.matrix.fencing) for state in unique),
        holders=None if snapshot.server.in_recovery else _holders(snapshot, values, errors),
        context=context,
        operations=_operations(snapshot, values, errors),
        errors=tuple(errors),
    )


def guidance(state: State, fencing: Fencing) -> Guidance:
    reclaims = state.action is not None and state.action.run == "reclaim"
    return Guidance(
        state=state.name,
        title=state.title,
        means=state.means,
        not_=state.not_,
        evidence_file=state.evidence.file,
        effect=state.action.effect if state.action else None,
        criterion=state.rollback.criterion if state.rollback else None,
        irreversible=state.rollback.irreversible if state.rollback else None,
        forbidden=state.forbidden,
        next=state.next,
        tell=state.tell,
        outside_effects=state.outside_effects,
        done_when=state.done_when,
        retention=state.retention,
        team=state.owner.team,
        contact=state.owner.contact,
        escalate=state.owner.escalate,
        alive=_alive(state.liveness, reclaims),
        late=f"{FENCING[fencing]} (fencing {fencing})"
        if reclaims and fencing != "enforced"
        else None,
        seen_once=_seen_once(state.unlogged),
        attest=state.action.attest if state.action else None,
    )


def _alive(liveness: Liveness, reclaims: bool) -> str | None:
    """How weak the sign of life is; None where it is a lease, which the state itself tells, or nobody holds the job."""
    if liveness == "lease" or (liveness == "none" and not reclaims):
        return None
    return f"{LIVENESS[liveness]} (liveness {liveness})"


def _seen_once(apart: timedelta | None) -> str | None:
    if apart is None:
        return None
    return (
        "its evidence comes from an UNLOGGED table, which a crash empties; "
        f"aps acts only where it sees the same again {duration.exact(apart)} later"
    )


def holders(
    snapshot: Snapshot, keys: Sequence[Key], *, sharing: bool = False
) -> dict[int, list[Holder]]:
    """Who holds the rows of these keys, by the key's place in the list, as far as the role may see.

    A single transaction each, or with `sharing` those that hold one together: only for rows that are known to be held.
    """
    sql = statements.holders(snapshot.matrix.table, snapshot.types, sharing=sharing)
    found: dict[int, list[Holder]] = {}
    for row in snapshot.database.rows(sql, snapshot.keys(keys)):
        found.setdefault(int(row["ordinal"] or 0) - 1, []).append(holder(row))
    return found


def of_held(snapshot: Snapshot, keys: Sequence[Key]) -> dict[int, list[Holder]]:
    """Who holds these rows, which a lock was refused for."""
    found = holders(snapshot, keys)
    rest = [place for place, _ in enumerate(keys) if place not in found]
    if not rest:
        return found
    try:
        with snapshot.database.savepoint():
            shared = holders(snapshot, [keys[place] for place in rest], sharing=True)
    except QueryError:
        # A row that was let go meanwhile, whose number is that of no group.
        return found
    return found | {rest[place]: sharers for place, sharers in shared.items()}


def _holders(snapshot: Snapshot, values: Key, errors: list[str]) -> tuple[Holder, ...] | None:
    try:
        with snapshot.database.savepoint():
            return tuple(holders(snapshot, [values]).get(0, ()))
    except QueryError as error:
        errors.append(f"locks: {error}")
        return None


def _context(
    snapshot: Snapshot, values: Key, query: Query, errors: list[str]
) -> tuple[Evidence, ...] | None:
    try:
        with snapshot.database.savepoint():
            return tuple(
                snapshot.database.rows(query.sql, snapshot.bound | snapshot.keys([values]))
            )
    except QueryError as error:
        errors.append(f"{query.file}: {explain(error, query.sql, snapshot.server.role)}")
        return None


def _operations(snapshot: Snapshot, values: Key, errors: list[str]) -> tuple[Evidence, ...] | None:
    try:
        with snapshot.database.savepoint():
            return tuple(
                journal.of_job(snapshot.database, key.text(values), snapshot.matrix.system)
            )
    except QueryError as error:
        # 3F000, 42P01: no journal in this database, so no operations of aps either.
        if error.sqlstate in ("3F000", "42P01"):
            return ()
        errors.append(f"journal: {explain(error, journal.text('job'), snapshot.server.role)}")
        return None


def spoken(found: Sequence[Holder]) -> str:
    """Who holds a row, in words, as far as the role may see."""
    if not found:
        return "another transaction holds the row; who cannot be told (several may share it)"
    return "; ".join(str(holder) for holder in found)
