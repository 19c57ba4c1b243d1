"""A cleanup against those who come to need the file: a request that takes it as its input, a worker that publishes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from aps.demo import actor
from aps.demo.actor import Actor
from aps.demo.export import digest
from aps.drill import rows
from aps.drill.ground import Ground
from aps.drill.operator import Operator
from aps.drill.script import Notes, Script
from aps.drill.trials import cleaning
from aps.drill.trials.cleaning import LOCKED, LONG, STEPS, Held
from aps.model.operation import Operation

# Long enough for a loaded machine to write a small file in it.
_SHORT: Final = timedelta(milliseconds=800)
# Before the rows are judged under their lock; after they were asked once more.
_EARLY: Final = ("begun", "locked")
_LATE: Final = ("asked", "closed")
_INPUTS: Final = "unconfirmed_materialization"


@dataclass
class _Callers:
    """Requests that take an orphan as their input, one while the operation stands at each of its steps."""

    ground: Ground
    before: dict[str, bytes]
    names: dict[int, str]
    # Step to the job that takes the file.
    jobs: dict[str, int] = field(default_factory=dict)

    def take(self, step: str, job: int) -> None:
        name = self.names[job]
        given = {"input_name": name, "input_digest": digest(self.before[name])}
        with self.ground.session(name="caller") as session:
            self.jobs[step] = self.ground.accept(session, f"takes the file at {step}", **given)

    def unconfirmed(self) -> list[str]:
        """Confirm what inputs there are; the steps whose requests have none."""
        operator = Operator(self.ground)
        operator.apply(operator.plan("reconcile", state=_INPUTS))
        with self.ground.session("aps_read") as reader:
            states = {step: self.ground.job(reader, job) for step, job in self.jobs.items()}
        return sorted(step for step, row in states.items() if row["state"] != "ready")


def needed(ground: Ground, notes: Notes) -> None:
    worker = cleaning.leaver(ground)
    cleaning.left_behind(ground, worker, len(STEPS))
    first = Held(ground, lambda step, job: callers.take(step, job))
    plan = first.plan()
    before = cleaning.contents(ground)
    callers = _Callers(ground, before, first.names)
    done = first.operator.apply(plan)
    notes.did(
        f"a worker left {len(STEPS)} files; while a cleanup of all of them stood at each of its steps, a request came "
        "that has one of them as its input"
    )
    notes.saw("steps at which no request came", sorted({*STEPS} - {*first.met}), [])
    became, now = _became(done), cleaning.contents(ground)
    for step, job in first.met.items():
        name = first.names[job]
        seen = f"{became[job]}: {' '.join(cleaning.names_of(now, before[name]))}"
        notes.saw(f"{step}: the file", seen, _expected(step, name, done))
    notes.saw(
        "moves without an outcome in the journal", list(cleaning.moves(ground).unrecorded), []
    )
    late = sorted(_LATE)
    notes.saw("requests whose input is not confirmed", callers.unconfirmed(), late)
    first.operator.undo(done.operation)
    notes.did("the cleanup was undone")
    wrong = cleaning.differing(before, cleaning.contents(ground))
    notes.saw("files that are not back with the same bytes and one name", wrong, [])
    notes.saw("requests whose input is not confirmed then", callers.unconfirmed(), [])


def _became(done: Operation) -> dict[int, str]:
    said = {"applied": "moved", "changed": "left"}
    return {
        int(row.job): "moved back"
        if row.detail.startswith("moved back: ")
        else said.get(row.outcome, row.outcome)
        for row in done.rows
    }


def _expected(step: str, name: str, done: Operation) -> str:
    if step in _LATE:
        return f"moved: {cleaning.place(done.operation, name)}"
    return f"{'left' if step in _EARLY else 'moved back'}: {name}"


@dataclass
class _Workers:
    """Of each job the worker that was stopped and whose epoch is over, and the one that holds the job now."""

    ground: Ground
    old: dict[int, Actor]
    new: dict[int, Actor]
    # Step to what the two were answered.
    answers: dict[str, list[str]] = field(default_factory=dict)
    waiting: dict[str, tuple[Actor, Actor]] = field(default_factory=dict)

    def publish(self, step: str, job: int) -> None:
        """First the one that was stopped, then the one that may; while the row is locked both wait for it."""
        if job not in self.old:
            return
        waits = (rows.ROW, "tuple")
        pair = (self.old[job], self.new[job])
        pair[0].wake()
        for one, event in zip(pair, waits, strict=True):
            one.cue()
            if step in LOCKED:
                rows.waits(self.ground, f"worker/{one.name}", event)
            else:
                self.answers.setdefault(step, []).append(_answer(one))
        if step in LOCKED:
            self.waiting[step] = pair

    def answered(self) -> None:
        """Read what those that had waited were told."""
        for step, pair in self.waiting.items():
            self.answers[step] = [_answer(one) for one in pair]


def _answer(worker: Actor) -> str:
    return worker.news().partition(" ")[0]


def _two_epochs(ground: Ground, count: int) -> tuple[int, _Workers]:
    """A job that is published; and so many with a stopped worker of epoch 1 and a living one of epoch 2, their files
    whole."""
    done = ground.actor(actor.all_jobs, LONG)
    old = [ground.actor(actor.held_at_the_end, _SHORT) for _ in range(count)]
    new = [ground.actor(actor.held_at_the_end, LONG, abandon_limit=3) for _ in range(count)]
    with ground.session() as session:
        published = ground.accept(session, "published before")
        done.cue()
        done.news()
        jobs = [ground.accept(session, f"request {number}") for number in range(count)]
        stopped = {}
        for one in old:
            stopped[one.holds()] = one
            one.freeze()
        for job in jobs:
            ground.overdue(session, job)
    return published, _Workers(ground, stopped, {one.holds(): one for one in new})


def published(ground: Ground, notes: Notes) -> None:
    first = Held(ground, lambda step, job: workers.publish(step, job))
    done_before, workers = _two_epochs(ground, len(STEPS) + 1)
    notes.did(
        f"{len(workers.old)} workers wrote their files whole and were stopped (SIGSTOP) past their leases; others "
        "adopted the jobs and wrote theirs whole"
    )
    plan = first.plan()
    before = cleaning.contents(ground)
    names = cleaning.candidates(ground, [done_before, *sorted(workers.new)])
    left = sorted(names[job][1] for job in workers.old)
    other = sorted({*left} ^ {*first.names.values()})
    notes.saw("files that are left and not to be moved, or to be moved and not left", other, [])
    done = first.operator.apply(plan)
    workers.answered()
    notes.did(
        "a cleanup of what was left stood at each of its steps; each time a stopped worker was woken (SIGCONT) and "
        "tried to publish, and the one that holds its job now published"
    )
    _answers(notes, workers, first)
    _still_worked_on(ground, notes, workers, first, names)
    _read(ground, notes, names)
    cleaning.astray(ground, notes, before, left)
    first.operator.undo(done.operation)
    notes.did("the cleanup was undone")
    wrong = cleaning.differing(before, cleaning.contents(ground))
    notes.saw("files that are not as they were, with one name", wrong, [])
    _read(ground, notes, names, " then")


def _read(ground: Ground, notes: Notes, names: dict[int, dict[int, str]], when: str = "") -> None:
    """Every job is published by its last epoch."""
    expected = {job: f"{of[max(of)]}, whole" for job, of in names.items()}
    wrong = {job: seen for job in names if (seen := cleaning.result(ground, job)) != expected[job]}
    notes.saw(f"jobs whose reader has not the whole file of the last epoch{when}", wrong, {})


def _answers(notes: Notes, workers: _Workers, first: Held) -> None:
    notes.saw("steps at which nobody published", sorted({*STEPS} - {*first.met}), [])
    for step, answers in workers.answers.items():
        notes.saw(f"{step}: the answers to the two", answers, ["rejected", "published"])


def _still_worked_on(
    ground: Ground, notes: Notes, workers: _Workers, first: Held, names: dict[int, dict[int, str]]
) -> None:
    for job in workers.new.keys() - first.met.values():
        name = names[job][2]
        there = (ground.store / name).is_file()
        notes.saw("the file of an epoch that is still worked on has its name", there, True)
        workers.new[job].cue()
        answer = _answer(workers.new[job])
        notes.saw("the answer to its worker, after the cleanup", answer, "published")


SCRIPTS: Final = (
    Script(
        "cleanup-needed-again",
        "A request takes the file as its input while a cleanup stands at each of its steps",
        "a file that a row names before it is asked for the last time is not moved, or moved back with the same bytes",
        "that a request which comes after that finds the file: it lies in quarantine, its input is not confirmed, and "
        "undo brings it back",
        needed,
    ),
    Script(
        "cleanup-against-publication",
        "Workers publish while a cleanup stands at each of its steps; one was stopped and its epoch is over",
        "a cleanup takes no file that is published or of an epoch that is not over, and does not keep a worker from "
        "publishing",
        "that a stopped worker writes nothing more into its file: what it wrote before it was woken is what was moved",
        published,
    ),
)
