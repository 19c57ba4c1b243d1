"""Is every job of the live population in exactly one lifecycle state?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from aps import evidence, statements
from aps.check.places import line
from aps.database import QueryError
from aps.evidence import Count
from aps.model import key
from aps.model.checked import Doubt, Finding, Totality, not_checked
from aps.model.matrix import Matrix
from aps.model.report import CONFLICT, UNCLASSIFIED
from aps.snapshot import Snapshot, explain

# Keys that are told of each doubt.
EXAMPLES = 5


def look(snapshot: Snapshot) -> Totality:
    """By the same survey that `inspect` makes. What cannot be read leaves it not checked."""
    population = snapshot.matrix.population
    try:
        with snapshot.database.savepoint():
            text = statements.read("check/population").format(population=population.sql)
            rows = snapshot.database.rows(text, snapshot.bound)
    except QueryError as error:
        reason = explain(error, population.sql, snapshot.server.role)
        return not_checked(f"the population could not be read: {reason}")
    jobs = int(rows[0]["jobs"] or 0)
    if not jobs:
        return not_checked("the population is empty", 0)
    counts = evidence.survey(snapshot, EXAMPLES)
    if snapshot.lifecycle_unread:
        unread = "; ".join(f"{name}: {why}" for name, why in snapshot.lifecycle_unread.items())
        return not_checked(f"not every state could be read: {unread}", jobs)
    unsure = snapshot.unread.get(CONFLICT) or snapshot.unread.get(UNCLASSIFIED)
    if unsure:
        return not_checked(unsure, jobs)
    doubts = tuple(_doubts(snapshot, counts))
    return Totality("broken" if doubts else "ok", jobs, None, doubts)


def repeated(snapshot: Snapshot) -> Iterator[Finding]:
    """States that return a job in several rows without an item: each row would count as a job."""
    for state in snapshot.states:
        columns = snapshot.columns[state.name]
        if "item" in columns or not {*snapshot.matrix.key} <= {*columns}:
            continue
        names = [statements.ident(column) for column in snapshot.matrix.key]
        sql = statements.read("check/repeated").format(
            keys=", ".join(names),
            keys_text=", ".join(f"{name}::text" for name in names),
            evidence=state.evidence.sql,
        )
        try:
            with snapshot.database.savepoint():
                row = snapshot.database.rows(sql, snapshot.bound | {"aps_limit": EXAMPLES})[0]
        except QueryError:
            continue  # What cannot be read has been told.
        if jobs := int(row["jobs"] or 0):
            listed = json.loads(str(row["keys"]))
            examples = _listed(jobs, [key.text(tuple(one)) for one in listed])
            told = f"returns {examples} more than once: each row counts as a job"
            remedy = "return one row a job (aggregate what is joined in LATERAL), or an item that tells them apart"
            yield Finding(state.evidence.file, line(state.evidence), "fault", told, remedy)


def _listed(jobs: int, examples: Sequence[str]) -> str:
    such = "such as " * (jobs > len(examples))
    return f"{jobs} job{'s' * (jobs != 1)} ({such}{', '.join(examples)})"


def _doubts(snapshot: Snapshot, counts: Mapping[str, Count]) -> Iterator[Doubt]:
    if found := counts.get(CONFLICT):
        states: dict[str, None] = {}
        for judged in evidence.judge(snapshot, found.keys):
            states |= dict.fromkeys(judged.lifecycle)
        yield Doubt("conflict", found.jobs, _examples(found), tuple(states))
    if found := counts.get(UNCLASSIFIED):
        yield Doubt("unclassified", found.jobs, _examples(found), ())


def _examples(count: Count) -> tuple[str, ...]:
    return tuple(map(key.text, count.keys))


def faults(matrix: Matrix, totality: Totality) -> Iterator[Finding]:
    for doubt in totality.doubts:
        jobs = _listed(doubt.jobs, doubt.examples)
        if doubt.kind == CONFLICT:
            query = next(
                (state.evidence for state in matrix.states if state.name in doubt.states),
                matrix.population,
            )
            told = f"{jobs}: {' and '.join(doubt.states)} both claim a job"
            remedy = "let each state's query exclude the others"
        else:
            query = matrix.population
            told = f"{jobs}: in the population, and no lifecycle state claims a job"
            remedy = "add a state for them, widen a state's query, or leave finished jobs out here"
        yield Finding(query.file, line(query, "where"), "fault", told, remedy)
