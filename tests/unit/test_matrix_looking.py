"""What a matrix says of looking at files: an action that only reads, and how much may be missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps import matrix
from aps.errors import MatrixError
from tests.unit import small_pack

OLD = "{means: a result stands, action: none, artifacts: optional}"
LOOKS = "action: {run: reconcile, effect: it is read, changes_per_job: 0}"


def state(tmp_path: Path, text: str) -> Path:
    return small_pack.write(tmp_path, ("matrix.yaml", OLD, text))


def told(folder: Path) -> str:
    with pytest.raises(MatrixError) as caught:
        matrix.load(folder)
    return str(caught.value)


def test_an_action_that_only_looks_needs_no_statement_no_way_back_and_nobody(
    tmp_path: Path,
) -> None:
    folder = state(tmp_path, f"{{means: x, artifacts: optional, {LOOKS}}}")
    looked = matrix.load(folder).state("confirmed_publication")
    assert looked is not None
    assert looked.action is not None
    assert (looked.action.looks, looked.action.query, looked.rollback) == (True, None, None)
    assert (looked.severity.warning, looked.severity.critical) == (None, None)


def test_an_action_that_changes_rows_does_not_only_look(tmp_path: Path) -> None:
    adoption = matrix.load(small_pack.write(tmp_path)).state("adoption")
    assert adoption is not None
    assert adoption.action is not None
    assert not adoption.action.looks


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            f"{{means: x, artifacts: optional, {LOOKS}, rollback: {{criterion: y}}}}",
            "rollback: there is nothing to roll back where nothing is written; remove it",
        ),
        (f"{{means: x, {LOOKS}}}", "0 means that files are read; write artifacts: claimed, or"),
        (f"{{means: x, artifacts: listed, {LOOKS}}}", "0 means that files are read"),
        (
            "{means: x, artifacts: optional, "
            "action: {run: reclaim, attest: a, effect: e, changes_per_job: 0}}",
            "0 is for reconcile only, where it reads files and writes nothing",
        ),
        (
            f"{{means: x, artifacts: optional, {LOOKS.replace('0', '-1')}}}",
            "changes_per_job: must be at least 0",
        ),
    ],
)
def test_what_contradicts_looking_is_told(tmp_path: Path, text: str, fault: str) -> None:
    assert fault in told(state(tmp_path, text))


def test_a_statement_for_an_action_that_only_looks_is_a_stray(tmp_path: Path) -> None:
    folder = state(tmp_path, f"{{means: x, artifacts: optional, {LOOKS}}}")
    stray = folder / "queries/confirmed_publication.reconcile.sql"
    stray.write_text(
        "-- No.\nUPDATE job SET x = 1 WHERE job_id = ANY (%(job_id)s) RETURNING job_id\n"
    )
    assert "has no action that would run reconcile" in told(folder)


@pytest.mark.parametrize(
    ("text", "share"), [("0.2", 0.2), (".5", 0.5), ("1", 1.0), ("1.0", 1.0), ("0.05", 0.05)]
)
def test_the_share_that_may_be_missing_is_a_part_of_the_whole(
    tmp_path: Path, text: str, share: float
) -> None:
    edit = ("matrix.yaml", "key: job_id\n", f"key: job_id\nmost_missing: {text}\n")
    assert matrix.load(small_pack.write(tmp_path, edit)).most_missing == share


def test_a_fifth_may_be_missing_where_nothing_is_said(tmp_path: Path) -> None:
    assert matrix.load(small_pack.write(tmp_path)).most_missing == 0.2


@pytest.mark.parametrize(
    "text", ["0", "0.0", "1.1", "2", "-0.1", "20%", "'0.2'", "true", ".inf", "1e-1"]
)
def test_any_other_share_is_told(tmp_path: Path, text: str) -> None:
    edit = ("matrix.yaml", "key: job_id\n", f"key: job_id\nmost_missing: {text}\n")
    said = told(small_pack.write(tmp_path, edit))
    assert said == (
        "matrix.yaml:5:15: most_missing: must be a number above 0, and at most 1, such as 0.2"
    )
