"""Whatever the columns say: a job is in one lifecycle state, and in the one that the design names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from aps import evidence
from aps.model.report import CONFLICT, UNCLASSIFIED
from tests.support.combinations import MAX_LEASE, STATES, Combination, fill
from tests.support.database import Database
from tests.support.looking import finding, snapshot, states
from tests.support.rows import NOW, READY, insert

CHUNK = 2000
LIMIT = 3


def judged(database: Database, rows: Sequence[Combination]) -> dict[int, tuple[str, ...]]:
    """The lifecycle states of each job at the moment NOW."""
    found: dict[int, tuple[str, ...]] = {}
    with snapshot(database) as seen:
        held = replace(seen, clock=NOW)
        for start in range(0, len(rows), CHUNK):
            jobs = [row.job for row in rows[start : start + CHUNK]]
            judgements = evidence.judge(held, [(str(job),) for job in jobs])
            assert not any(judgement.unread for judgement in judgements)
            found |= {
                job: judgement.lifecycle for job, judgement in zip(jobs, judgements, strict=True)
            }
    return found


def doubts(database: Database) -> set[str]:
    """What a look at the whole queue finds in two states or in none."""
    with snapshot(database) as seen:
        counts = evidence.survey(replace(seen, clock=NOW), 10)
    return {CONFLICT, UNCLASSIFIED} & set(counts)


def expected(row: Combination) -> str:
    """The state by the table of the design, in words of its own."""
    if row.state == "complete":
        return "withdrawn" if row.withdrawn else "confirmed_publication"
    if row.state in ("cancelled", "failed"):
        return row.state
    above = any(distance > 0 for distance in row.all)
    if row.state != "running":
        if row.owned or row.open or above:
            return "inconsistent_row"
        return "ready" if row.state == "ready" else "unconfirmed_materialization"
    if row.owned < 3 or row.lease is None or row.open != [0] or above:
        return "inconsistent_row"
    if row.lease > NOW:
        return "live_lease" if row.lease <= NOW + MAX_LEASE else "inconsistent_row"
    return "adoption" if row.abandoned + 1 < LIMIT else "poisoned"


def misjudged(database: Database, rows: Sequence[Combination]) -> Sequence[object]:
    found = judged(database, rows)
    return [(row, found[row.job]) for row in rows if found[row.job] != (expected(row),)][:5]


def test_every_row_that_the_constraints_let_in_is_in_exactly_one_state(database: Database) -> None:
    rows = fill(database)
    assert misjudged(database, rows) == []
    assert doubts(database) == set()
    assert Counter(row.state for row in rows).keys() == set(STATES)
    assert {expected(row) for row in rows} >= {"live_lease", "adoption", "poisoned", "withdrawn"}


def test_without_the_constraints_a_wrong_unfinished_row_is_inconsistent_and_nothing_else(
    database: Database,
) -> None:
    rows = fill(database, ("materializing", "ready", "running"), constrained=False)
    assert misjudged(database, rows) == []
    assert doubts(database) == set()
    owned = Counter((row.state, row.owned) for row in rows)
    assert owned.keys() == {(state, n) for state in STATES[:3] for n in range(4)}


def test_a_state_that_nobody_thought_of_is_unclassified(database: Database) -> None:
    database.execute(b"ALTER TABLE aps.job DROP CONSTRAINT state_known")
    insert(database, "job", READY | {"state": "paused"})
    assert states(database, 1) == [UNCLASSIFIED]
    assert finding(database, UNCLASSIFIED).jobs == 1
