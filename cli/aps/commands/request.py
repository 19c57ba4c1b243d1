"""One acting command as it was typed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aps.commands import stores
from aps.commands.options import Format, Reach

if TYPE_CHECKING:
    from aps.planning import Selection


@dataclass(frozen=True, slots=True)
class Request:
    """One acting command as it was typed. `level` is how far a whole queue or store is looked at to choose.

    `operation` is the one to be undone; then nothing is chosen.
    """

    command: str
    reach: Reach
    selection: Selection
    plan: Path | None
    plan_out: Path | None
    yes: bool
    reason: str | None
    ticket: str | None
    attested: tuple[str, ...]
    retries: int
    batch_size: int
    format: Format
    quiet: bool
    store: str | None = None
    level: stores.Level = "listed"
    operation: str | None = None

    @property
    def acts_on_files(self) -> bool:
        """What was planned by its rows alone is held to its rows alone."""
        return self.command in ("reconcile", "undo")

    @property
    def words(self) -> str:
        """What a printed command repeats of the store."""
        return " ".join(stores.words(self.store, None, "listed", demo=self.reach.demo))
