"""C20, C21 and C25: files that are whole but unconfirmed, short at their final name, or still being written."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.support.artifacts import Artifacts
from tests.support.cases import Case, outcomes
from tests.support.database import Database
from tests.support.standby import Standby

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server

WHOLE = b"the whole result"


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def case(held: Artifacts, name: str, role: str = "aps_operate") -> Case:
    store = ("--store", str(held.root))
    return Case.of(held.database, f"second_{name}", role=role, more=store)


def test_c20_a_whole_unconfirmed_file_is_told_before_the_job_is_reclaimed(held: Artifacts) -> None:
    c = case(held, "c20_uploaded_not_confirmed")
    file = held.write("120/2-a", WHOLE)
    held.write("120/2-a.manifest", b"epoch=2")
    told = c.look(120)
    (job,) = told["jobs"]
    assert (job["state"], job["overlays"]) == ("adoption", ["unconfirmed_result"])
    assert told["exit_code"] == 11
    assert job["permitted"]
    assert job["command"].startswith("aps reclaim 120")
    page = c.said("inspect", "120")
    assert "The current epoch's file stands in the store, the lease is over, and nothing" in page
    assert "next: Keep the file." in page
    preview = c.said("reclaim", "120")
    assert "first: unconfirmed result: 120/2-a (16 bytes)" in preview
    done = c.apply("reclaim", "120")
    assert outcomes(done) == {"120": "applied"}
    assert c.row(120) == ("ready", None, 3)
    assert c.ends(120) == [(1, "released"), (2, "abandoned")]
    # The file stays for whoever wants it, and only after the grace is it anybody's to move.
    assert file.read_bytes() == WHOLE
    assert c.job(120)["overlays"] == []
    c.run(
        b"UPDATE aps.attempt SET ended_at = ended_at - interval '30 min 1 s' WHERE ended_as = 'abandoned'"
    )
    assert c.job(120)["overlays"] == ["orphan_candidate"]


def test_c20_nobody_completes_it_for_the_worker(held: Artifacts) -> None:
    c = case(held, "c20_uploaded_not_confirmed")
    held.write("120/2-a", WHOLE)
    assert "its action is reclaim, not reconcile" in c.refused("reconcile", "120")
    digest = f"sha256:{hashlib.sha256(WHOLE).hexdigest()}"
    # A file that is there is no publication: the completion is open.
    said = c.told("reconcile", "120", "--epoch", "2", "--digest", digest)
    assert said.code == 42, said


def test_c20_without_a_store_the_plan_says_that_nobody_looked(database: Database) -> None:
    c = Case.of(database, "second_c20_uploaded_not_confirmed")
    assert c.job(120)["overlays"] == []
    assert "nobody looked; with --store URL what lies there is told first" in c.said(
        "reclaim", "120"
    )


def test_c20_an_empty_file_is_no_result_and_a_reader_sees_the_whole_one(held: Artifacts) -> None:
    c = case(held, "c20_uploaded_not_confirmed", role="aps_read")
    held.write("1201/2-a", b"")
    held.write("120/2-a", WHOLE)
    assert c.job(1201)["overlays"] == []
    assert c.job(120)["overlays"] == ["unconfirmed_result"]


def test_c20_a_thousand_of_them_are_counted_and_the_first_are_named(held: Artifacts) -> None:
    c = case(held, "c20_uploaded_not_confirmed")
    c.run(
        b"SELECT pg_temp.running(n, 'w2', 2, -25) FROM generate_series(10001, 11000) AS n",
    )
    for (name,) in c.database.execute(
        b"SELECT candidate FROM aps.job WHERE job_id > 10000 ORDER BY job_id"
    ):
        held.write(name, WHOLE)
    assert c.state("unconfirmed_result")["jobs"] == 1000
    preview = c.said("reclaim", "--all", "--state", "adoption", "--limit", "1000")
    assert "and 993 more" in preview
    done = c.apply("reclaim", "--all", "--state", "adoption", "--limit", "1000")
    assert done["counts"] == {"applied": 1000}


def test_c21_a_short_file_is_confirmed_only_as_far_as_it_was_looked_at(held: Artifacts) -> None:
    c = case(held, "c21_truncated_file")
    held.write("121/1-a", WHOLE[:4])
    listed = c.look(121)
    (job,) = listed["jobs"]
    assert (job["state"], listed["exit_code"]) == ("confirmed_publication", 0)
    assert job["evidence"]["confirmed_publication"][0]["level"] == "listed"
    assert "its bytes were not read" in c.said("inspect", "121")
    read = c.json("inspect", "121", "--level", "rehashed")
    (job,) = read["jobs"]
    assert (job["state"], read["exit_code"]) == ("missing_artifact", 11)
    (row,) = job["evidence"]["missing_artifact"]
    assert row["problem"] == "other digest"
    assert row["retention"] is None
    assert row["published_digest"] == f"sha256:{hashlib.sha256(WHOLE).hexdigest()}"
    assert row["observed_digest"] == f"sha256:{hashlib.sha256(WHOLE[:4]).hexdigest()}"
    assert "you may not requeue it" in c.said("inspect", "121", "--level", "rehashed")


def test_c21_it_is_withdrawn_and_never_requeued(held: Artifacts) -> None:
    c = case(held, "c21_truncated_file")
    short = held.write("121/1-a", WHOLE[:4])
    done = c.apply("reconcile", "121")
    assert outcomes(done) == {"121": "applied"}
    assert c.row(121) == ("complete", None, 1)
    assert c.job(121)["state"] == "withdrawn"
    assert short.read_bytes() == WHOLE[:4]
    assert c.database.execute(b"SELECT job_id FROM aps.valid_result ORDER BY 1") == [
        (1211,),
        (1212,),
    ]


def test_c21_empty_and_longer_files_differ_and_an_unreadable_one_does_not(held: Artifacts) -> None:
    c = case(held, "c21_truncated_file")
    held.write("121/1-a", b"")
    held.write("1211/1-a", WHOLE + b"\0")
    (held.root / "1212" / "1-a").mkdir(parents=True)
    told = c.json("inspect", "121", "1211", "1212", "--level", "rehashed")
    states = [job["state"] for job in told["jobs"]]
    assert states == ["missing_artifact", "missing_artifact", "unverified_publication"]


def test_c21_a_digest_of_the_short_bytes_proves_transfer_and_not_completeness(
    held: Artifacts,
) -> None:
    c = case(held, "c21_truncated_file")
    held.write("121/1-a", WHOLE)
    assert c.json("inspect", "121", "--level", "rehashed")["exit_code"] == 0
    said = c.said("inspect", "121", "--level", "rehashed")
    assert (
        "A digest shows that the bytes are those that were published, not that they are all."
        in said
    )


def test_c21_an_empty_file_is_found_by_a_listing_and_a_result_that_is_empty_is_none(
    held: Artifacts,
) -> None:
    c = case(held, "c21_truncated_file")
    held.write("121/1-a", b"")
    held.write("1211/1-a", b"")
    empty = f"sha256:{hashlib.sha256(b'').hexdigest()}"
    c.run(
        b"SET session_replication_role = replica",
        f"UPDATE aps.job SET published_digest = '{empty}' WHERE job_id = 1211".encode(),
    )
    told = c.look(121, 1211)
    assert [job["state"] for job in told["jobs"]] == ["missing_artifact", "confirmed_publication"]
    (row,) = told["jobs"][0]["evidence"]["missing_artifact"]
    assert (row["problem"], row["level"]) == ("empty", "listed")
    assert outcomes(c.apply("reconcile", "121")) == {"121": "applied"}


def test_c25_a_file_under_a_live_lease_is_nobodys_to_clean(held: Artifacts) -> None:
    c = case(held, "c25_write_in_progress")
    held.write("125/4-a.part", b"growing")
    told = c.look(125)
    (job,) = told["jobs"]
    assert (job["state"], job["overlays"], job["permitted"]) == ("live_lease", [], False)
    assert told["exit_code"] == 0
    assert "you may not reclaim it, whatever its age" in c.said("inspect", "125")
    assert "the matrix permits no action on it" in c.refused("reconcile", "125")
    assert "no job of the state matches" in c.said(
        "reconcile", "--all", "--state", "orphan_candidate"
    )
    assert (held.root / "125/4-a.part").read_bytes() == b"growing"


def test_c25_the_file_of_a_spent_epoch_waits_for_the_grace_to_its_end(held: Artifacts) -> None:
    c = case(held, "c25_write_in_progress")
    held.write("1251/3-a.part", b"late")
    held.write("1252/3-a.part", b"late")
    assert c.job(1251)["overlays"] == ["orphan_candidate"]
    assert c.job(1252)["overlays"] == []
    done = c.apply("reconcile", "--all", "--state", "orphan_candidate")
    assert outcomes(done) == {"1251": "applied"}
    assert not (held.root / "1251/3-a.part").exists()
    assert (held.root / "1252/3-a.part").exists()


def test_c25_a_file_that_grows_between_two_looks_is_left_alone(
    held: Artifacts, tmp_path: Path
) -> None:
    c = case(held, "c25_write_in_progress")
    file = held.write("1251/3-a.part", b"late")
    plan = str(tmp_path / "plan.json")
    c.told("reconcile", "1251", "--state", "orphan_candidate", "--plan-out", plan)
    with file.open("ab") as still:
        still.write(b" and later")
    done = c.apply("reconcile", "--plan", plan)
    assert outcomes(done) == {"1251": "changed"}
    assert done["exit_code"] == 20
    assert file.read_bytes() == b"late and later"


def test_c20_c21_and_c25_on_a_standby_nothing_is_certain_and_nothing_is_done(
    held: Artifacts, standby: Standby
) -> None:
    case(held, "c20_uploaded_not_confirmed")
    case(held, "c25_write_in_progress")
    held.write("120/2-a", WHOLE)
    held.write("1251/3-a.part", b"late")
    with standby.of(held.database) as there:
        c = Case(there, more=("--store", str(held.root)))
        told = c.look(120, 125)
        assert [job["state"] for job in told["jobs"]] == ["undetermined", "undetermined"]
        assert told["exit_code"] == 12
        for words in (("reclaim", "120"), ("reconcile", "1251", "--state", "orphan_candidate")):
            said = c.told(*words, "--yes", "--reason", "a case")
            assert said.code == 25
            assert "is a standby" in said.stderr
    assert (held.root / "1251/3-a.part").exists()
