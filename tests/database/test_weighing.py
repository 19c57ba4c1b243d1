"""Jobs weighed by the thousand have the verdicts that they have one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aps import evidence
from aps import snapshot as snapshots
from aps.evidence import Judgement
from aps.model.matrix import State
from aps.observed import Observed
from aps.snapshot import BEGINNING, Key, Snapshot
from aps.store import Observation
from aps.weighing import Accused, Narrowing, Weighed, accuses, weigh
from tests.support import looking, packs
from tests.support.database import Database

BOUNDED = settings(
    max_examples=60,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
RIGHT, OTHER = "sha256:" + "a" * 64, "sha256:" + "b" * 64
# Two of each kind that a row may be of: their files are seen in every way. One of them is of before the window.
FILL = b"""
INSERT INTO aps.job (job_id, request_key, kind, state, epoch, input_name, input_digest, worker, lease_until, candidate,
                     published_name, published_digest, published_epoch, published_at, withdrawn_at, created_at,
                     ready_at, finished_at)
OVERRIDING SYSTEM VALUE
SELECT n, 'r' || n, 'k' || n %% 2, CASE k WHEN 'published' THEN 'complete' WHEN 'withdrawn' THEN 'complete' ELSE k END,
       (k <> 'materializing')::integer,
       CASE WHEN k = 'materializing' THEN 'in/' || n END, CASE WHEN k = 'materializing' THEN %(right)s END,
       CASE WHEN k = 'running' THEN 'w' END, CASE WHEN k = 'running' THEN now() + (n - 19) * interval '1 min' END,
       CASE WHEN k = 'running' THEN n || '/1-x' END,
       CASE WHEN f THEN n || '/1-x' END, CASE WHEN f THEN %(right)s END, CASE WHEN f THEN 1 END, CASE WHEN f THEN t END,
       CASE WHEN k = 'withdrawn' THEN t END, t, CASE WHEN k <> 'materializing' THEN t END, CASE WHEN f THEN t END
  FROM generate_series(1, 24) AS n,
       LATERAL (SELECT (ARRAY['published', 'published', 'published', 'withdrawn', 'materializing', 'running']
                        )[n %% 6 + 1] AS k, now() - n * interval '1 h' AS t) AS a,
       LATERAL (SELECT k IN ('published', 'withdrawn') AS f) AS b"""
ATTEMPTS = b"""
INSERT INTO aps.attempt (job_id, epoch, worker, candidate)
SELECT job_id, 1, worker, candidate FROM aps.job WHERE state = 'running'"""
SEEN = st.sampled_from(
    (
        {},
        {"size": 7},
        {"size": 0},
        {"size": 7, "digest": RIGHT},
        {"size": 7, "digest": OTHER},
        {"size": 7, "digest": "md5:00"},
        {"error": "permission denied"},
        None,
    )
)


def of_files(snapshot: Snapshot) -> list[State]:
    return [one for one in snapshot.matrix.states if one.artifacts in ("claimed", "optional")]


def one_by_one(snapshot: Snapshot, jobs: Sequence[Key], keep: int, narrowing: Narrowing) -> Weighed:
    """What `weigh` is to tell, from judgements."""
    states = {state.name: state for state in of_files(snapshot)}
    judged = dict(zip(jobs, evidence.judge(snapshot, jobs), strict=True))
    made = Weighed()
    told: dict[str, list[Accused]] = {}
    for key, judgement in judged.items():
        rows = {name: rows for name, rows in judgement.rows.items() if name in states}
        doubted = any(accuses(states[name]) for name in rows)
        if not any(states[name].kind == "lifecycle" for name in rows):
            made.untold.add(key)
        for name in rows:
            one = alone(key, name, judgement, narrowing)
            (made.accused if doubted else told.setdefault(name, [])).append(one)
    for name, each in told.items():
        since = min((one.since for one in each if one.since), default=None)
        age = None if since is None else max(0.0, (snapshot.clock - since).total_seconds())
        made.counts[name] = evidence.Count(sum(one.items for one in each), len(each), None, age)
        each.sort(key=lambda one: (one.since is None, one.since or BEGINNING, int(one.key[-1])))
        kept = {one.key: one.since for one in each if one.fits}
        if kept:
            made.first[name] = dict(list(kept.items())[:keep])
    return made


def alone(key: Key, name: str, judgement: Judgement, narrowing: Narrowing) -> Accused:
    rows = judgement.rows[name]
    fits = any(
        all(row.get(column) == value for column, value in narrowing.where.items())
        and not (narrowing.eligible and row.get("refusal"))
        for row in rows
    )
    return Accused(key, name, len(rows), evidence.since(rows), fits)


def same(found: Weighed, expected: Weighed) -> None:
    def order(one: Accused) -> tuple[Key, str]:
        return one.key, one.state

    assert sorted(found.accused, key=order) == sorted(expected.accused, key=order)
    assert found.untold == expected.untold
    assert found.counts == expected.counts
    assert {name: list(jobs.items()) for name, jobs in found.first.items()} == {
        name: list(jobs.items()) for name, jobs in expected.first.items()
    }


def test_whatever_is_seen_of_files_verdicts_are_those_of_jobs_judged_alone(
    database: Database,
) -> None:
    ground = database.connect("postgres")
    ground.execute(FILL, {"right": RIGHT})
    ground.execute(ATTEMPTS)
    rows = ground.execute(
        b"SELECT job_id, coalesce(published_name, candidate, input_name) FROM aps.job ORDER BY 1"
    )
    named = {(str(job),): name for job, name in rows.fetchall()}
    with looking.snapshot(database) as snapshot:

        @BOUNDED
        @given(
            st.lists(SEEN, min_size=len(named), max_size=len(named)),
            st.sets(st.sampled_from(sorted(named)), min_size=1),
            st.integers(1, 5),
            st.sampled_from(({}, {"kind": "k1"}, {"problem": "absent"}, {"level": "listed"})),
            st.booleans(),
        )
        def prove(
            seen: list[dict[str, object] | None],
            jobs: set[Key],
            keep: int,
            where: dict[str, str],
            eligible: bool,
        ) -> None:
            looked = [
                Observation(name, **what)  # type: ignore[arg-type]
                for name, what in zip(named.values(), seen, strict=True)
                if what is not None
            ]
            sight = snapshots.seeing(snapshot, Observed.of(looked, "rehashed"))
            keys, narrowing = sorted(jobs), Narrowing(where, None, eligible)
            found = weigh(sight, keys, of_files(sight), keep, narrowing)
            same(found, one_by_one(sight, keys, keep, narrowing))

        prove()


def test_a_job_of_before_the_window_is_not_counted(database: Database) -> None:
    ground = database.connect("postgres")
    ground.execute(FILL, {"right": RIGHT})
    with looking.snapshot(database) as snapshot:
        assert snapshot.finished_since == BEGINNING
        keys = [(str(job),) for job in range(1, 25)]
        counted = []
        for window in (timedelta(days=2), timedelta(hours=12)):
            snapshot.finished_since = snapshot.clock - window
            found = weigh(snapshot, keys, of_files(snapshot), 5, Narrowing())
            counted.append(found.counts["confirmed_publication"].jobs)
    assert counted == [12, 5]


def test_only_jobs_older_than_asked_are_told_and_all_are_counted(database: Database) -> None:
    database.connect("postgres").execute(FILL, {"right": RIGHT})
    with looking.snapshot(database) as snapshot:
        keys = [(str(job),) for job in range(1, 25)]
        narrowing = Narrowing(older_than=timedelta(hours=19, minutes=30))
        found = weigh(snapshot, keys, of_files(snapshot), 10, narrowing)
    assert found.counts["confirmed_publication"].jobs == 12
    assert list(found.first["confirmed_publication"]) == [("24",), ("20",)]


FILES = "unnest(%(observed_names)s::text[], %(observed_sizes)s::bigint[]) AS o (name, size)"
COMPOSITE = """\
matrix: 1
system: results
table: result
key: [queue, id]
fencing: enforced
owner: {team: results}
states:
  confirmed_publication: {means: it stands, artifacts: optional, action: none}
  missing_artifact: {means: its file is gone, artifacts: claimed, action: none}
  half: {means: half of it is there, kind: overlay, artifacts: claimed, action: none}
absent:
  unconfirmed_materialization: no input
  ready: no work
  live_lease: no lease
  adoption: no lease
  orphan_candidate: no candidates
"""
QUERIES = {
    "population": "SELECT queue, id FROM result",
    "names": "SELECT queue, id, name FROM result",
    "confirmed_publication": f"SELECT r.queue, r.id, r.at AS since FROM result r"
    f" LEFT JOIN {FILES} ON o.name = r.name WHERE o.name IS NULL OR o.size IS NOT NULL",
    "missing_artifact": f"SELECT r.queue, r.id, r.at AS since FROM result r"
    f" JOIN {FILES} ON o.name = r.name WHERE o.size IS NULL",
    "half": f"SELECT r.queue, r.id, o.name AS item, part FROM result r"
    f" JOIN {FILES} ON o.name = r.name CROSS JOIN generate_series(1, 2) part WHERE 6 / (o.size - 3) > 1",
}
KEYS = [("a", "1"), ("b", "2"), ("c%", "1")]


@contextmanager
def results(database: Database, folder: Path, *seen: Observation) -> Iterator[Snapshot]:
    """Jobs that other jobs share each column of their key with."""
    database.execute(
        b"CREATE TABLE result (queue text, id bigint, name text, at timestamptz, PRIMARY KEY (queue, id))"
    )
    database.execute(
        b"INSERT INTO result SELECT q, i, q || i, CASE q WHEN 'a' THEN now() WHEN 'b' THEN 'infinity'"
        b" ELSE '-infinity' END FROM unnest(ARRAY['a', 'b', 'c%']) q, generate_series(1, 3) i"
    )
    queries = {f"queries/{name}.sql": f"-- Made.\n{text}\n" for name, text in QUERIES.items()}
    matrix = packs.made(folder, {"matrix.yaml": COMPOSITE} | queries)
    with looking.connect(database, "postgres") as session, session.look():
        snapshot = snapshots.take(session, matrix, session.probe())
        yield snapshots.seeing(snapshot, Observed.of(seen, "listed"))


def test_of_a_key_of_several_columns_only_whole_keys_are_weighed(
    database: Database, tmp_path: Path
) -> None:
    seen = [Observation("a1", 5), Observation("b2"), Observation("a2"), Observation("c%1", 9)]
    with results(database, tmp_path, *seen) as snapshot:
        for part in ("1", "2", "3"):
            narrowing = Narrowing({"part": part})
            found = weigh(snapshot, KEYS, snapshot.states, 9, narrowing)
            same(found, one_by_one(snapshot, KEYS, 9, narrowing))
            assert ("half" in found.first) == (part != "3")
    assert [(one.key, one.state, one.since) for one in found.accused] == [
        (("b", "2"), "missing_artifact", None)
    ]
    assert found.counts["confirmed_publication"].jobs == 2
    half = found.counts["half"]
    assert (half.items, half.jobs, half.oldest) == (2, 1, None)


def test_a_state_that_fails_on_what_was_seen_is_unread_and_no_other(
    database: Database, tmp_path: Path
) -> None:
    with results(database, tmp_path, Observation("a1", 3), Observation("b2")) as snapshot:
        found = weigh(snapshot, KEYS, snapshot.states, 9, Narrowing())
        assert list(snapshot.unread) == ["half"]
        assert "division by zero" in snapshot.unread["half"]
    assert [one.key for one in found.accused] == [("b", "2")]
    assert found.counts["confirmed_publication"].jobs == 2
    assert not found.untold


def test_where_no_state_can_be_read_no_job_is_told(database: Database, tmp_path: Path) -> None:
    with results(database, tmp_path) as snapshot:
        snapshot.unread |= dict.fromkeys(("confirmed_publication", "missing_artifact", "half"), "x")
        assert weigh(snapshot, KEYS, snapshot.matrix.states, 9, Narrowing()) == Weighed(
            untold=set(KEYS)
        )
