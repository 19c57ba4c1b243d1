"""All that is rehearsed, by number: the sixteen groups, then the trials."""

from __future__ import annotations

from typing import Final

from aps.drill.groups import adoption, claims, files, publication
from aps.drill.script import Script
from aps.drill.trials import TRIALS
from aps.model.drill import Kind

GROUPS: Final[tuple[Script, ...]] = (
    *claims.SCRIPTS,
    *adoption.SCRIPTS,
    *publication.SCRIPTS,
    *files.SCRIPTS,
)
SCRIPTS: Final[dict[int, tuple[Kind, Script]]] = dict(
    enumerate([*(("group", one) for one in GROUPS), *(("trial", one) for one in TRIALS)], start=1)
)
