"""A drill to render: something that holds, that is broken and that did not end, and words no terminal may obey."""

from __future__ import annotations

from dataclasses import replace

from aps.model.drill import Drill, Explored, Mutant, Observation, Rehearsal, Violation
from tests.unit import render_samples as samples

HOLDS = Rehearsal(
    number=1,
    kind="group",
    name="two-claimers",
    title="Two claimers get different jobs",
    done=("two requests were accepted, and two worker processes claimed at once",),
    observations=(
        Observation("the jobs that they took", "1, 2", "1, 2", True),
        Observation("the owners on the rows", "w1, w2", "w1, w2", True),
    ),
    proves="a claim skips what another holds, and takes possession in the same transaction",
    does_not_prove="any order or fairness between the two",
    verdict="holds",
    error=None,
    seconds=0.104,
)
BROKEN = replace(
    HOLDS,
    number=9,
    name="old-publication",
    title="The publication of an old epoch matches nothing",
    done=(
        "w1 was stopped while it wrote its last row",
        "w2 adopted the job; then w1 was woken, and published",
    ),
    observations=(
        Observation("the epoch of the job", "2", "2", True),
        Observation("rows that w1 changed", "0", "1", False),
        Observation("the worker on the row", "w2", "w\x1b[31m1", False),
    ),
    proves="the fence is in the statement that writes",
    does_not_prove="that w1 did nothing outside the database",
    verdict="broken",
    seconds=12.46,
)
UNFINISHED = replace(
    HOLDS,
    number=17,
    kind="trial",
    name="worker-killed",
    title="A worker is killed",
    done=(),
    observations=(),
    proves="",
    does_not_prove="",
    verdict="unfinished",
    error="waited 20 s in vain for the lease of job 1 to end",
    seconds=20.3,
)
SESSIONS = {"A": ("heartbeat", "publish"), "B": ("adopt", "publish")}
EXPLORED = Explored(
    program="adoption-against-publication",
    title="an owner that publishes, and one that adopts",
    sessions=SESSIONS,
    interleavings=12_345,
    steps=49_380,
    waits=1_204,
    diverged=0,
    outcomes={"A publish: published": 4_000, "A publish: rejected": 8_345},
    violations=(),
)
MUTANTS = (
    Mutant(
        of="publish",
        removed="epoch",
        notice="noticed",
        by="adoption-against-publication: no result of an old epoch is valid",
        interleavings=3,
        steps=("B adopt", "A publish"),
    ),
    Mutant(
        of="cancel",
        removed="worker",
        notice="redundant",
        by="an epoch has one worker: the epoch says it already",
        interleavings=12_345,
        steps=(),
    ),
)
DRILLED = Drill(
    format_version="1.0",
    started_at="2026-11-30T21:40:02.123456+00:00",
    seconds=214.2,
    versions={
        "aps": "0.1.0",
        "python": "3.11.7",
        "postgresql": "PostgreSQL 18.6 on x86_64-pc-linux-gnu, 64-bit",
        "platform": "Linux",
        "psycopg": "3.2.1",
    },
    settings={"fsync": "off", "deadlock_timeout": "50ms"},
    pack=samples.PACK,
    asked=(),
    rehearsals=(HOLDS,),
    explored=(EXPLORED,),
    interleavings=12_345,
    mutants=MUTANTS,
    counts={"holds": 1, "broken": 0, "unfinished": 0},
    exit_code=0,
)
WRONG = replace(
    DRILLED,
    rehearsals=(HOLDS, BROKEN, UNFINISHED),
    explored=(
        replace(
            EXPLORED,
            violations=(
                Violation(
                    "one publication an epoch",
                    "job 1 has two of epoch 2",
                    ("B adopt", "A publish", "B publish"),
                ),
            ),
        ),
    ),
    mutants=(*MUTANTS, replace(MUTANTS[0], of="reclaim", removed="locked", notice="missed", by="")),
    counts={"holds": 1, "broken": 1, "unfinished": 1},
    exit_code=11,
)
