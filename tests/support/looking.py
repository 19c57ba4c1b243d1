"""The engine's eyes on a test's database: the reference matrix, a snapshot, a report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

from aps import database as sessions
from aps import matrix, packs, triage
from aps import snapshot as snapshots
from aps.model.matrix import Matrix
from aps.model.report import Finding, Report
from aps.snapshot import Snapshot
from aps.triage import Look
from tests.support.database import Database


@cache
def reference() -> Matrix:
    return matrix.load(packs.find(packs.DEFAULT))


def hasty() -> Matrix:
    """The reference matrix without its graces: a test does not wait for them."""
    loaded = reference()
    over = ("orphan_grace", "materialization_grace")
    parameters = {
        name: replace(one, value=one.value * 0) if name in over else one
        for name, one in loaded.parameters.items()
    }
    return replace(loaded, parameters=parameters)


def connect(database: Database, role: str = "aps_operate") -> sessions.Database:
    return sessions.connect(database.dsn(role), application="aps/test")


@contextmanager
def snapshot(database: Database, role: str = "aps_read") -> Iterator[Snapshot]:
    """All that is looked at inside is looked at on it."""
    with connect(database, role) as session, session.look():
        yield snapshots.take(session, reference(), session.probe())


def report(database: Database, *jobs: int) -> Report:
    """What `aps inspect` tells a person who may only look."""
    with connect(database, "aps_read") as session:
        return triage.inspect(reference(), session, Look(jobs=tuple(map(str, jobs))))


def finding(database: Database, state: str) -> Finding:
    return next(found for found in report(database).states if found.state == state)


def states(database: Database, *jobs: int) -> list[str]:
    """The one state of each job, in the order given."""
    return [job.state for job in report(database, *jobs).jobs]
