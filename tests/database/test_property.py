from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from aps import packs
from aps.matrix import load
from aps.snapshot import take
from tests.support.database import Database
from tests.support.looking import connect
from tests.support.machine import Machine
from tests.support.queue import Queue, queue
from tests.support.world import World

BOUNDED = settings(
    max_examples=30,
    stateful_step_count=40,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.slow
def test_workers_callers_and_operators_in_any_order_keep_every_promise(database: Database) -> None:
    ground = database.connect("postgres")
    ground.execute(b"SET TimeZone = 'UTC'")
    # With two lost workers a job is poisoned soon enough to be met.
    matrix = load(packs.find(packs.DEFAULT), {"abandon_limit": "2"})
    with connect(database, "aps_read") as session:
        with session.look():
            seen = take(session, matrix, session.probe())
        world = World(database, queue(database), Queue(ground), seen)

        class Here(Machine):
            def __init__(self) -> None:
                super().__init__(world)

        run_state_machine_as_test(Here, settings=BOUNDED)
