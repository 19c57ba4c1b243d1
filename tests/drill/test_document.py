"""docs/drill.md tells what a drill runs, in the words of the drill."""

from __future__ import annotations

import pytest

from tests.support import programme

TEXT = programme.FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", programme.NAMES)
def test_a_table_of_the_drill_is_the_one_that_its_programme_makes(name: str) -> None:
    assert programme.blocks(TEXT)[name] == programme.table(name), (
        "write it anew: python -m tests.support.programme"
    )


def test_the_document_has_no_table_that_nothing_makes() -> None:
    assert set(programme.blocks(TEXT)) == {*programme.NAMES}
