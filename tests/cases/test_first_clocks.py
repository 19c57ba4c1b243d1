"""C13: times without a zone, and the hour that comes twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps.exits import Exit
from tests.support import packs
from tests.support.cases import Case, outcomes
from tests.support.database import Database

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server

ATTEST = ("--attest", "all-workers-stopped")
BARE = "lease_until"
DECLARED = "(lease_until AT TIME ZONE '{}')"


def pack(database: Database, folder: Path, lease: str) -> Case:
    files = {
        "matrix.yaml": """\
matrix: 1
system: naive
table: naive
key: id
fencing: none
owner: {team: naive-oncall}
states:
  ready: {means: free, action: none}
  live_lease: {means: taken, action: none}
  adoption:
    means: its lease is over
    severity: {warning: 1}
    action: {run: reclaim, attest: all-workers-stopped, effect: free again}
    rollback: {criterion: another row changes, irreversible: there is no generation}
absent:
  unconfirmed_materialization: there are no inputs
  orphan_candidate: there are no files
  confirmed_publication: what is done is deleted
  missing_artifact: there are no files
""",
        "queries/population.sql": "-- All.\nSELECT id FROM naive\n",
        "queries/ready.sql": "-- Free.\nSELECT id FROM naive WHERE owner IS NULL\n",
        "queries/live_lease.sql": (
            f"-- Live.\nSELECT id, owner, lease_until FROM naive WHERE owner <> '' AND {lease} > %(clock)s\n"
        ),
        "queries/adoption.sql": (
            f"-- Over.\nSELECT id, owner, lease_until FROM naive WHERE owner <> '' AND {lease} <= %(clock)s\n"
        ),
        "queries/adoption.reclaim.sql": (
            "-- Returns id.\nUPDATE naive SET owner = NULL WHERE id = ANY (%(id)s::bigint[]) RETURNING id\n"
        ),
    }
    packs.made(folder, files)
    return Case.of(database, "first_c13_naive", pack=str(folder))


def owners(database: Database) -> list[tuple[int, str | None]]:
    return [
        (row[0], row[1]) for row in database.execute(b"SELECT id, owner FROM naive ORDER BY id")
    ]


@pytest.mark.parametrize("lease", [BARE, "naive.lease_until", '"lease_until"', "(lease_until)"])
def test_c13_a_lease_without_a_declared_zone_is_undetermined_and_nothing_is_written(
    database: Database, tmp_path: Path, lease: str
) -> None:
    case = pack(database, tmp_path, lease)
    found = case.state("adoption")
    assert (found["verdict"], found["jobs"]) == ("undetermined", None)
    assert "lease_until holds times without a zone" in found["error"]
    assert "queries/adoption.sql" in found["error"]
    assert case.look()["exit_code"] == Exit.UNDETERMINED
    assert case.states(1, 2) == ["undetermined", "undetermined"]
    assert "AT TIME ZONE" in case.said("reclaim", "2", *ATTEST)
    case.told("reclaim", "2", *ATTEST, "--yes", "--reason", "a case")
    assert owners(database) == [(1, "w1"), (2, "w1")]


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "UTC"])
def test_c13_with_a_declared_zone_no_setting_of_database_or_role_moves_the_verdict(
    database: Database, tmp_path: Path, zone: str
) -> None:
    case = pack(database, tmp_path, DECLARED.format("UTC"))
    name = database.name.encode()
    database.execute(b"ALTER DATABASE " + name + b" SET timezone = '" + zone.encode() + b"'")
    assert case.states(1, 2) == ["live_lease", "adoption"]
    assert outcomes(case.apply("reclaim", "2", *ATTEST)) == {"2": "applied"}
    assert owners(database) == [(1, "w1"), (2, None)]


def test_c13_another_declared_zone_is_another_instant(database: Database, tmp_path: Path) -> None:
    case = pack(database, tmp_path, DECLARED.format("Asia/Tokyo"))
    assert case.states(1, 2) == ["adoption", "adoption"]


def test_c13_a_clock_turned_into_the_zone_of_the_column_is_declared_too(
    database: Database, tmp_path: Path
) -> None:
    case = pack(database, tmp_path, BARE)
    for name in ("live_lease", "adoption"):
        file = tmp_path / "queries" / f"{name}.sql"
        file.write_text(
            file.read_text().replace("%(clock)s", "%(clock)s::timestamptz AT TIME ZONE 'UTC'")
        )
    assert case.states(1, 2) == ["live_lease", "adoption"]


def test_c13_a_lease_in_the_hour_that_comes_twice_is_told_apart_in_the_reference_queue(
    database: Database,
) -> None:
    # Both instants read 01:30 in New York; the column has a zone, so that they stay two.
    case = Case(database)
    case.run(
        b"SELECT pg_temp.running(1, 'w1', 1, -9), pg_temp.running(2, 'w1', 1, -9)",
        b"UPDATE aps.job SET lease_until = CASE job_id WHEN 1 THEN timestamptz '2025-11-02 01:30-04'"
        b" ELSE timestamptz '2025-11-02 01:30-05' END",
    )
    first, second = (job["since"] for job in case.look(1, 2)["jobs"])
    assert (first, second) == ("2025-11-02T05:30:00+00:00", "2025-11-02T06:30:00+00:00")


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
def test_c13_the_zone_of_a_session_moves_no_verdict_of_the_reference_queue(
    database: Database, zone: str
) -> None:
    case = Case(database)
    case.run(b"SELECT pg_temp.running(1, 'w1', 1, 5), pg_temp.running(2, 'w1', 1, -5)")
    name = database.name.encode()
    database.execute(b"ALTER DATABASE " + name + b" SET timezone = '" + zone.encode() + b"'")
    assert case.states(1, 2) == ["live_lease", "adoption"]
    assert "Z (5 min ago)" in case.said("inspect", "2")
