"""Failure triage for job queues in PostgreSQL: which state, what may be done, and who owns it."""

from __future__ import annotations

__version__ = "0.1.0"
