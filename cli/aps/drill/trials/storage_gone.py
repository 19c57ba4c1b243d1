"""A store that is gone under its workers and under the operator."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

from aps.database import Database
from aps.demo import actor
from aps.demo.actor import Actor, Part, Prompter
from aps.demo.worker import Worker
from aps.drill import rows
from aps.drill.ground import Ground
from aps.drill.operator import Operator
from aps.drill.script import Notes, Script
from aps.errors import StoreError
from aps.model.plan import Plan
from aps.model.report import Job as JobReport

_SHORT: Final = timedelta(milliseconds=400)
_LONG: Final = timedelta(minutes=14)
_MANY: Final = 99


def _telling(part: Part) -> Part:
    """The part; where its process would end by an error of the system, it tells the error first."""

    def telling(worker: Worker, prompter: Prompter, store: Path) -> None:
        try:
            part(worker, prompter, store)
        except OSError as error:
            prompter.tell(error.strerror or "an error of the system")

    return telling


@contextmanager
def _away(store: Path) -> Iterator[None]:
    """Its folder is not there; what lies in its place at the end is a fault of whoever made it."""
    elsewhere = store.with_name(f"{store.name}-elsewhere")
    store.rename(elsewhere)
    try:
        yield
    finally:
        if store.exists():
            store.rename(store.with_name(f"{store.name}-made"))
        elsewhere.rename(store)


def gone(ground: Ground, notes: Notes) -> None:
    first, last = (ground.actor(actor.all_jobs, _LONG, _MANY) for _ in range(2))
    midway = ground.actor(_telling(actor.held_midway), _LONG)
    late = ground.actor(_telling(actor.held_midway), _SHORT)
    with ground.session() as session, ground.session("aps_read") as reader:
        whole, lost = (ground.accept(session, name) for name in ("whole", "lost"))
        first.cue()
        first.news()
        plan = _lost(ground, reader, lost)
        notes.did(f"jobs {whole} and {lost} were published; the file of {lost} was deleted")
        written = ground.accept(session, "written")
        midway.holds()
        claimed = ground.accept(session, "claimed")
        with _away(ground.store):
            _worked(ground, notes, midway, late)
            _operated(ground, notes, plan, whole, lost)
            ground.overdue(reader, claimed)
            notes.saw(
                "the results", _results(ground, (whole, lost, written, claimed)), [whole, lost]
            )
            notes.saw("what does not fit together", rows.unfitting(ground), [])
        fence = {"job_id": written, "worker": midway.name, "epoch": 1}
        ground.worker(session, "fail", reason="its store is gone", retry=True, **fence)
    _back(ground, notes, last, plan, (whole, lost, written, claimed))


def _lost(ground: Ground, reader: Database, job: int) -> Plan:
    """The withdrawal of a publication whose file is deleted here."""
    name = ground.job(reader, job)["published_name"]
    (ground.store / str(name)).unlink()
    return Operator(ground).plan("reconcile", job)


def _worked(ground: Ground, notes: Notes, midway: Actor, late: Actor) -> None:
    """Workers without a store."""
    midway.cue()
    late.cue()
    notes.did(
        "the store was gone; one worker was in the middle of its file, another took a job now"
    )
    missing = os.strerror(errno.ENOENT)
    notes.saw("why the workers ended", [midway.news(), late.news()], [missing, missing])
    notes.saw("whether a worker made the store anew", ground.store.exists(), False)


def _operated(ground: Ground, notes: Notes, plan: Plan, *jobs: int) -> None:
    """An operator without the store, then with an empty folder in its place, as a mount leaves one."""
    for place in ("the store gone", "an empty folder in its place"):
        if place != "the store gone":
            ground.store.mkdir()
        report = Operator(ground).inspect(*jobs)
        said = {one.state: one.verdict for one in report.states}
        notes.held(f"{place}: the store", bool(report.store.error), report.store.error, "an error")
        notes.saw(f"{place}: missing_artifact", said["missing_artifact"], "undetermined")
        claims = {one.job: f"{one.state} {_level(one)}" for one in report.jobs}
        recorded = dict.fromkeys(claims, "confirmed_publication recorded")
        notes.saw(f"{place}: both publications, at which level", claims, recorded)
        notes.saw(f"{place}: the planned withdrawal", _refused(ground, plan), "refused")
        notes.saw(f"{place}: a new plan", _refused(ground, None, *jobs), "refused")
    ground.store.rmdir()


def _level(job: JobReport) -> str | None:
    """How far its file was looked at."""
    rows = job.evidence.get(job.state) or ({},)
    return rows[0].get("level")


def _refused(ground: Ground, plan: Plan | None, *jobs: int) -> str:
    operator = Operator(ground)
    try:
        told = operator.apply(plan or operator.plan("reconcile", *jobs))
    except StoreError:
        return "refused"
    return " ".join(row.outcome for row in told.rows) or "nothing to do"


def _results(ground: Ground, jobs: tuple[int, ...]) -> list[int]:
    """Those of the jobs that have a result."""
    with ground.session("aps_read") as reader:
        return [job for job in jobs if ground.ask(reader, "results", job_id=job)]


def _back(
    ground: Ground, notes: Notes, last: Actor, plan: Plan, jobs: tuple[int, int, int, int]
) -> None:
    last.cue()
    last.news()
    notes.did("the store was back, and a worker did what was left")
    whole, _, written, claimed = jobs
    states = [Operator(ground).state(job) for job in jobs]
    found = [[one.state, *one.overlays] for one in states]
    confirmed = ["confirmed_publication"]
    expected = [confirmed, ["missing_artifact"], [*confirmed, "orphan_candidate"], confirmed]
    notes.saw("the jobs with the store back", found, expected)
    notes.saw("the planned withdrawal with the store back", _refused(ground, plan), "applied")
    notes.saw("the results in the end", _results(ground, jobs), [whole, written, claimed])


SCRIPTS: Final = (
    Script(
        "storage-gone",
        "The store is gone under its workers and under the operator",
        "no worker makes a store anew or publishes without it, and nobody withdraws what he cannot see",
        "that a worker notices an empty folder in the place of its store: only aps asks for the identity",
        gone,
    ),
)
