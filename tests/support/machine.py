"""Workers, callers and operators in any order on one real queue, and what must hold after each step."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from aps import evidence
from aps.model.plan import Plan
from aps.model.report import CONFLICT, UNCLASSIFIED
from tests.support.queue import DIGEST, LEASED, OTHER_DIGEST, leased
from tests.support.world import (
    OPEN_WITHOUT_OWNER,
    WRONGLY_PUBLISHED,
    Ownership,
    Row,
    World,
)

WORKERS = st.sampled_from(["w1", "w2"])
LEASES = st.sampled_from(["10 min", "-1 s"])
WRITES = st.sampled_from(LEASED)
ACTED_UPON = st.sampled_from(["adoption", "poisoned"])
# Steps of an apply: before and after it holds its rows.
STEPS = st.sampled_from([None, "begun", "judged"])


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

    @initialize(target=jobs)
    def begin(self) -> MultipleResults[int]:
        return multiple(*(self.accepted(f"r{n}", None) for n in range(2)))

    def accepted(self, key: str, content: str | None) -> int:
        job = int(self.queue.accept(key, content)["job_id"])
        self.requests[key] = job, content
        return job

    @rule(target=jobs, number=st.integers(2, 4), content=st.sampled_from([None, "in/1.csv"]))
    def accept(self, number: int, content: str | None) -> int | MultipleResults[int]:
        key = f"r{number}"
        if key not in self.requests:
            return self.accepted(key, content)
        answer = self.queue.accept(key, content)
        job, first = self.requests[key]
        assert answer["job_id"] == job
        assert answer["answer"] == ("repeated" if first == content else "conflict")
        return multiple()

    @rule(job=jobs, right=st.booleans(), cancel=st.booleans())
    def call(self, job: int, right: bool, cancel: bool) -> None:
        """A caller confirms an input or cancels, with the right digest or epoch or not."""
        row = self.seen[job]
        if cancel:
            answer = self.queue.cancel(job, int(row["epoch"] or 0) - (not right))
            able = right and row["finished_at"] is None
        else:
            answer = self.queue.confirm(job, DIGEST if right else OTHER_DIGEST)
            able = right and row["state"] == "materializing"
        assert answer
        assert (answer["answer"] in ("confirmed", "cancelled")) is able

    @rule(target=owners, worker=WORKERS, lease=LEASES)
    def take(self, worker: str, lease: str) -> Ownership | MultipleResults[Ownership]:
        """A worker that looks for work: what is ready, else what others left."""
        answer, state = self.queue.claim(worker, lease), "ready"
        if answer is None:
            answer, state = self.queue.adopt(worker, lease, self.world.limit), "running"
        if answer is None:
            assert not any(row["state"] == "ready" for row in self.seen.values())
            return multiple()
        assert self.seen[answer["job_id"]]["state"] == state
        assert not self.leased(answer["job_id"])
        self.raised.add(answer["job_id"])
        return Ownership(answer["job_id"], worker, answer["epoch"])

    def leased(self, job: int) -> bool:
        """Leases here end long ago or in minutes, so that no clock can matter."""
        until = self.seen[job]["lease_until"]
        return until is not None and datetime.fromisoformat(until) > datetime.now(UTC)

    @precondition(lambda self: self.running())
    @rule(data=st.data(), name=WRITES)
    def write(self, data: st.DataObject, name: str) -> None:
        """A worker that has its job still, whether its lease is over or not."""
        self.written(self.owner(data), name)

    @precondition(lambda self: self.running())
    @rule(data=st.data(), name=WRITES, worker=st.booleans())
    def forge(self, data: st.DataObject, name: str, worker: bool) -> None:
        """One that is wrong in one thing: the worker, or else the epoch."""
        owner = self.owner(data)
        wrong = replace(owner, worker="w3") if worker else replace(owner, epoch=owner.epoch - 1)
        self.written(wrong, name)

    def owner(self, data: st.DataObject) -> Ownership:
        job = data.draw(st.sampled_from(self.running()))
        row = self.seen[job]
        return Ownership(job, str(row["worker"]), int(row["epoch"] or 0))

    @rule(owner=owners, name=WRITES)
    def write_from_memory(self, owner: Ownership, name: str) -> None:
        """A worker that goes on as if nothing had happened."""
        self.written(owner, name)

    def written(self, owner: Ownership, name: str) -> None:
        row = self.seen[owner.job]
        mine = (row["worker"], row["epoch"]) == (owner.worker, str(owner.epoch))
        answer = leased(self.queue, name, owner.job, owner.worker, owner.epoch)
        assert answer
        done = answer["answer"] not in ("rejected", "repeated")
        assert done is (row["state"] == "running" and mine and self.leased(owner.job))

    def running(self) -> list[int]:
        return [job for job, row in self.seen.items() if row["state"] == "running"]

    def expired(self) -> list[int]:
        return [job for job in self.running() if not self.leased(job)]

    @rule(owner=consumes(owners))
    def die(self, owner: Ownership) -> None:
        """The process is gone and says nothing; its row stays as it is."""

    @precondition(lambda self: self.running())
    @rule()
    def sleep(self) -> None:
        """Time passes until every lease is over; the workers will go on as before."""
        self.world.ground.connection.execute(
            b"UPDATE aps.job SET lease_until = clock_timestamp() - interval '1 s'"
            b" WHERE lease_until > clock_timestamp()"
        )

    @precondition(lambda self: self.expired())
    @rule(target=plans, state=ACTED_UPON)
    def plan(self, state: str) -> Plan | MultipleResults[Plan]:
        made = self.world.planned(state)
        return made if made.jobs else multiple()

    @rule(plan=plans, step=STEPS)
    def apply(self, plan: Plan, step: str | None) -> None:
        """A plan of any age, perhaps done before."""
        self.operate(plan, step)

    def operate(self, plan: Plan, step: str | None) -> None:
        """Another worker may adopt a job in the middle of it."""
        before = self.world.rows()
        operation = self.world.applied(
            plan, lambda now: self.adopt_aside() if now == step else None
        )
        assert operation.rolled_back is None
        assert not operation.not_verified
        assert {row.outcome for row in operation.rows} <= {"applied", "already", "changed"}
        applied = {row.job for row in operation.rows if row.outcome == "applied"}
        after = self.world.rows()
        changed = {str(job) for job in before if before[job] != after[job]}
        assert applied == changed - {str(job) for job in self.raised}
        self.raised |= {int(job) for job in applied}
        self.journaled(plan.operation, applied, before, after)

    @precondition(lambda self: self.expired())
    @rule(state=ACTED_UPON, step=STEPS)
    def reclaim(self, state: str, step: str | None) -> None:
        self.operate(self.world.planned(state), step)

    def adopt_aside(self) -> None:
        answer = self.queue.adopt("w3", "10 min", self.world.limit)
        if answer:
            self.raised.add(answer["job_id"])

    def journaled(
        self, operation: str, applied: set[str], before: dict[int, Row], after: dict[int, Row]
    ) -> None:
        """The journal has just what this operation changed, now and before, and as it was and is."""
        entries = self.world.entries(operation)
        known = self.done.setdefault(operation, set())
        assert not known & applied
        known |= applied
        assert entries.keys() == known
        for job in applied:
            was, now = before[int(job)], after[int(job)]
            names = {name for name in now if was[name] != now[name]}
            assert entries[job] == tuple({name: row[name] for name in names} for row in (was, now))

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
