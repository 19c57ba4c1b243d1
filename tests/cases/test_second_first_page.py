"""C32 and C36: jobs that a page or a join would hide."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps import packs
from tests.support import trouble
from tests.support.cases import Case, counts, outcomes
from tests.support.database import Database
from tests.support.standby import Standby

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server


def joined(folder: Path) -> str:
    """The reference pack with what tutorials join: without a row of the worker table the job is not there."""
    texts = {}
    for state in ("adoption", "poisoned"):
        text = (packs.HOME / "queries" / f"{state}.sql").read_text(encoding="utf-8")
        assert ") a\n" in text
        texts[state] = text.replace(") a\n", ") a\n  JOIN public.workers w ON w.id = j.worker\n")
    return trouble.pack(folder, texts)


def c32(database: Database, role: str = "aps_operate") -> Case:
    return Case.of(database, "second_c32_first_page", role=role)


def test_c32_the_limit_comes_after_eligibility(database: Database) -> None:
    c = c32(database)
    assert counts(c.look()["states"]) == {"adoption": 103, "live_lease": 100}
    listed = c.json("inspect", "--state", "adoption", "--limit", "100")
    assert (len(listed["jobs"]), listed["jobs_total"]) == (100, 103)
    done = c.apply("reclaim", "--all", "--state", "adoption", "--limit", "3")
    assert outcomes(done) == {"3301": "applied", "3302": "applied", "3303": "applied"}
    assert c.state("adoption")["jobs"] == 100


def test_c32_a_limit_of_two_takes_the_two_oldest_that_may_be_taken(database: Database) -> None:
    c = c32(database)
    done = c.apply("reclaim", "--all", "--state", "adoption", "--limit", "2")
    assert set(outcomes(done)) == {"3302", "3303"}
    done = c.apply("reclaim", "--all", "--state", "adoption", "--limit", "2")
    assert set(outcomes(done)) == {"3301"}


def test_c32_a_page_narrowed_by_evidence_is_cut_after_it(database: Database) -> None:
    c = c32(database, "aps_read")
    listed = c.json("inspect", "--state", "adoption", "--where", "worker=w-long", "--limit", "2")
    assert [job["job"] for job in listed["jobs"]] == ["3303", "3302"]


def test_c32_a_lease_that_ends_just_now_is_on_the_page_and_one_of_tomorrow_is_not(
    database: Database,
) -> None:
    c = c32(database)
    c.run(b"UPDATE aps.job SET lease_until = clock_timestamp() WHERE job_id = 3201")
    assert c.state("adoption")["jobs"] == 104
    assert c.job(3202)["state"] == "live_lease"


def test_c36_the_lease_of_the_row_decides_whoever_the_owner_was(database: Database) -> None:
    c = Case.of(database, "second_c36_owner_unknown")
    told = c.look(136)
    (job,) = told["jobs"]
    assert (job["state"], job["permitted"], told["exit_code"]) == ("adoption", True, 11)
    assert job["evidence"]["adoption"][0]["worker"] == "ghost-1"
    assert "not That its worker stopped." in c.said("inspect", "136")
    # Neither is a worker that was seen just now a reason to leave its overdue job.
    assert c.states(1361, 1362) == ["adoption", "live_lease"]
    done = c.apply("reclaim", "136", "1361")
    assert outcomes(done) == {"136": "applied", "1361": "applied"}
    assert c.row(136) == ("ready", None, 3)
    assert c.ends(136) == [(2, "abandoned")]


def test_c36_a_thousand_jobs_of_one_ghost_are_taken_by_its_name_alone(database: Database) -> None:
    c = Case.of(database, "second_c36_owner_unknown")
    exact = ("reclaim", "--all", "--state", "adoption", "--limit", "5000", "--where")
    assert "no job of the state matches" in c.said(*exact, "worker=ghost")
    assert c.apply(*exact, "worker=ghost-3")["counts"] == {"applied": 1000}
    assert c.states(136, 1361, 1362) == ["adoption", "adoption", "live_lease"]


def test_c36_a_query_that_joins_the_owner_away_is_found_out(
    database: Database, tmp_path: Path
) -> None:
    c = Case.of(database, "second_c36_owner_unknown", pack=joined(tmp_path))
    told = c.look()
    found = counts(told["states"])
    assert (found["adoption"], found["unclassified"]) == (1, 1001)
    # The one that is left is old, and critical ranks above the doubt.
    assert told["exit_code"] == 11
    assert "no state of the matrix claims this job" in c.refused("reclaim", "136")


def test_c36_a_worker_table_that_the_role_may_not_see_is_no_absence(
    database: Database, tmp_path: Path
) -> None:
    c = Case.of(database, "second_c36_owner_unknown", pack=joined(tmp_path), role="aps_read")
    c.run(b"REVOKE SELECT ON public.workers FROM aps_read")
    told = c.look(136)
    assert (told["jobs"][0]["state"], told["exit_code"]) == ("undetermined", 12)
    assert "GRANT SELECT ON public.workers TO aps_read" in told["jobs"][0]["refusal"]


def test_c32_and_c36_on_a_standby_no_page_is_taken_for_empty(
    database: Database, standby: Standby
) -> None:
    c32(database)
    Case.of(database, "second_c36_owner_unknown")
    with standby.of(database) as there:
        c = Case(there, role="aps_read")
        told = c.look()
        assert told["exit_code"] == 12
        adoption = next(one for one in told["states"] if one["state"] == "adoption")
        assert (adoption["verdict"], adoption["jobs"]) == ("undetermined", None)
        said = c.under("aps_operate").told("reclaim", "--all", "--state", "adoption")
        assert said.code == 25
