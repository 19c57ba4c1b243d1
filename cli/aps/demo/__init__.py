"""A private PostgreSQL, and a queue on it in which real workers got into trouble."""

from __future__ import annotations
