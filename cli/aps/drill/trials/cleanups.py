"""Two cleanups at once, and a cleanup against those who publish the file or come to need it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Final

from aps.demo.actor import Actor, Part, Prompter
from aps.demo.worker import Worker
from aps.drill.ground import Ground
from aps.drill.operator import Operator
from aps.drill.script import Notes, Script
from aps.drill.trials import cleaning, contested
from aps.drill.trials.cleaning import LOCKED, LONG, MET, STEPS, Held, Outcomes
from aps.model.plan import Plan

# Where a second operation can stand while the first one does: later on the old name is gone.
_BESIDE: Final = ("move judged", "move folder", "move linked", "move synced", "move checked")
_SIDE_BY_SIDE: Final = (*_BESIDE, "begun", "committed")


def _one_by_one(ground: Ground) -> Part:
    """On the first cue plan, an operation a file; on each further one apply the next, in the order in which the first
    operator meets the steps; on the last cue those again that met a lock.
    """

    def part(_: Worker, prompter: Prompter, __: object) -> None:
        operator = Operator(ground, "second")
        prompter.wait()
        found = operator.plan("reconcile", state=cleaning.STATE)
        jobs = dict(zip(STEPS, (int(one.job) for one in found.jobs), strict=True))
        plans = {step: operator.plan("reconcile", jobs[step]) for step in MET}
        prompter.tell("planned")
        locked = []
        for step, plan in plans.items():
            prompter.wait()
            outcome = _outcome(operator, plan)
            locked += [step] if outcome == "locked" else []
            prompter.tell(outcome)
        prompter.wait()
        prompter.tell(json.dumps({step: _outcome(operator, plans[step]) for step in locked}))

    return part


def _outcome(operator: Operator, plan: Plan) -> str:
    (row,) = operator.apply(plan).rows
    return row.outcome


def _abreast(ground: Ground) -> Part:
    """On the first cue plan one operation, on the second begin it; it stands where the first one does, until a cue."""

    def part(_: Worker, prompter: Prompter, __: object) -> None:
        def stand(step: str, _: int) -> None:
            prompter.tell(step)
            prompter.wait()

        held = Held(ground, stand, _SIDE_BY_SIDE, "second")
        prompter.wait()
        plan = held.plan()
        prompter.tell("planned")
        prompter.wait()
        prompter.tell(json.dumps(cleaning.told(held.operator.apply(plan))))

    return part


@dataclass
class _Both:
    """Two operators on files that were left. `heard`: step to what the second one told while the first stood at it."""

    ground: Ground
    notes: Notes
    other: Actor
    steps: tuple[str, ...]
    heard: dict[str, str] = field(default_factory=dict)
    before: dict[str, bytes] = field(default_factory=dict)
    nameless: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, ground: Ground, notes: Notes, part: Part, steps: tuple[str, ...]) -> _Both:
        worker = cleaning.leaver(ground)
        other = ground.actor(part, LONG, name="second")
        cleaning.left_behind(ground, worker, len(steps))
        notes.did(f"a worker left {len(steps)} whole files of jobs that it reported as failed")
        return cls(ground, notes, other, steps)

    def run(self) -> Outcomes:
        """Let the first one do all of it; what it was told."""
        self.first = Held(self.ground, self._meanwhile, self.steps)
        self.other.cue()
        plan = self.first.plan()
        self.before = cleaning.contents(self.ground)
        self.other.news()
        told = cleaning.told(self.first.operator.apply(plan))
        missed = sorted({*self.steps} - {*self.heard})
        self.notes.saw("steps that the two did not meet at", missed, [])
        return told

    def _meanwhile(self, step: str, job: int) -> None:
        self.other.cue()
        self.heard[step] = self.other.news()
        before = self.before[self.first.names[job]]
        if not cleaning.names_of(cleaning.contents(self.ground), before):
            self.nameless.append(step)

    def end(self) -> None:
        """Judge where the files lie, and undo all of it."""
        self.notes.saw("steps at which the file had no name", self.nameless, [])
        names = list(self.first.names.values())
        moves = cleaning.astray(self.ground, self.notes, self.before, names)
        for operation in moves.operations:
            Operator(self.ground, "second").undo(operation)
        self.notes.did("every operation that had moved a file was undone")
        wrong = cleaning.differing(self.before, cleaning.contents(self.ground))
        self.notes.saw("files that are not back with the same bytes and one name", wrong, [])


def overtaken(ground: Ground, notes: Notes) -> None:
    both = _Both.of(ground, notes, _one_by_one(ground), STEPS)
    told = both.run()
    notes.did(
        "an operation on all of them stood at each of its steps, each time because of another file, while a second "
        "process moved that file from the beginning to the end"
    )
    for step, job in both.first.met.items():
        outcomes = sorted((told[job], both.heard[step]))
        expected = ["applied", "locked" if step in LOCKED else "already"]
        notes.saw(f"{step}: what the two were told", outcomes, sorted(expected))
    if both.heard.keys() >= {*STEPS}:
        both.other.cue()
        again = json.loads(both.other.news())
        expected_then = {step: "already" for step in LOCKED}
        notes.saw("what the second is told, asked again after a lock", again, expected_then)
    both.end()


def beside(ground: Ground, notes: Notes) -> None:
    both = _Both.of(ground, notes, _abreast(ground), _SIDE_BY_SIDE)
    told = both.run()
    both.other.cue()
    said = {int(job): outcome for job, outcome in json.loads(both.other.news()).items()}
    notes.did(
        "two processes, each with an operation on all of them, stood at the same step of the same file; then the first "
        "went on with that file, and after it the second"
    )
    stood = {step: heard for step, heard in both.heard.items() if heard != step}
    notes.saw("steps at which the second did not stand", stood, {})
    for step, job in both.first.met.items():
        outcomes = sorted((told[job], said[job]))
        notes.saw(f"{step}: what the two were told", outcomes, ["already", "applied"])
    both.end()


_NO_OTHER_STORAGE: Final = (
    "the same of a network file system, or of two machines that see one folder differently"
)
SCRIPTS: Final = (
    Script(
        "cleanup-overtaken",
        "Two cleanups of one file: the second runs through while the first stands at each of its steps",
        "one of the two is told that it moved the file, the other that it lies there or that its row is locked; "
        "journal and folder agree, and undo restores the bytes",
        _NO_OTHER_STORAGE,
        overtaken,
    ),
    Script(
        "cleanup-side-by-side",
        "Two cleanups of one file stand at the same step of its move",
        "of two moves that both have begun one takes the old name away, and the file has a name at each of these steps",
        _NO_OTHER_STORAGE,
        beside,
    ),
    *contested.SCRIPTS,
)
