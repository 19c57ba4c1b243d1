"""Worker processes that are killed, or that have one name."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from aps.database import Row
from aps.demo import actor
from aps.demo.actor import Actor, Prompter
from aps.demo.worker import Worker
from aps.drill.ground import Ground
from aps.drill.operator import Operator
from aps.drill.scene import LONG, MANY, SHORT, Scene, changed
from aps.drill.scene import scene as opened
from aps.drill.script import Notes, Script
from aps.drill.trials import stopped
from aps.drill.waiting import until

_DIGEST: Final = f"sha256:{'0' * 64}"


def killed(ground: Ground, notes: Notes) -> None:
    early = ground.actor(actor.held_midway, LONG)
    passed, over = (ground.actor(actor.held_midway, SHORT) for _ in range(2))
    heir = ground.actor(actor.held_at_the_end, LONG, MANY)
    last = ground.actor(actor.all_jobs, LONG)
    with opened(ground, notes) as scene:
        _long_before(scene, early)
        _up_to_the_end(scene, passed, heir)
        _after_the_end(scene, over, last)


def _long_before(scene: Scene, worker: Actor) -> None:
    notes, job = scene.notes, scene.accept("long before")
    worker.holds()
    row = scene.row(job)
    worker.kill()
    notes.did(
        f"{worker.name} took job {job} under a lease of fourteen minutes and was killed at once"
    )
    notes.saw("an adoption long before the end", _adopt(scene, "hasty"), None)
    operator = Operator(scene.ground)
    notes.saw("its state long before the end", operator.state(job).state, "live_lease")
    plan = operator.plan("reclaim", job)
    told = (len(plan.jobs), [one.job for one in plan.refused])
    notes.saw("a plan to reclaim it: jobs to be changed, jobs refused", told, (0, [str(job)]))
    notes.saw("what of the row is another after both", changed(row, scene.row(job)), {})


def _adopt(scene: Scene, worker: str) -> Row | None:
    bound = {"worker": worker, "lease": LONG, "abandon_limit": MANY}
    return scene.ground.worker(scene.session, "adopt", **bound)


def _until_taken(scene: Scene, job: int, row: Row) -> None:
    """Look until the job has another epoch; whether a look before that saw it changed is noted."""
    looks: list[Row] = []

    def taken() -> bool:
        looks.append(scene.row(job))
        return looks[-1]["epoch"] != row["epoch"]

    until(taken, f"job {job} to be adopted")
    others = [changed(row, look) for look in looks[:-1] if look != row]
    scene.notes.did(f"the row was read {len(looks)} times until it had another epoch")
    scene.notes.saw("what of the row was another in a read before that", others, [])


def _up_to_the_end(scene: Scene, worker: Actor, heir: Actor) -> None:
    notes, job = scene.notes, scene.accept("up to the end")
    worker.holds()
    row = scene.row(job)
    worker.kill()
    heir.cue()
    notes.did(
        f"{worker.name} took job {job} for half a second and was killed; {heir.name} tried to adopt all the time"
    )
    _until_taken(scene, job, row)
    notes.saw("the job that was adopted", int(heir.news()), job)
    later = scene.later(job, "adopted", row["lease_until"])
    notes.held("seconds from the end of the lease to the adoption", later >= 0, later, "0 or more")
    heir.cue()
    told = heir.news().split()
    notes.saw("how the adopted job ended", told[:3], ["published", str(job), "2"])
    notes.saw("what consumers read", scene.result(job), [(told[-1], "2")])


def _after_the_end(scene: Scene, worker: Actor, last: Actor) -> None:
    notes, job = scene.notes, scene.accept("after the end")
    worker.holds()
    row = scene.row(job)
    scene.overdue(job)
    worker.kill()
    notes.did(f"{worker.name} took job {job} for half a second and was killed when that was over")
    notes.saw("what of the row is another", changed(row, scene.row(job)), {})
    operator = Operator(scene.ground)
    notes.saw("its state", operator.state(job).state, "adoption")
    done = operator.apply(operator.plan("reclaim", job))
    notes.saw("what the reclaim did", [one.outcome for one in done.rows], ["applied"])
    freed = scene.row(job)
    told = (freed["state"], freed["worker"], freed["epoch"])
    notes.saw("state, worker, epoch after it", told, ("ready", None, "2"))
    last.cue()
    last.news()
    notes.saw("epoch of its result", [one[-1] for one in scene.result(job)], ["3"])


def _twice(worker: Worker, prompter: Prompter, store: Path) -> None:
    """As `held_at_the_end`, and then again: one process, two jobs."""
    actor.held_at_the_end(worker, prompter, store)
    actor.held_at_the_end(worker, prompter, store)


def same_name(ground: Ground, notes: Notes) -> None:
    pairs = []
    for write, part in (
        ("heartbeat", actor.held_midway),
        ("publication", actor.held_at_the_end),
    ):
        fork = partial(ground.actor, name=f"twin/{write}")
        pairs.append((write, fork(part, SHORT), fork(_twice, LONG, MANY)))
    with opened(ground, notes) as scene:
        for write, first, second in pairs:
            _twins(scene, write, first, second)


def _twins(scene: Scene, write: str, first: Actor, second: Actor) -> None:
    notes, name = scene.notes, first.name
    jobs = [scene.accept(f"{write} {number}") for number in (1, 2)]
    job, other = taken = [first.holds(), second.holds()]
    owners = [(row["worker"], row["epoch"]) for row in map(scene.row, taken)]
    notes.did(f"two processes named {name} took jobs {job} and {other}")
    notes.saw(f"{write}: the jobs that they took", sorted(taken), jobs)
    notes.saw(f"{write}: worker and epoch of both", owners, [(name, "1")] * 2)
    _ends(scene, second, other, "1")
    scene.overdue(job)
    notes.saw(f"{write}: the job that the second adopted then", second.holds(), job)
    row = scene.row(job)
    notes.saw(f"{write}: its worker and epoch", (row["worker"], row["epoch"]), (name, "2"))
    first.cue()
    told = first.news().split()
    notes.did(
        f"the first went on with job {job}, by a {write}; then each statement was sent as it would"
    )
    notes.saw(f"{write}: what the first was told", told[:3], ["rejected", str(job), "1"])
    _asks_again(scene, write, job, name)
    notes.saw(f"{write}: what of the row is another", changed(row, scene.row(job)), {})
    _ends(scene, second, job, "2")


def _ends(scene: Scene, worker: Actor, job: int, epoch: str) -> None:
    worker.cue()
    told = worker.news().split()
    scene.notes.saw(f"job {job} to its owner", told[:3], ["published", str(job), epoch])
    scene.notes.saw(f"the result of job {job}", scene.result(job), [(told[-1], epoch)])


def _asks_again(scene: Scene, write: str, job: int, name: str) -> None:
    fence = {"job_id": job, "worker": name, "epoch": 1}
    further: dict[str, dict[str, object]] = {
        "heartbeat": {"lease": LONG, "progress": True},
        "publish": {"digest": _DIGEST},
        "release": {},
        "fail": {"reason": "told too late", "retry": False},
    }
    answers = {
        statement: (scene.ground.worker(scene.session, statement, **fence, **more) or {})["answer"]
        for statement, more in further.items()
    }
    refused = dict.fromkeys(further, "rejected")
    scene.notes.saw(f"{write}: the answers to that name under the old epoch", answers, refused)


SCRIPTS: Final = (
    Script(
        "worker-killed",
        "A worker is killed before its lease ends, and after",
        "its death changes nothing on the row; until the lease ends neither a worker nor an operator takes the job, "
        "from then on both may",
        "how soon somebody takes it after that",
        killed,
    ),
    *stopped.SCRIPTS,
    Script(
        "same-name",
        "Two processes have one worker name",
        "the name fences nothing between them: the epoch refuses every statement of the one before",
        "that people can tell the two apart: in rows and events both are one worker",
        same_name,
    ),
)
