"""Every interleaving of some sessions, on a real database."""

from __future__ import annotations
