from __future__ import annotations

from collections.abc import Iterator

import pytest

from aps.demo.binaries import Binaries
from aps.drill.explore.scene import Scene
from tests.support.exploring import Copies, copies


@pytest.fixture(scope="session")
def explored(binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copies]:
    with copies(binaries, tmp_path_factory.mktemp("explored")) as made:
        yield made


@pytest.fixture
def scene(explored: Copies) -> Iterator[Scene]:
    """A queue and sessions of its own for one test."""
    with explored.scene() as scene:
        yield scene
