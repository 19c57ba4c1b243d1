"""Two operators, a worker and an operator: what happens between any two steps costs no file and no valid result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from aps import action
from aps.exits import Exit
from aps.model.operation import Operation
from aps.store import QUARANTINE
from tests.support.artifacts import CONTENT, Artifacts, Meanwhile, digest
from tests.support.database import Database
from tests.support.operating import at
from tests.support.reconciling import STEPS, Reconciler, told

HELD = ("locked", "judged", "journaled")


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def everywhere(held: Artifacts, name: str) -> list[str]:
    """All names that end so, below the root."""
    return [str(file.relative_to(held.root)) for file in held.root.rglob(f"*{Path(name).name}")]


@pytest.mark.parametrize("step", STEPS)
def test_of_two_reconciles_at_once_one_moves_the_file(held: Artifacts, step: str) -> None:
    job, file = held.orphan()
    name = str(file.relative_to(held.root))
    item = (str(job), name)
    other: list[Operation] = []
    second = Reconciler(held).plan(job)
    pause = at(step, lambda: other.append(Reconciler(held).apply(second)))
    first = Reconciler(held, pause=pause).reconcile(job)
    outcomes = [told(first)[item], told(other[0])[item]]
    if step in HELD:
        # Nobody waits for a lock: the second is told to come again, and finds the file moved.
        assert outcomes == ["applied", "locked"]
        assert told(Reconciler(held).apply(second))[item] == "already"
    elif step in ("begun", "committed"):
        assert outcomes == ["already", "applied"]
    else:
        assert outcomes == ["applied", "already"]
    mover = other[0] if outcomes[1] == "applied" else first
    assert everywhere(held, name) == [f"{QUARANTINE}/{mover.operation}/{name}"]
    assert held.database.execute(
        b"SELECT count(*) FROM aps_journal.entry WHERE outcome = 'applied'"
    ) == [(1,)]


def taken_as_input(held: Artifacts, name: str) -> Callable[[], object]:
    """A request whose input is that file."""
    bound = {"request_key": "next", "kind": "export", "input_name": name}
    return lambda: held.queue.run("accept", **bound, input_digest=digest(CONTENT))


@pytest.mark.parametrize("step", ["committed", "moved"])
def test_a_file_that_a_row_names_by_then_is_moved_back(held: Artifacts, step: str) -> None:
    job, file = held.orphan()
    name = str(file.relative_to(held.root))
    pause = at(step, taken_as_input(held, name))
    done = Reconciler(held, pause=pause).reconcile(job)
    (row,) = done.rows
    assert (row.outcome, done.exit_code) == ("changed", Exit.NOTHING_APPLIED)
    assert row.detail.startswith("moved back: no longer orphan candidate")
    assert (file.read_bytes(), everywhere(held, name)) == (CONTENT, [name])
    assert Reconciler(held).settle() == []


def test_a_file_that_a_row_names_before_the_lock_is_never_moved(held: Artifacts) -> None:
    job, file = held.orphan()
    name = str(file.relative_to(held.root))
    seen: list[str] = []
    take = at("begun", taken_as_input(held, name))

    def pause(step: str) -> None:
        seen.append(step)
        take(step)

    done = Reconciler(held, pause=pause).reconcile(job)
    assert told(done) == {(str(job), name): "changed"}
    assert ("moved" in seen, file.read_bytes()) == (False, CONTENT)


def test_a_row_that_cannot_be_read_after_the_move_leaves_the_outcome_unknown_until_settled(
    held: Artifacts,
) -> None:
    job, file = held.orphan()
    name = str(file.relative_to(held.root))
    reconciler = Reconciler(held)
    plan = reconciler.plan(job)
    run = reconciler.run(plan)
    away = Database(held.database.cluster, "nowhere")

    def lost() -> None:
        run.connect = Reconciler(replace(held, database=away)).session

    run.pause = at("moved", lost)
    run.patience = 0.2
    done = action.apply(run)
    assert (told(done), done.exit_code) == ({(str(job), name): "unknown"}, Exit.UNKNOWN)
    assert "that could not be recorded" in done.rows[0].detail
    assert [told(one) for one in Reconciler(held).settle()] == [{(str(job), name): "applied"}]


def test_the_candidate_of_the_current_epoch_is_never_moved(held: Artifacts) -> None:
    orphan, moved = held.orphan("over")
    alive = held.queue.claimed("w1", key="alive")
    held.write(alive["candidate"])
    late, file = held.abandoned("late")
    done = Reconciler(held).reconcile(state="orphan_candidate")
    assert {row.job for row in done.rows} == {str(orphan)}
    assert file.read_bytes() == (held.root / alive["candidate"]).read_bytes() == CONTENT
    assert not moved.exists()
    refused = Reconciler(held).reconcile(late)
    assert [row.outcome for row in refused.rows] == ["refused"]


def test_a_result_that_is_published_while_files_are_looked_at_is_not_withdrawn(
    held: Artifacts,
) -> None:
    claim = held.queue.claimed("w1", key="racing")

    def publish() -> None:
        held.write(claim["candidate"])
        assert held.queue.publish(claim["job_id"], "w1", claim["epoch"], digest(CONTENT))

    from aps import planning
    from aps.planning import Selection

    reconciler = Reconciler(held)
    sight = held.sight(Meanwhile(held.root, publish))
    with reconciler.session() as session:
        chosen = Selection(state="missing_artifact")
        plan = planning.plan(reconciler.matrix, session, "reconcile", chosen, sight)
    assert plan.jobs == ()
    assert held.state(claim["job_id"])[0] == "confirmed_publication"


def test_two_withdrawals_at_once_withdraw_once(held: Artifacts) -> None:
    job, file = held.published()
    file.unlink()
    other: list[Operation] = []
    second = Reconciler(held).plan(job)
    pause = at("committed", lambda: other.append(Reconciler(held).apply(second)))
    first = Reconciler(held, pause=pause).reconcile(job)
    assert told(first) == {(str(job), ""): "applied"}
    assert told(other[0]) == {(str(job), ""): "changed"}
    sql = b"SELECT count(*) FROM aps.event WHERE kind = 'withdrawn'"
    assert held.database.execute(sql) == [(1,)]
