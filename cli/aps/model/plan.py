"""A plan: exact jobs with the evidence seen, and the one action. An apply does it or less, never more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aps.model.matrix import Fencing
from aps.model.report import Evidence, Identity, PackRef

FORMAT_VERSION = "1.0"

# (DESIGN section 6) What was seen is not trusted for longer.
LIFETIME_SECONDS = 900


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """`key` has the values of the key columns as text; `evidence` the rows seen, one an item, with their fence."""

    job: str
    key: tuple[str, ...]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class RefusedJob:
    job: str
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """`found` is all that the state holds, `jobs` what was selected; times RFC 3339 in UTC on the database clock.

    `second_sighting_seconds` is how long after the plan the jobs must be seen again, the same, before anything is done.
    `fingerprint` is a sha256 over everything else: it shows damage, not forgery.
    """

    format_version: str
    operation: str
    command: str
    system: str
    pack: PackRef
    identity: Identity
    database: str
    role: str
    host: str
    state: str
    effect: str
    irreversible: str | None
    criterion: str
    attest: str | None
    parameters: Mapping[str, str]
    selection: str
    created_at: str
    expires_at: str
    found: int
    jobs: tuple[PlannedJob, ...]
    refused: tuple[RefusedJob, ...]
    fencing: Fencing = "enforced"
    second_sighting_seconds: float | None = None
    fingerprint: str = ""
