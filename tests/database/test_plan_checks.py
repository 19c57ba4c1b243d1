from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from aps import planfile, planning
from aps.errors import PlanError, Refused
from aps.model.matrix import Matrix
from aps.model.plan import Plan, PlannedJob
from aps.model.report import Server
from tests.support import looking, packs
from tests.support.database import Database
from tests.support.database import Server as Cluster
from tests.support.operating import (
    Operator,
    abandoned,
    batches,
    operator,
    reclaimed_once,
    standing,
    told,
    untouched,
)

# All of it is decided before the first write, by aps alone.
pytestmark = pytest.mark.one_server


@pytest.fixture
def us(database: Database) -> Operator:
    abandoned(database, 2)
    return operator(database)


def refused(us: Operator, plan: Plan, words: str) -> None:
    with pytest.raises(PlanError) as caught:
        us.apply(plan)
    assert words in str(caught.value)
    assert not batches(us.database)
    assert untouched(us.database)


def edited(plan: Plan) -> list[Plan]:
    """The plan with one thing changed by hand, its fingerprint left as it was."""
    job = plan.jobs[0]
    evidence = ({**job.evidence[0], "epoch": "2"},)
    return [
        replace(plan, jobs=(replace(job, key=("2",)),)),
        replace(plan, jobs=(replace(job, evidence=evidence),)),
        replace(plan, jobs=(*plan.jobs, PlannedJob("2", ("2",), job.evidence))),
        replace(plan, state="poisoned"),
        replace(plan, attest="nothing"),
        replace(plan, expires_at="2999-01-01T00:00:00+00:00"),
        replace(plan, operation="00000000-0000-0000-0000-000000000000"),
    ]


def test_an_edited_plan_is_refused(us: Operator) -> None:
    for plan in edited(us.plan(1)):
        refused(us, plan, "does not match its fingerprint")


def test_a_plan_survives_its_file_to_the_letter(us: Operator, tmp_path: Path) -> None:
    us.database.execute("UPDATE aps.job SET kind = E'a \"b\" \\\\ \n\tü 漢 🚲'".encode())
    plan = us.plan(1)
    planfile.write(plan, tmp_path / "plan.json")
    read = planfile.read(tmp_path / "plan.json")
    assert read == plan
    assert planning.fingerprint(read) == plan.fingerprint
    assert told(us.apply(read))[0] == "applied"
    assert reclaimed_once(us.database)


def test_a_plan_that_was_laid_out_anew_is_the_same_plan(us: Operator, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    planfile.write(us.plan(1), file)
    content = json.loads(file.read_text())
    file.write_text(json.dumps(dict(reversed(content.items())), ensure_ascii=False))
    assert told(us.apply(planfile.read(file)))[0] == "applied"


def test_a_plan_for_another_database_is_refused(us: Operator, server: Cluster) -> None:
    plan = us.plan(1)
    with server.database() as copy:
        abandoned(copy)
        with pytest.raises(PlanError, match="the plan is for another database"):
            operator(copy).apply(plan)
        assert untouched(copy)


def test_a_plan_of_another_matrix_is_refused(us: Operator, tmp_path: Path) -> None:
    names = (us.matrix.path / "queries/names.sql").read_text()
    other = packs.reference_with(tmp_path, {"queries/names.sql": f"{names}\n"})
    refused(replace(us, matrix=other), us.plan(1), "made with another matrix")


def test_a_plan_with_other_parameters_is_refused(us: Operator) -> None:
    matrix = us.matrix
    limit = replace(matrix.parameters["abandon_limit"], value=4)
    other = replace(matrix, parameters={**matrix.parameters, "abandon_limit": limit})
    refused(replace(us, matrix=other), us.plan(1), "made with other parameters")


def server_of(us: Operator) -> Server:
    with us.session() as session, session.look():
        return session.probe()


def test_a_plan_expires_a_quarter_of_an_hour_after_it_was_made(us: Operator) -> None:
    plan, server = us.plan(1), server_of(us)
    made = datetime.fromisoformat(plan.created_at)
    planning.check(plan, us.matrix, server, made + timedelta(minutes=15))
    with pytest.raises(PlanError, match="the plan expired at"):
        planning.check(plan, us.matrix, server, made + timedelta(minutes=15, microseconds=1))


def test_nothing_is_applied_on_a_standby(us: Operator) -> None:
    plan = us.plan(1)
    standby = replace(server_of(us), in_recovery=True)
    with pytest.raises(Refused, match="is a standby"):
        planning.check(plan, us.matrix, standby, datetime.now(UTC))


def with_attestation(folder: Path) -> Matrix:
    text = (looking.reference().path / "matrix.yaml").read_text()
    plain = "action:\n      run: reclaim\n      to: ready\n      effect: ready under the next epoch; the attempt"
    asked = plain.replace("run: reclaim\n", "run: reclaim\n      attest: workers-stopped\n")
    assert text.count(plain) == 1
    return packs.reference_with(folder, {"matrix.yaml": text.replace(plain, asked)})


def test_what_the_matrix_wants_attested_is_asked_for_and_journaled(
    us: Operator, tmp_path: Path
) -> None:
    us = replace(us, matrix=with_attestation(tmp_path))
    plan = us.plan(1)
    with pytest.raises(Refused, match="asks for the attestation 'workers-stopped'"):
        us.apply(plan)
    with pytest.raises(Refused, match="asks for the attestation"):
        us.apply(plan, attested=("all is well",))
    assert untouched(us.database)
    assert told(us.apply(plan, attested=("workers-stopped",)))[0] == "applied"
    rows = us.database.execute(b"SELECT attested FROM aps_journal.batch")
    assert rows == [(["workers-stopped"],)]


def test_no_more_jobs_are_named_than_one_operation_may_take(us: Operator) -> None:
    state = us.matrix.state("adoption")
    assert state
    states = tuple(replace(one, limit=1) if one is state else one for one in us.matrix.states)
    narrow = replace(us, matrix=replace(us.matrix, states=states))
    with pytest.raises(Refused, match="the matrix lets one operation take 1 of adoption"):
        narrow.plan(1, 2)
    assert len(narrow.plan(1).jobs) == 1


def test_an_empty_plan_applies_nothing(us: Operator) -> None:
    us.database.execute(b"UPDATE aps.job SET lease_until = clock_timestamp() + interval '5 min'")
    plan = us.plan(1)
    assert not plan.jobs
    operation = us.apply(plan)
    assert (told(operation)[0], operation.exit_code) == ("refused", 25)
    assert standing(us.database) == ("running", 1)


COUNTERS = (
    b"SELECT relid::regclass::text, n_tup_ins, n_tup_upd, n_tup_del, n_tup_hot_upd"
    b" FROM pg_stat_user_tables ORDER BY 1"
)


def counters(database: Database) -> list[tuple[object, ...]]:
    """Writes so far, all sessions that wrote having reported them at their end."""
    database.execute(b"SELECT pg_stat_force_next_flush()")
    return database.execute(COUNTERS)


def test_a_plan_writes_nothing_anywhere(us: Operator) -> None:
    before = counters(us.database)
    assert before
    us.plan(1)
    us.plan(state="adoption")
    us.plan(1, 2)
    assert counters(us.database) == before
    assert not batches(us.database)


def test_a_refused_apply_writes_nothing_anywhere(us: Operator) -> None:
    plan = us.plan(1)
    before = counters(us.database)
    with pytest.raises(PlanError):
        us.apply(replace(plan, state="poisoned"))
    assert counters(us.database) == before
