"""A plan: exact jobs with the evidence seen, and the one action. An apply does it or less, never more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aps.model.matrix import Fencing
from aps.model.operation import Id
from aps.model.report import Cause, Evidence, Identity, PackRef

FORMAT_VERSION = "1.0"

# (DESIGN section 6) What was seen is not trusted for longer.
LIFETIME_SECONDS = 900


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """`key` has the values of the key columns as text; `evidence` the rows seen, one an item, with their fence.

    `item` is the one that is acted upon where each is acted upon for itself; else empty. `overlays` are the other
    states that lie over the job, which nothing is held to.
    """

    job: str
    key: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    item: str = ""
    overlays: Mapping[str, tuple[Evidence, ...]] = field(default_factory=dict)

    @property
    def id(self) -> Id:
        return self.job, self.item


@dataclass(frozen=True, slots=True)
class RefusedJob:
    job: str
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """`found` is all that the state holds, or the jobs named where files were read; `jobs` what was selected.

    Times are RFC 3339 in UTC on the database clock.

    `store` is where files were looked at, `level` how far; None, recorded: nobody looked. Of `looked` names that rows
    claim, and that could be judged, `missing` were absent; None where nobody looked. `writes` is False where the action
    is to look and nothing more. `meanings` are the matrix's words for each overlay of a job.
    `causes` is what most of all that the state holds have in common.
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
    store: str | None = None
    level: str = "recorded"
    looked: int | None = None
    missing: int | None = None
    writes: bool = True
    meanings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    fencing: Fencing = "enforced"
    second_sighting_seconds: float | None = None
    causes: tuple[Cause, ...] = ()
    fingerprint: str = ""
