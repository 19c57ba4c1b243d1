"""Each rehearsal of the drill notices a queue that does not keep its promise."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
import yaml

from aps.demo.binaries import Binaries
from aps.drill.programme import SCRIPTS
from tests.drill.test_broken_code import CODE
from tests.support import drilling
from tests.support.rehearsed import noticed, rehearsed

COPIES: Final[list[dict[str, str]]] = yaml.safe_load(
    Path(__file__).with_name("copies.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("copy", COPIES, ids=[copy["rehearsal"] for copy in COPIES])
def test_a_broken_copy_of_the_queue_breaks_the_rehearsal(
    binaries: Binaries, tmp_path: Path, copy: dict[str, str]
) -> None:
    pack = drilling.broken(tmp_path, copy["file"], copy["without"], copy["with"])
    noticed(rehearsed(binaries, copy["rehearsal"], pack), copy["breaks"])


def test_every_rehearsal_is_broken_by_a_copy_or_by_other_code() -> None:
    broken = {copy["rehearsal"] for copy in COPIES} | {one[0] for one in CODE}
    assert broken == {script.name for _, script in SCRIPTS.values()}
