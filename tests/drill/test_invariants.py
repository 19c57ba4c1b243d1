"""Each invariant of the explorer can be violated, and is told when it is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from aps.drill.explore import scene as scenes
from aps.drill.explore.programs import setups
from aps.drill.explore.scene import Scene

VIOLATED: Final[list[dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("invariants.yaml").read_text(encoding="utf-8")
)
_NOT_OF_SQL: Final = "a job is in exactly one lifecycle state"
_CHANGE: Final = """
INSERT INTO drill.change (job_id, transaction, application, before, after)
SELECT job_id, pg_current_xact_id(), {application}, jsonb_populate_record(j, {before}),
       jsonb_populate_record(j, {after})
  FROM aps.job j WHERE job_id = 1
"""


def quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def log(scene: Scene, change: dict[str, Any]) -> None:
    """A change of job 1, as its trigger would have written it."""
    texts = {name: json.dumps(change.get(name, {}), default=str) for name in ("before", "after")}
    texts["application"] = change.get("application", "A")
    forge(scene, _CHANGE.format(**{name: quoted(text) for name, text in texts.items()}))


def forge(scene: Scene, sql: str) -> None:
    """As somebody whom neither the guards of the schema nor the watch stops."""
    watch = scene.session("watch", "postgres")
    watch.run(f"SET LOCAL session_replication_role = replica; {sql}")
    watch.commit()


def told(scene: Scene) -> set[str]:
    return {one.invariant for one in scene.violations()}


@pytest.mark.parametrize("violated", VIOLATED, ids=[one["invariant"] for one in VIOLATED])
def test_what_violates_an_invariant_is_told(scene: Scene, violated: dict[str, Any]) -> None:
    setups.held_by_a(scene)
    assert told(scene) == set()
    if "sql" in violated:
        forge(scene, violated["sql"])
    if "change" in violated:
        log(scene, violated["change"])
    assert violated["invariant"] in told(scene)


def test_every_invariant_was_violated_in_each_of_its_ways() -> None:
    parts = re.findall(r"^SELECT '([^']+)'", scenes.text("invariants"), re.MULTILINE)
    named = [name for name in parts if name != "standing"] + [_NOT_OF_SQL]
    assert sorted(named) == sorted(one["invariant"] for one in VIOLATED)


def test_a_reset_leaves_nothing_of_what_was_told(scene: Scene) -> None:
    setups.held_by_a(scene)
    log(scene, {"after": {"epoch": 3}})
    scene.told.faults.append(("something", "was wrong"))
    assert told(scene) >= {"something", "authority rises, one step at a time"}
    scene.clear()
    assert told(scene) == set()
