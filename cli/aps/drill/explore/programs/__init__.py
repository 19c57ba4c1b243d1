"""The programs whose every interleaving is run."""

from __future__ import annotations
