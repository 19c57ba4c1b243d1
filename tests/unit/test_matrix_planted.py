"""A fault of every kind that the files alone show, planted in a copy of the reference pack."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aps import check
from aps.exits import Exit
from tests.support import cli, planted
from tests.support.planted import YAML, Planted

EVIDENCE = "queries/adoption.sql"
ACTION = "queries/adoption.reclaim.sql"
VERIFY = "queries/adoption.verify.sql"
LEASE = "j.lease_until <= %(clock)s"
FILE_OWNER = (
    'owner: {team: export-oncall, contact: "#export-oncall", escalate: data platform lead}\n'
)
READY = "  ready:\n    means: Any worker may claim the job.\n"

FAULTS = [
    Planted(
        "a second statement",
        EVIDENCE,
        "a.abandoned < %(abandon_limit)s",
        "true;\nSELECT 2",
        "SELECT 2",
        "a second statement",
        "one file holds one statement",
    ),
    Planted(
        "a CTE that writes",
        EVIDENCE,
        "SELECT j.job_id,",
        "WITH gone AS (DELETE FROM aps.event RETURNING 1)\nSELECT j.job_id,",
        "WITH gone",
        "writes (DELETE)",
        "it may only read",
    ),
    Planted(
        "a row lock",
        EVIDENCE,
        "a.abandoned < %(abandon_limit)s",
        "true\n FOR NO KEY UPDATE",
        " FOR NO KEY",
        "takes row locks",
        "remove the FOR clause",
    ),
    Planted(
        "evidence that does not read",
        EVIDENCE,
        "SELECT j.job_id,",
        "TABLE aps.job; SELECT",
        "TABLE aps.job",
        "does not read",
        "begin with SELECT",
    ),
    Planted(
        "a misspelt parameter",
        EVIDENCE,
        LEASE,
        "j.lease_until <= %(clokc)s",
        "%(clokc)s",
        "unknown parameter %(clokc)s",
        "did you mean 'clock'?",
    ),
    Planted(
        "a key asked for in evidence",
        EVIDENCE,
        LEASE,
        "j.job_id = ANY (%(job_id)s::bigint[])",
        "%(job_id)s",
        "%(job_id)s is bound to the queries of an action only",
        "find all jobs here",
    ),
    Planted(
        "a lone percent",
        EVIDENCE,
        LEASE,
        "j.worker LIKE 'w%'",
        "'w%'",
        "a lone %",
        "write %%",
    ),
    Planted(
        "a parenthesis left open",
        EVIDENCE,
        LEASE,
        "(j.lease_until <= %(clock)s",
        "(j.lease_until <=",
        "this ( is never closed",
        "",
    ),
    Planted(
        "the rows as they were, asked for after the commit",
        VERIFY,
        "%(job_id)s::bigint[]",
        "%(job_id)s::bigint[] || %(before)s::bigint[]",
        "%(before)s",
        "%(before)s is bound to the query of an abort only",
        "remove it",
    ),
    Planted(
        "an action that returns nothing",
        ACTION,
        "",
        ("-- Nothing.\nUPDATE aps.job SET epoch = 1\n WHERE job_id = ANY (%(job_id)s::bigint[])\n"),
        "UPDATE",
        "returns nothing",
        "RETURNING and the key columns",
    ),
    Planted(
        "an action on all jobs",
        ACTION,
        "",
        "-- All.\nDELETE FROM aps.job RETURNING job_id\n",
        "-- All.",
        "does not name its jobs",
        "%(job_id)s",
    ),
    Planted(
        "a query of no state",
        "queries/adoption.reclame.sql",
        "",
        "-- Lost.\nSELECT 1\n",
        "-- Lost.",
        "has no action that would run reclame",
        "did you mean 'adoption.reclaim.sql'?",
    ),
    Planted(
        "a state without owner",
        YAML,
        FILE_OWNER,
        "",
        "  ready:\n",
        "states.ready.owner: missing",
        "name the team",
    ),
    Planted(
        "a reclaim without attestation, nothing fenced",
        YAML,
        "fencing: enforced",
        "fencing: none",
        "    action: {run: reclaim, to: failed,",
        "states.poisoned.action.attest: missing",
        "name what a person must confirm",
    ),
    Planted(
        "a duplicate key",
        YAML,
        "fencing: enforced\n",
        "fencing: enforced\nkey: epoch\n",
        "key: epoch",
        "the key stands already",
        "keep one of the two",
    ),
    Planted(
        "no as a key",
        YAML,
        "    not: That the queue is served",
        "    no: That the queue is served",
        "    no: ",
        "as a key it is read as true or false",
        'quote it: "no"',
    ),
    Planted(
        "a number that YAML makes of a time",
        YAML,
        "max_lease: 15 min",
        "max_lease: 22:30",
        "22:30",
        "max_lease: ",
        "",
    ),
    Planted(
        "an unknown key",
        YAML,
        READY,
        f"{READY}    severty: {{warning: 1}}\n",
        "severty",
        "states.ready.severty: unknown key",
        "did you mean 'severity'?",
    ),
    Planted(
        "a core state of which nothing is said",
        YAML,
        "  live_lease:\n    means: A worker holds",
        "  lease_alive:\n    means: A worker holds",
        "matrix: 1",
        "live_lease is neither a state nor absent",
        "below absent",
    ),
    Planted(
        "an action without a way back",
        YAML,
        'rollback: {criterion: "the published name, digest or epoch changed, or the file is right again"}',
        "bulk: true",
        "  missing_artifact:\n    means:",
        "states.missing_artifact.rollback: missing",
        "irreversible: why",
    ),
    Planted(
        "a lease limit that nobody declared",
        YAML,
        "max_lease: 15 min\n",
        "",
        "AND j.lease_until <= %(clock)s + %(max_lease)s",
        "%(max_lease)s is used",
        "declare it",
        where="queries/live_lease.sql",
    ),
    Planted(
        "a parameter that nothing uses",
        YAML,
        "parameters:\n",
        "parameters:\n  patience: {type: interval, default: 1 h, means: unused}\n",
        "  patience:",
        "parameters.patience: no query uses it",
        "bind it as %(patience)s",
    ),
    Planted(
        "a default of the wrong type",
        YAML,
        "{type: integer, default: 3,",
        "{type: integer, default: many,",
        "default: many",
        "must be a whole number",
        "",
    ),
    Planted(
        "an alias",
        YAML,
        "fencing: enforced",
        "fencing: *anchor",
        "*anchor",
        "not YAML",
        "",
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=planted.ids(FAULTS))
def test_a_planted_fault_is_caught_with_its_place_and_remedy(
    tmp_path: Path, fault: Planted
) -> None:
    made = planted.pack(tmp_path, fault)
    checked = check.files(made)
    assert checked is not None
    planted.caught(checked, made, fault)
    assert checked.exit_code == Exit.MATRIX


def test_the_pack_that_the_faults_are_planted_in_has_none(tmp_path: Path) -> None:
    assert check.files(planted.copied(tmp_path)) is None


def test_a_query_outside_the_pack_is_caught(tmp_path: Path) -> None:
    made = planted.copied(tmp_path)
    outside = tmp_path / "elsewhere.sql"
    (made / EVIDENCE).rename(outside)
    (made / EVIDENCE).symlink_to(outside)
    checked = check.files(made)
    assert checked is not None
    assert [(one.file, one.sentence, one.remedy) for one in checked.findings] == [
        (EVIDENCE, "leads outside the pack", "put the file itself there")
    ]


def test_a_query_that_is_not_there_is_caught_at_its_state(tmp_path: Path) -> None:
    made = planted.copied(tmp_path)
    (made / EVIDENCE).unlink()
    checked = check.files(made)
    assert checked is not None
    told = [one for one in checked.findings if EVIDENCE in one.sentence]
    assert [one.remedy for one in told] == ["write it"]
    assert told[0].file == YAML
    assert (made / YAML).read_text().splitlines()[(told[0].line or 0) - 1] == "  adoption:"


def test_the_faults_of_the_files_are_told_in_every_format_without_a_database(
    tmp_path: Path,
) -> None:
    made = str(planted.pack(tmp_path, FAULTS[0]))
    said = cli.call("matrix", "check", "--pack", made)
    assert said.code == Exit.MATRIX
    assert "queries/adoption.sql:" in said.stdout
    assert "totality: not checked, the files have faults" in said.stdout
    told = json.loads(cli.call("matrix", "check", "--pack", made, "--format", "json").stdout)
    assert (told["exit_code"], told["database"]) == (Exit.MATRIX, None)
    assert told["findings"][0]["sentence"] == "a second statement"
    for format in ("jsonl", "csv", "markdown"):
        said = cli.call("matrix", "check", "--pack", made, "--format", format)
        assert said.code == Exit.MATRIX
        assert "a second statement" in said.stdout
