from __future__ import annotations
import collections, pytest, time
from hypothesis.stateful import run_state_machine_as_test
from hypothesis import settings, Phase
from tests.database.test_property import *
import tests.database.test_property as P
from tests.support.queue import Queue, queue, altered, session

C = collections.Counter()


def go(database, statements, B):
    ground = database.connect("postgres")
    ground.execute(b"SET TimeZone='UTC'")
    matrix = load(packs.find(packs.DEFAULT), {"abandon_limit": "2"})
    with connect(database, "aps_read") as ses:
        with ses.look():
            seen = take(ses, matrix, ses.probe())
        q = Queue(session(database), statements)
        orig = q.run

        def run(name, **b):
            r = orig(name, **b)
            C[name, (r or {}).get("answer", bool(r))] += 1
            return r

        q.run = run
        world = World(database, q, Queue(ground), seen)

        class Here(Machine):
            def __init__(self):
                C["examples"] += 1
                super().__init__(world)

            def applied(self, plan, pause):
                op = super().applied(plan, pause)
                for r in op.rows:
                    C["apply", plan.state, r.outcome] += 1
                if not op.rows:
                    C["apply", "empty"] += 1
                return op

        run_state_machine_as_test(Here, settings=B)


def test_stats(database):
    t = time.time()
    go(database, {}, BOUNDED)
    print(time.time() - t)
    for k, v in sorted(C.items(), key=str):
        print(k, v)


BAD = {
    "publish-noepoch": altered("publish", "AND h.epoch = %(epoch)s AND", "AND"),
    "publish-nolease": altered("publish", " AND h.clock < h.lease_until", ""),
    "release-keeps-attempt": altered("release", "h.clock, 'released'", "NULL, NULL"),
    "publish-noworker": altered("publish", "h.worker = %(worker)s AND", ""),
    "adopt-any": altered("adopt", "AND j.lease_until <= (SELECT clock_timestamp())", ""),
    "cancel-noepoch": altered("cancel", "AND h.epoch = %(epoch)s\n", "\n"),
    "adopt-keeps": altered("adopt", "clock_timestamp(), 'superseded'", "NULL, NULL"),
    "fail-epoch": altered(
        "fail", "worker = NULL, lease_until", "epoch = j.epoch + 1, worker = NULL, lease_until"
    ),
}


@pytest.mark.parametrize("bad", BAD)
def test_bad(database, bad):
    C.clear()
    with pytest.raises(BaseException) as e:
        go(database, BAD[bad], settings(BOUNDED, phases=[Phase.generate]))
    print(bad, type(e.value), str(e.value)[:100], C["examples"])
