"""An examination to render: something of every verdict, and words that a terminal must not obey."""

from __future__ import annotations

from dataclasses import replace

from aps.model.examination import Check, Examination
from aps.model.report import Lag
from tests.unit import render_samples as samples

EXAMINED = Examination(
    format_version="1.0",
    system="exports",
    pack=samples.PACK,
    as_of="2026-11-30T21:40:02.123456+00:00",
    database=replace(samples.SERVER, in_recovery=True, lag=Lag(3_400_000, True, 240.0)),
    checks=(
        Check("server", "ok", "PostgreSQL 18.6; 15 to 18 are supported"),
        Check("lag", "warning", "3 MB were received and are not replayed", ("SELECT 1;",)),
        Check("clock", "unknown", "the server answers too slowly (3 s) to compare clocks"),
        Check(
            "inspect",
            "critical",
            "ready, live lease, adoption, poisoned and 4 more: aps_\x1b[31mx has no SELECT on aps.attempt",
            ("GRANT SELECT ON aps.attempt TO aps_x;", "GRANT SELECT ON aps.event TO aps_x;"),
        ),
        Check("reclaim", "not_asked", "aps_x may only look", ("GRANT aps_operate TO aps_x;",)),
        Check("store", "not_asked", "no store was given (--store)"),
        Check("times", "ok", "every time has its zone"),
    ),
    exit_code=11,
)
