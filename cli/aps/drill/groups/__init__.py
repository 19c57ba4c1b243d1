"""The sixteen groups of the rehearsal that this queue was described by."""

from __future__ import annotations
