"""The jobs of a plan, judged: by their rows alone, or with their files, which are read while no transaction is open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from aps import causes, choosing, evidence, files, naming, permission, shortlist
from aps import snapshot as snapshots
from aps.choosing import Selection
from aps.errors import Refused, StoreError
from aps.evidence import Judgement
from aps.files import Looked, Sight, Wanted
from aps.model.matrix import State
from aps.model.report import Cause, Evidence
from aps.snapshot import Key, Snapshot

# So many inputs are judged together until enough are found that may be confirmed.
_GROUP = 100


@dataclass(frozen=True, slots=True)
class Gathered:
    """`found` is all that the state holds, `jobs` those chosen, each with its judgement; `snapshot` is the last look.

    `beside` has what lies over each job where its files were looked at for that alone; `ahead` those with a file of an
    epoch that they have not reached.
    """

    snapshot: Snapshot
    state: State | None
    found: int
    jobs: dict[Key, Judgement]
    looked: Looked = field(default_factory=Looked)
    beside: dict[Key, Judgement] = field(default_factory=dict)
    ahead: dict[Key, str] = field(default_factory=dict)
    causes: tuple[Cause, ...] = ()

    def rows(self, judged: Judgement, wanted: Wanted | None) -> tuple[Evidence, ...]:
        """The evidence to act upon: of several items those that were asked for."""
        assert self.state
        rows = judged.rows[self.state.name]
        return wanted.of(rows, self.snapshot.clock) if wanted and len(rows) > 1 else rows


def by_rows(snapshot: Snapshot, command: str, selection: Selection) -> Gathered:
    """Inside a transaction. Raises NoSuchJob, Usage, Refused, QueryError."""
    matrix = snapshot.matrix
    if selection.jobs:
        keys = naming.named(snapshot, selection.jobs)
        judged = evidence.judge(snapshot, keys)
        state = choosing.of_jobs(matrix, command, selection.state, judged)
        choosing.within_limit(state, len(keys), "jobs named")
    else:
        state = choosing.of_all(matrix, command, selection.state)
        keys = _oldest(snapshot, state, selection.wanted(state))
        judged = evidence.judge(snapshot, keys) if keys else []
    found = evidence.count(snapshot, state).jobs if state else len(keys)
    shared = causes.of_state(snapshot, state) if state and found >= causes.FEW else ()
    jobs = dict(zip(keys, judged, strict=True))
    return Gathered(snapshot, state, found, jobs, causes=shared)


def _oldest(snapshot: Snapshot, state: State, wanted: Wanted) -> list[Key]:
    """The eligible jobs, oldest first."""
    _readable(snapshot, state)
    return shortlist.select(
        snapshot,
        state,
        wanted.keep,
        where=wanted.where,
        older_than=wanted.older_than,
        eligible=wanted.eligible,
    )


def _readable(snapshot: Snapshot, state: State) -> None:
    if state.name in snapshot.unread:
        raise Refused(f"{state.name} could not be read: {snapshot.unread[state.name]}")


def beside(sight: Sight, gathered: Gathered) -> Gathered:
    """The same jobs, with what their files say of them; the rows alone stay what is acted upon.

    Raises StoreError, QueryError.
    """
    snapshot, keys = gathered.snapshot, list(gathered.jobs)
    trust(sight, snapshot)
    _, judged, looked = files.of_jobs(sight, snapshot, keys)
    ahead = {
        key: why for key, why in files.ahead(sight, snapshot, looked.notes) if key in gathered.jobs
    }
    return replace(
        gathered, looked=looked, beside=dict(zip(keys, judged, strict=True)), ahead=ahead
    )


def trust(sight: Sight, snapshot: Snapshot) -> None:
    """Raises StoreError where the store is not the one that this database publishes into."""
    fault = files.fault(sight, snapshot)
    if fault:
        raise StoreError(fault)


def not_older(sight: Sight, snapshot: Snapshot, notes: list[str]) -> None:
    """Raises StoreError where the database is older than the store: nothing that it says of files holds."""
    for _, why in files.ahead(sight, snapshot, notes):
        raise StoreError(f"store {sight.url}: {why}")


def by_files(sight: Sight, snapshot: Snapshot, command: str, selection: Selection) -> Gathered:
    """Every chosen job rehashed. No transaction may be open. Raises as `by_rows`, and StoreError."""
    trust(sight, snapshot)
    if selection.jobs:
        return _named(sight, snapshot, command, selection)
    state = choosing.of_all(snapshot.matrix, command, selection.state)
    wanted = selection.wanted(state)
    _readable(snapshot, state)
    shortlist.has_columns(snapshot, state, wanted.where)
    if state.artifacts in ("claimed", "listed"):
        return _surveyed(sight, snapshot, state, wanted)
    return _in_groups(sight.rehashing(), snapshot, state, wanted)


def _named(sight: Sight, snapshot: Snapshot, command: str, selection: Selection) -> Gathered:
    with snapshot.database.look():
        keys = naming.named(snapshot, selection.jobs)
    fresh, judged, looked = files.of_jobs(sight.rehashing(), snapshot, keys)
    not_older(sight, snapshot, looked.notes)
    state = choosing.of_jobs(snapshot.matrix, command, selection.state, judged)
    choosing.within_limit(state, len(keys), "jobs named")
    choosing.whole(snapshot.matrix, state, looked)
    return Gathered(fresh, state, len(keys), dict(zip(keys, judged, strict=True)), looked)


def _surveyed(sight: Sight, snapshot: Snapshot, state: State, wanted: Wanted) -> Gathered:
    """The whole queue or store looked at as far as was asked, the chosen jobs to the last byte."""
    looked = files.survey(sight, snapshot, state, wanted)
    why = looked.error or looked.unseen.get(state.name)
    if why:
        raise StoreError(why)
    if state.artifacts == "claimed":
        not_older(sight, snapshot, looked.notes)
    choosing.whole(snapshot.matrix, state, looked)
    count = looked.counts[state.name]
    fresh, judged, deep = files.of_jobs(sight.rehashing(), snapshot, count.keys)
    jobs = dict(zip(count.keys, judged, strict=True))
    return Gathered(
        fresh, state, count.jobs, _eligible(fresh, state, wanted, jobs), _deepened(looked, deep)
    )


def _deepened(looked: Looked, deep: Looked) -> Looked:
    return replace(looked, level=deep.level)


def _in_groups(sight: Sight, snapshot: Snapshot, state: State, wanted: Wanted) -> Gathered:
    """Oldest first, until there are enough whose files permit it."""
    looked = Looked(level=sight.level, notes=list(sight.told))
    not_older(sight, snapshot, looked.notes)
    jobs: dict[Key, Judgement] = {}
    fresh = snapshot
    for keys in _groups(snapshot, state, wanted):
        fresh, judged, _ = files.of_jobs(sight, snapshot, keys)
        jobs |= _eligible(fresh, state, wanted, dict(zip(keys, judged, strict=True)))
        if len(jobs) >= wanted.keep:
            break
    with snapshot.database.look():
        found = evidence.count(snapshots.again(snapshot), state).jobs
    kept = dict(list(jobs.items())[: wanted.keep])
    return Gathered(fresh, state, found, kept, looked)


def _groups(snapshot: Snapshot, state: State, wanted: Wanted) -> Iterator[list[Key]]:
    """The jobs of a state by their rows, oldest first, each once; whether its file permits it is not asked yet."""
    seen: dict[Key, None] = {}
    # Asking for twice as many each time costs no more than twice the whole.
    ask = _GROUP
    while True:
        with snapshot.database.look():
            fresh = snapshots.again(snapshot)
            keys = _oldest(fresh, state, replace(wanted, keep=ask, eligible=False))
        new = [key for key in keys if key not in seen]
        seen |= dict.fromkeys(new)
        for start in range(0, len(new), _GROUP):
            yield new[start : start + _GROUP]
        if len(keys) < ask:
            return
        ask *= 2


def _eligible(
    snapshot: Snapshot, state: State, wanted: Wanted, jobs: dict[Key, Judgement]
) -> dict[Key, Judgement]:
    """Those that are in the state still, now that their files were read."""
    return {
        key: judged
        for key, judged in jobs.items()
        if permission.holds(judged, state)
        and not permission.refusal(judged, state)
        and _still(snapshot, judged.rows[state.name], wanted)
    }


def _still(snapshot: Snapshot, rows: Sequence[Evidence], wanted: Wanted) -> bool:
    return len(rows) == 1 or bool(wanted.of(rows, snapshot.clock))
