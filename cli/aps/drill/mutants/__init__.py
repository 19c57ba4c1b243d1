"""The queue and the engine with one fence column or step removed."""

from __future__ import annotations
