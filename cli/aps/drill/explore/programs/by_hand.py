"""Evidence that somebody changes by hand between plan and apply: one program a column that can be changed alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from aps.database import QueryError, Row
from aps.drill.explore.program import LEASE, Hand, Program, Role
from aps.drill.explore.programs import files, operating, setups
from aps.drill.explore.scene import Scene, text

_HAND: Final = "H"
Setup = Callable[[Scene], Mapping[str, Row]]


def _changes(what: str) -> Callable[[Hand], None]:
    """One statement of the superuser's; what the schema forbids is told, and is no fault."""

    def play(hand: Hand) -> None:
        hand.cue(what)
        try:
            hand.session.call(text(f"by_hand/{what}"), {})
        except QueryError as error:
            hand.tell(what, f"forbidden: {error.sqlstate}")
        else:
            hand.tell(what, "changed")

    return play


def _rewrites(hand: Hand) -> None:
    """Other bytes in the file, as many."""
    hand.cue("rewrite the file")
    files.write(hand.scene, str((hand.holds or {})["candidate"]), b"X")
    hand.tell("rewrite the file", "changed")


def _acts(command: str, state: str, *jobs: str) -> Callable[[Hand], None]:
    """Plan, then apply; nothing may be applied where the evidence was changed between the two."""

    def play(hand: Hand) -> None:
        made = operating.plan(hand, command, state, *jobs)
        if made is None:
            return
        planned = len(hand.scene.told.steps)
        hand.cue("apply")
        since = hand.scene.told.steps[planned:]
        done = operating.apply(hand, made)
        changed = [one for one in since if one.startswith(f"{_HAND} ") and one.endswith("changed")]
        if changed and done.counts.get("applied"):
            hand.fault("an apply is stopped by evidence that was changed", changed[0])

    return play


def _by_hand(
    state: str, what: str, command: str, setup: Setup, *jobs: str, hand: Role | None = None
) -> Program:
    return Program(
        f"{state}-{what}",
        f"{state}: {what.replace('_', ' ')} changed by hand between plan and apply",
        {
            _HAND: hand or Role(_changes(what), "postgres"),
            "O": Role(_acts(command, state, *jobs), "aps_operate"),
        },
        setup,
        broken=("an attempt is open where its job runs, and nowhere else",)
        if what == "attempt_closed"
        else (),
    )


def lost_by(*workers: str) -> Setup:
    """Job 1, which these lost one after the other."""

    def setup(scene: Scene) -> Mapping[str, Row]:
        setups.accept(scene)
        setups.call(scene, "claim", worker=workers[0], lease=LEASE)
        setups.end_leases(scene)
        for worker in workers[1:]:
            setups.call(scene, "adopt", worker=worker, lease=LEASE, abandon_limit=9)
            setups.end_leases(scene)
        return {}

    return setup


def two_inputs(scene: Scene) -> Mapping[str, Row]:
    """Job 1, which waits for its input; the same bytes lie under two names."""
    held = files.input_there(scene)
    files.write(scene, "inputs/copy.csv", b"input")
    return held


def stretched(scene: Scene) -> Mapping[str, Row]:
    """Job 1, whose lease is longer than any that is given."""
    held = setups.held_alone(scene)
    scene.ask("stretch")
    scene.ask("known_over")
    return held


def _family(
    state: str, command: str, setup: Setup, *what: str, jobs: str = ""
) -> dict[str, Program]:
    named = (jobs,) if jobs else ()
    return {one: _by_hand(state, one, command, setup, *named) for one in what}


_OWNERSHIP: Final = ("owner", "candidate", "epoch")
_FILE: Final = Role(_rewrites)
# By state, then by what is changed.
BY_HAND: Final[Mapping[str, Mapping[str, Program]]] = {
    "adoption": _family(
        "adoption", "reclaim", lost_by("Z", "A"), "kind", "lease", "lost", *_OWNERSHIP
    ),
    "poisoned": _family(
        "poisoned",
        "reclaim",
        lost_by("V", "Y", "Z", "A"),
        "kind",
        "lease",
        "lost",
        "lost_by",
        *_OWNERSHIP,
    ),
    "inconsistent_row": _family(
        "inconsistent_row",
        "reclaim",
        stretched,
        "kind",
        "updated",
        "lease_beyond",
        "attempt_closed",
        "running_no_more",
        *_OWNERSHIP,
        jobs="1",
    ),
    "unconfirmed_materialization": _family(
        "unconfirmed_materialization",
        "reconcile",
        two_inputs,
        "kind",
        "created",
        "input_name",
        "input_digest",
        "epoch",
    ),
    "missing_artifact": {
        **_family(
            "missing_artifact",
            "reconcile",
            files.file_gone,
            "kind",
            "published",
            "published_at",
            "epoch",
        ),
        "file": _by_hand("missing_artifact", "file", "reconcile", files.file_gone, hand=_FILE),
    },
    "orphan_candidate": {
        **_family(
            "orphan_candidate",
            "reconcile",
            files.orphan_there,
            "ended_at",
            "ended_as",
            "attempt_worker",
            "attempt_epoch",
        ),
        "file": _by_hand("orphan_candidate", "file", "reconcile", files.orphan_there, hand=_FILE),
    },
}
PROGRAMS: Final = tuple(one for family in BY_HAND.values() for one in family.values())
