"""How bad: the thresholds of the matrix against a count and an age."""

from __future__ import annotations

from aps.model.matrix import Severity, Threshold
from aps.model.report import Level

# Worst first.
RANK: dict[Level | None, int] = {"critical": 0, "warning": 1, None: 2}


def level(severity: Severity, count: int, oldest: float | None) -> Level | None:
    """The severity that so many jobs of such an age have."""
    for name, threshold in (("critical", severity.critical), ("warning", severity.warning)):
        if threshold and _reached(threshold, count, oldest):
            return "critical" if name == "critical" else "warning"
    return None


def _reached(threshold: Threshold, count: int, oldest: float | None) -> bool:
    if threshold.count is not None and count >= threshold.count:
        return True
    age = threshold.age
    return age is not None and oldest is not None and oldest >= age.total_seconds()
