"""Every comparison of the queue's statements and every column of a fence has a mutation, and each is told as it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from aps import fence
from aps.drill.explore.programs import by_hand, workers
from aps.drill.explore.scene import Scene
from aps.drill.mutants import columns, mutating, statements
from aps.drill.mutants.mutation import Mutation
from aps.model.plan import PlannedJob
from tests.support.exploring import searched

OF_STATEMENTS = list(statements.mutations())
STATEMENTS = sorted({one.of for one in OF_STATEMENTS})
# A column of the job or of its attempts, compared.
COMPARISON = re.compile(
    r"\b(?:[hja]\.|(?:AND|WHEN) )\w+ (?:[<=>]+|IS (?:NOT )?(?:NULL|DISTINCT FROM))"
)
# Attempts of this job alone are counted: of all jobs' they are more, and then less is taken, never more.
OF_THE_JOB = "a.job_id ="


def comparisons(statement: str) -> Counter[str]:
    text = re.sub(r"--.*", "", statement)
    return Counter(one for one in COMPARISON.findall(text) if one != OF_THE_JOB)


def test_every_statement_that_a_worker_has_is_mutated(scene: Scene) -> None:
    assert (
        sorted(path.stem for path in scene.ground.yard.queries.glob("worker/*.sql")) == STATEMENTS
    )


@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_comparison_of_a_statement_is_removed_by_a_mutation(
    scene: Scene, statement: str
) -> None:
    whole = comparisons(scene.statement(statement))
    removed: Counter[str] = Counter()
    for one in OF_STATEMENTS:
        if one.of == statement:
            with one.without(scene):
                removed += whole - comparisons(scene.statement(statement))
    assert whole
    assert whole - removed == Counter()


@pytest.mark.parametrize("one", OF_STATEMENTS, ids=lambda one: f"{one.of}, {one.removed}")
def test_a_mutation_is_in_place_for_its_search_and_no_longer(scene: Scene, one: Mutation) -> None:
    before = scene.statement(one.of)
    with one.without(scene):
        assert scene.statement(one.of) != before
    assert scene.statement(one.of) == before


@pytest.mark.parametrize("state", by_hand.BY_HAND)
def test_every_column_that_an_apply_compares_is_removed_by_a_mutation(
    scene: Scene, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare, seen = fence.compare, set[str]()

    def spied(matrix: Any, planned: str, job: PlannedJob, now: Any) -> Any:
        seen.update(*job.evidence)
        return compare(matrix, planned, job, now)

    monkeypatch.setattr(fence, "compare", spied)
    searched(scene, next(iter(by_hand.BY_HAND[state].values())))
    # The item names the file; the other two are never fenced.
    never = {*scene.matrix.key, "item", "locked", "refusal"}
    assert seen - never == columns.REDUNDANT[state].keys()


def test_the_fence_of_every_state_whose_action_writes_is_mutated(scene: Scene) -> None:
    acting = {
        state.name
        for state in scene.matrix.states
        if state.action and state.action.changes_per_job != 0
    }
    assert acting == columns.REDUNDANT.keys() == by_hand.BY_HAND.keys()


def test_a_mutation_that_cannot_be_put_in_place_is_missed_and_says_what_is_not_there(
    scene: Scene,
) -> None:
    one = next(one for one in OF_STATEMENTS if (one.of, one.removed) == ("heartbeat", "epoch"))
    scene.altered["heartbeat"] = scene.statement("heartbeat").replace("h.epoch", "h . epoch")
    made = mutating.outcome(scene, one)
    assert (made.notice, made.steps) == ("missed", ())
    assert made.by == "heartbeat.sql has no 'AND h.epoch = %(epoch)s' that could be removed"


def test_a_mutation_that_nothing_notices_is_missed(scene: Scene) -> None:
    made = mutating.outcome(
        scene, Mutation("publish", "nothing", (workers.IMPOSTOR,), lambda _: nullcontext())
    )
    assert (made.notice, made.by) == ("missed", f"not noticed by {workers.IMPOSTOR.name}")
    assert made.interleavings > 1


def test_a_mutation_that_is_noticed_is_not_called_redundant(scene: Scene) -> None:
    @contextmanager
    def without(scene: Scene) -> Iterator[None]:
        text = scene.statement("publish")
        scene.altered["publish"] = text.replace(" AND h.epoch = %(epoch)s", "")
        yield
        del scene.altered["publish"]

    one = Mutation("publish", "epoch", (workers.NAMESAKE,), without, redundant="nothing can")
    made = mutating.outcome(scene, one)
    assert made.notice == "noticed"
    assert made.by.startswith(f"{workers.NAMESAKE.name}: ")
    assert made.steps
