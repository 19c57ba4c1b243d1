from __future__ import annotations
import collections, pytest
from hypothesis.stateful import run_state_machine_as_test
from tests.database.test_property import BOUNDED
from tests.support import looking, machine
from tests.support.looking import snapshot
from tests.support.machine import Machine
from tests.support.queue import Queue, queue, altered, session
from tests.support.world import World
C = collections.Counter()
def go(database, statements):
    ground = database.connect("postgres"); ground.execute(b"SET TimeZone='UTC'")
    with snapshot(database, "aps_read") as seen:
        seen.database.rollback()
        q = Queue(session(database), statements)
        orig = q.run
        def run(name, **b):
            r = orig(name, **b); C[name, (r or {}).get("answer", bool(r))]+=1; return r
        q.run = run
        world = World(database, q, Queue(ground), seen)
        class Here(Machine):
            def __init__(self): super().__init__(world)
            def applied(self, plan, pause):
                op = super().applied(plan, pause)
                for r in op.rows: C["apply", plan.state, r.outcome]+=1
                if not op.rows: C["apply","empty"]+=1
                return op
        run_state_machine_as_test(Here, settings=BOUNDED)
def test_stats(database):
    go(database, {})
    for k,v in sorted(C.items(), key=str): print(k,v)
BAD = {
 "publish-noepoch": altered("publish", "AND h.epoch = %(epoch)s AND", "AND"),
 "publish-nolease": altered("publish", " AND h.clock < h.lease_until", ""),
 "release-keeps-attempt": altered("release", "h.clock, 'released'", "NULL, NULL"),
 "publish-noworker": altered("publish", "h.worker = %(worker)s AND", ""),
 "confirm-any": altered("confirm_input", "h.state = 'materializing' AND", "h.state IN ('materializing','ready') AND"),
 "adopt-any": altered("adopt", "AND j.lease_until <= (SELECT clock_timestamp())", ""),
}
@pytest.mark.parametrize("bad", BAD)
def test_bad(database, bad):
    with pytest.raises(BaseException) as e: go(database, BAD[bad])
    print(bad, type(e.value), str(e.value)[:300])
