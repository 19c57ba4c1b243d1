"""Check a pack before an incident: its files, then its statements against a database, without running what writes."""

from __future__ import annotations

from aps.check.checking import database, files, unmade
from aps.model.checked import Checked, Finding

__all__ = ["Checked", "Finding", "database", "files", "unmade"]
