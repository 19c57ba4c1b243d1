"""Workers, callers and operators in any order on one real queue, and what must hold after each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
)

from aps import action, evidence, planning
from aps.model.operation import Authority, Operation
from aps.model.plan import Plan
from aps.model.report import CONFLICT, UNCLASSIFIED
from aps.planning import Selection
from aps.run import Run
from tests.support.looking import connect, reference
from tests.support.queue import DIGEST, OTHER_DIGEST, Answer
from tests.support.world import JOURNAL, OPEN_WITHOUT_OWNER, WRONGLY_PUBLISHED, Row, World

WORKERS = st.sampled_from(["w1", "w2"])
LEASES = st.sampled_from(["10 min", "10 min", "-1 s"])
DIGESTS = st.sampled_from([DIGEST, OTHER_DIGEST])
REQUESTS = st.tuples(st.integers(0, 4), st.sampled_from([None, None, "in/1.csv"]))
# Steps of an apply: before and after it holds its rows.
STEPS = st.sampled_from(["begun", "judged", None])


@dataclass(frozen=True, slots=True)
class Ownership:
    """What a worker believes, for as long as it lives."""

    job: int
    worker: str
    epoch: int


class Machine(RuleBasedStateMachine):
    """Each rule is a step of one party. `raised` names the jobs whose authority the step changed, by its own word."""

    jobs: Bundle[int] = Bundle("jobs")
    owners: Bundle[Ownership] = Bundle("owners")
    plans: Bundle[Plan] = Bundle("plans")

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.queue = world.queue
        self.requests: dict[str, tuple[int, str | None]] = {}
        self.done: dict[str, set[str]] = {}
        self.raised: set[int] = set()
        self.seen: dict[int, Row] = {}
        world.clear()

    @rule(target=jobs, request=REQUESTS)
    def accept(self, request: tuple[int, str | None]) -> int | MultipleResults[int]:
        key, content = f"r{request[0]}", request[1]
        answer = self.queue.accept(key, content)
        job, first = self.requests.setdefault(key, (answer["job_id"], content))
        if answer["answer"] == "accepted":
            assert len({known for known, _ in self.requests.values()}) == len(self.requests)
            return job
        assert (answer["job_id"], answer["answer"]) == (
            job,
            "repeated" if first == content else "conflict",
        )
        return multiple()

    @rule(job=jobs, digest=DIGESTS)
    def confirm(self, job: int, digest: str) -> None:
        self.queue.confirm(job, digest)

    @rule(job=jobs, behind=st.sampled_from([0, 0, 1]))
    def cancel(self, job: int, behind: int) -> None:
        self.queue.cancel(job, int(self.seen[job]["epoch"] or 0) - behind)

    @rule(target=owners, worker=WORKERS, lease=LEASES)
    def claim(self, worker: str, lease: str) -> Ownership | MultipleResults[Ownership]:
        return self.owned(worker, self.queue.claim(worker, lease))

    @rule(target=owners, worker=WORKERS, lease=LEASES)
    def adopt(self, worker: str, lease: str) -> Ownership | MultipleResults[Ownership]:
        return self.owned(worker, self.queue.adopt(worker, lease))

    def owned(self, worker: str, answer: Answer | None) -> Ownership | MultipleResults[Ownership]:
        if answer is None:
            return multiple()
        self.raised.add(answer["job_id"])
        return Ownership(answer["job_id"], worker, answer["epoch"])

    @rule(owner=owners, lease=LEASES, progress=st.booleans())
    def heartbeat(self, owner: Ownership, lease: str, progress: bool) -> None:
        self.queue.heartbeat(owner.job, owner.worker, owner.epoch, lease, progress)

    @rule(owner=owners, digest=DIGESTS)
    def publish(self, owner: Ownership, digest: str) -> None:
        self.queue.publish(owner.job, owner.worker, owner.epoch, digest)

    @rule(owner=owners, retry=st.booleans())
    def fail(self, owner: Ownership, retry: bool) -> None:
        self.queue.fail(owner.job, owner.worker, owner.epoch, retry)

    @rule(owner=owners)
    def release(self, owner: Ownership) -> None:
        self.queue.release(owner.job, owner.worker, owner.epoch)

    @rule(owner=consumes(owners))
    def die(self, owner: Ownership) -> None:
        """The process is gone and says nothing; its row stays as it is."""

    @rule(owner=owners)
    def sleep(self, owner: Ownership) -> None:
        """Time passes until the lease of that job is over; its worker will go on as before."""
        self.world.ground.connection.execute(
            b"UPDATE aps.job SET lease_until = clock_timestamp() - interval '1 s'"
            b" WHERE job_id = %s AND lease_until > clock_timestamp()",
            [owner.job],
        )

    @rule(target=plans, state=st.sampled_from(["adoption", "poisoned"]))
    def plan(self, state: str) -> Plan:
        with connect(self.world.database) as session:
            return planning.plan(reference(), session, "reclaim", Selection(state=state))

    @rule(plan=plans, step=STEPS)
    def apply(self, plan: Plan, step: str | None) -> None:
        """A plan of any age, perhaps done before; another worker may adopt a job in the middle of it."""
        before = self.world.rows()
        operation = self.applied(plan, lambda now: self.adopt_aside() if now == step else None)
        assert operation.rolled_back is None
        assert not operation.not_verified
        applied = {row.job for row in operation.rows if row.outcome == "applied"}
        assert {row.outcome for row in operation.rows} <= {"applied", "already", "changed"}
        after = self.world.rows()
        changed = {str(job) for job in before if before[job] != after[job]}
        assert applied == changed - {str(job) for job in self.raised}
        self.raised |= {int(job) for job in applied}
        self.journaled(plan.operation, applied, before, after)

    def applied(self, plan: Plan, pause: Callable[[str], None]) -> Operation:
        authority = Authority(reason="it ran out", user="someone", client_host="here")
        opened = lambda: connect(self.world.database)  # noqa: E731
        return action.apply(Run(plan, reference(), authority, opened, pause))

    def adopt_aside(self) -> None:
        answer = self.queue.adopt("w3")
        if answer:
            self.raised.add(answer["job_id"])

    def journaled(
        self,
        operation: str,
        applied: set[str],
        before: dict[int, Row],
        after: dict[int, Row],
    ) -> None:
        """The journal has just what this operation changed, now and before, and as it was and is."""
        entries = list(self.world.ground.connection.execute(JOURNAL, [operation]))
        known = self.done.setdefault(operation, set())
        assert not known & applied
        known |= applied
        assert {row[0] for row in entries} == known
        for job, old, new in entries:
            if job in applied:
                was, now = before[int(job)], after[int(job)]
                names = {name for name in now if was[name] != now[name]}
                assert evidence.parse(old) == {name: was[name] for name in names}
                assert evidence.parse(new) == {name: now[name] for name in names}

    @invariant()
    def epochs_rise_by_one_a_change_of_authority(self) -> None:
        rows = self.world.rows()
        rises: set[int] = set()
        for job, now in rows.items():
            was = self.seen.get(job, {**now, "epoch": "0"})
            rise = int(now["epoch"] or 0) - int(was["epoch"] or 0)
            assert rise in (0, 1)
            if rise:
                rises.add(job)
            elif now["worker"]:
                assert (now["worker"], now["candidate"]) == (was["worker"], was["candidate"])
        assert rises == self.raised
        self.seen, self.raised = rows, set()

    @invariant()
    def an_epoch_publishes_once_and_by_its_worker(self) -> None:
        assert self.world.faults(WRONGLY_PUBLISHED) == []

    @invariant()
    def every_attempt_but_the_current_one_is_closed(self) -> None:
        assert self.world.faults(OPEN_WITHOUT_OWNER) == []

    @invariant()
    def every_job_is_in_exactly_one_state(self) -> None:
        database = self.world.snapshot.database
        with database.look():
            snapshot = replace(self.world.snapshot, clock=database.clock(), unread={})
            judged = evidence.judge(snapshot, [(str(job),) for job in self.seen])
            counts = evidence.survey(snapshot, 10)
        assert [judgement for judgement in judged if len(judgement.lifecycle) != 1] == []
        assert not {CONFLICT, UNCLASSIFIED} & set(counts)
        assert not snapshot.unread
