"""queries/completion.sql of a pack: found by its name, held to what is bound into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps import matrix
from aps.errors import MatrixError
from tests.unit import small_pack

FILE = "queries/completion.sql"
WHOLE = """\
-- Returns: answer.
SELECT 'open' AS answer FROM job
 WHERE job_id = ANY(%(job_id)s::bigint[]) AND (epoch, who) = (%(epoch)s, %(worker)s)
   AND file = %(candidate)s AND digest = %(digest)s
"""


def told(folder: Path) -> str:
    with pytest.raises(MatrixError) as caught:
        matrix.load(folder)
    return str(caught.value)


def test_a_pack_has_the_query_or_not(tmp_path: Path) -> None:
    assert matrix.load(small_pack.write(tmp_path / "a")).completion is None
    found = matrix.load(small_pack.write(tmp_path / "b", (FILE, "", WHOLE))).completion
    assert found
    assert found.file == FILE
    assert sorted(found.parameters) == ["candidate", "digest", "epoch", "job_id", "worker"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (WHOLE.replace("%(worker)s", "%(wrker)s"), "unknown parameter %(wrker)s; did you mean"),
        (WHOLE.replace("%(worker)s", "%(operation)s"), "%(operation)s is bound to the queries of"),
        (WHOLE.replace("%(job_id)s", "%(epoch)s"), "does not name its jobs; use %(job_id)s"),
        ("-- Returns: answer.\nDELETE FROM job\n", "does not read"),
    ],
)
def test_its_faults_are_told(tmp_path: Path, text: str, fault: str) -> None:
    assert fault in told(small_pack.write(tmp_path, (FILE, "", text)))


def test_what_it_is_asked_by_is_not_bound_elsewhere(tmp_path: Path) -> None:
    ready = "-- Ready.\nSELECT job_id FROM job WHERE who = %(worker)s\n"
    assert "unknown parameter %(worker)s" in told(
        small_pack.write(tmp_path, (FILE, "", WHOLE), ("queries/ready.sql", "", ready))
    )


def test_a_key_or_parameter_of_the_same_name_is_a_fault_only_beside_it(tmp_path: Path) -> None:
    renamed = (
        ("matrix.yaml", "limit_of_kills:", "epoch:"),
        ("queries/adoption.sql", "%(limit_of_kills)s", "%(epoch)s"),
    )
    matrix.load(small_pack.write(tmp_path / "a", *renamed))
    fault = "epoch has a meaning in queries/completion.sql; take another"
    assert fault in told(small_pack.write(tmp_path / "b", *renamed, (FILE, "", WHOLE)))


def test_no_state_is_called_completion(tmp_path: Path) -> None:
    folder = small_pack.write(
        tmp_path, ("matrix.yaml", "  ready:", "  completion: {means: a, action: none}\n  ready:")
    )
    assert "states.completion: the name has a meaning for aps" in told(folder)
