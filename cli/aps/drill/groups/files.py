"""Groups 14 to 16: inputs that must be proved, orphans, and published files that are gone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from aps.demo import actor
from aps.demo.export import digest
from aps.drill.ground import Ground
from aps.drill.groups import parts
from aps.drill.operator import Operator
from aps.drill.scene import Scene, scene
from aps.drill.script import Notes, Script
from aps.model.operation import Operation
from aps.store import QUARANTINE

_CONTENT: Final = b"customer,country\n1001,NL\n"


def unconfirmed(ground: Ground, notes: Notes) -> None:
    worker = ground.actor(parts.tries(ground, "w1"), parts.LEASE, name="w1")
    operator = Operator(ground)
    with scene(ground, notes) as seen:
        by_producer, by_operator, wrong = (_waiting(ground, seen, f"r{n}") for n in (1, 2, 3))
        worker.cue()
        notes.did(
            "three requests wait for their inputs; a worker claimed, and each input was confirmed or not"
        )
        notes.saw("what the worker got", worker.news(), f"{parts.NOTHING} at try 1")
        state = operator.state(by_producer).state
        notes.saw("the state of the first", state, "unconfirmed_materialization")
        answers = [_confirm(ground, seen, by_producer, content) for content in (b"other", _CONTENT)]
        notes.saw(
            "confirmed by another digest, then by its own", answers, ["rejected", "confirmed"]
        )
        (ground.store / "inputs" / "r2.csv").write_bytes(_CONTENT)
        (ground.store / "inputs" / "r3.csv").write_bytes(b"other")
        state_name = "unconfirmed_materialization"
        told = operator.apply(operator.plan("reconcile", by_operator, wrong, state=state_name))
        notes.saw(
            "the two that an operator reconciled",
            _outcomes(told),
            {str(by_operator): "applied", str(wrong): "refused"},
        )
        worker.cue()
        worker.cue()
        taken = [worker.news().split()[1] for _ in range(2)]
        notes.saw("what the worker took then", taken, [str(by_producer), str(by_operator)])
        notes.saw("the third", operator.state(wrong).state, "unconfirmed_materialization")


def _waiting(ground: Ground, seen: Scene, key: str) -> int:
    name = f"inputs/{key}.csv"
    return ground.accept(seen.session, key, input_name=name, input_digest=digest(_CONTENT))


def _confirm(ground: Ground, seen: Scene, job: int, content: bytes) -> str | None:
    given = {"job_id": job, "digest": digest(content)}
    return (ground.worker(seen.session, "confirm_input", **given) or {}).get("answer")


def _outcomes(told: Operation) -> dict[str, str]:
    return {row.job: row.outcome for row in told.rows}


def orphan(ground: Ground, notes: Notes) -> None:
    lost = ground.actor(actor.held_at_the_end, parts.SHORT)
    heir = ground.actor(actor.held_at_the_end, parts.LEASE, parts.MANY)
    done = ground.actor(actor.all_jobs, parts.LEASE)
    with scene(ground, notes) as seen:
        published = seen.accept("published")
        done.cue()
        done.news()
        job = seen.accept("lost")
        lost.holds()
        lost.freeze()
        old = _path(ground, seen, job)
        seen.overdue(job)
        heir.holds()
        result = ground.store / str(seen.row(published)["published_name"])
        overlays = Operator(ground).state(job).overlays
        notes.held(
            "what lies on the job", "orphan_candidate" in overlays, overlays, "orphan_candidate"
        )
        _quarantined_and_restored(ground, notes, old, [_path(ground, seen, job), result])
        heir.cue()
        notes.saw("how the current owner ended", heir.news().split()[0], "published")


def _quarantined_and_restored(
    ground: Ground, notes: Notes, old: Path, others: Sequence[Path]
) -> None:
    before, untouched = old.read_bytes(), [file.read_bytes() for file in others]
    operator = Operator(ground)
    told = operator.apply(operator.plan("reconcile", state="orphan_candidate"))
    notes.did("the file of an epoch that is over was quarantined, then restored")
    name = str(old.relative_to(ground.store))
    items = {row.item: row.outcome for row in told.rows}
    notes.saw("what the cleanup did", items, {name: "applied"})
    aside = ground.store / QUARANTINE / told.operation / name
    notes.saw("the orphan in quarantine", _read(aside), before)
    notes.saw("the orphan under its name", _read(old), None)
    notes.saw("current candidate and published file", [_read(file) for file in others], untouched)
    undone = operator.undo(told.operation)
    notes.saw("the undo", [row.outcome for row in undone.rows], ["applied"])
    notes.saw("the orphan after it", [_read(old), _read(aside)], [before, None])


def _path(ground: Ground, seen: Scene, job: int) -> Path:
    return ground.store / str(seen.row(job)["candidate"])


def _read(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


def missing(ground: Ground, notes: Notes) -> None:
    worker = ground.actor(actor.all_jobs, parts.LEASE)
    with scene(ground, notes) as seen:
        jobs = [seen.accept(key) for key in ("removed", "changed", "kept")]
        worker.cue()
        worker.news()
        removed, other, _ = (ground.store / str(seen.row(job)["published_name"]) for job in jobs)
        content = removed.read_bytes()
        removed.unlink()
        other.write_bytes(b"other bytes")
        notes.did(
            "of three published files one was removed and one was changed; both were withdrawn"
        )
        _withdrawn_and_restored(ground, seen, jobs, lambda: removed.write_bytes(content))


def _withdrawn_and_restored(
    ground: Ground, seen: Scene, jobs: Sequence[int], restore: Callable[[], object]
) -> None:
    operator, notes = Operator(ground), seen.notes
    wrong = "missing_artifact"
    states = [operator.state(job).state for job in jobs]
    notes.saw("their states", states, [wrong, wrong, "confirmed_publication"])
    told = operator.apply(operator.plan("reconcile", *jobs[:2], state=wrong))
    notes.saw("the withdrawals", _outcomes(told), dict.fromkeys(map(str, jobs[:2]), "applied"))
    notes.saw("which of them are results", _results(seen, jobs), [False, False, True])
    early = _outcomes(operator.undo(told.operation))
    applied = "applied" in early.values()
    notes.held("an undo while the files are wrong", not applied, early, "nothing applied")
    restore()
    notes.did("one file came back from a backup, and the withdrawal was undone")
    late = _outcomes(operator.undo(told.operation))
    notes.saw("an undo when one is right again", late.get(str(jobs[0])), "applied")
    notes.saw("which of them are results then", _results(seen, jobs), [True, False, True])


def _results(seen: Scene, jobs: Sequence[int]) -> list[bool]:
    return [bool(seen.result(job)) for job in jobs]


SCRIPTS: Final = (
    Script(
        "unconfirmed-input",
        "An unconfirmed materialization is not claimable and is confirmed only by its digest",
        "no worker gets a job whose input nobody has proved, and no other bytes prove it",
        "that the input stays as it is afterwards: the worker checks it again",
        unconfirmed,
    ),
    Script(
        "orphan",
        "An orphan candidate is found, quarantined and restorable; the current one is not touched",
        "a cleanup takes only files of epochs that are over and that nothing names, and takes nothing away for good",
        "that nobody outside the database still reads the file by its name",
        orphan,
    ),
    Script(
        "missing-artifact",
        "A published artifact that is gone or differs is reported and never shown as a valid result",
        "the bytes are compared with what was recorded; what was withdrawn is no result until its file is right again",
        "that consumers who read it before know of it; and between the loss and the withdrawal the view still has it",
        missing,
    ),
)
