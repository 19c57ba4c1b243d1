"""The rehearsal of the reference queue and of aps itself, on a private PostgreSQL with real worker processes."""

from __future__ import annotations
