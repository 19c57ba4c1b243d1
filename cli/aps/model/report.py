"""What a look found: a Report and its parts, as they leave in JSON. Ages in seconds, times RFC 3339 in UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from aps.model import duration

FORMAT_VERSION = "1.0"

Verdict = Literal["found", "clear", "undetermined", "not_looked"]
Level = Literal["critical", "warning"]
Evidence = Mapping[str, str | None]

# What a job's state is called where it is not one state's; on these three aps never acts.
UNCLASSIFIED = "unclassified"
CONFLICT = "conflict"
UNDETERMINED = "undetermined"


@dataclass(frozen=True, slots=True)
class Identity:
    """Which database this is, whatever its name: a copy or a failover changes one of the three."""

    system_identifier: str
    timeline: str
    database_oid: str


@dataclass(frozen=True, slots=True)
class Lag:
    """How far a standby is behind. `bytes` were received and are not replayed; 0 only where a receiver streams, has
    heard from its primary within a minute, and all that it received is replayed; None where it is not known.

    `streams` is None where the role may not see the receiver. `replayed_seconds` is the age of the last change that
    was replayed: how old the data is at most while `bytes` is above 0.
    """

    bytes: int | None
    streams: bool | None
    replayed_seconds: float | None


@dataclass(frozen=True, slots=True)
class Server:
    """The session, probed once. A positive clock difference means that this machine is ahead.

    `lag` is that of a standby; None on a primary.
    """

    name: str
    role: str
    superuser: bool
    host: str
    server_version: str
    in_recovery: bool
    clock_difference_seconds: float
    identity: Identity
    lag: Lag | None = None


@dataclass(frozen=True, slots=True)
class PackRef:
    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Versions:
    """Which versions of the queue system a pack is for, and which one is here, where the pack can tell.

    `fault` says why what the pack tells may be wrong here; aps acts on nothing then.
    """

    tried: tuple[str, ...]
    found: str | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class StoreRef:
    """`level` is how far files were looked at: recorded, listed, attested, rehashed; `notes` are for people."""

    url: str | None = None
    level: str = "recorded"
    error: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One state over the whole queue. Counts and age are None where they are not known; unknown is never zero.

    `locked` counts the rows held by another transaction at the look; `windowed` says that only the window of
    finished states was counted. `worst` is the job to look at first.
    Of states that need files: how far these were looked at (`level`), how many of the names that rows claim could be
    judged (`looked` of `claimed`), and `samples` of items that belong to no job.
    """

    state: str
    title: str
    kind: str
    verdict: Verdict
    jobs: int | None
    items: int | None
    oldest_seconds: float | None
    locked: int | None
    windowed: bool
    severity: Level | None
    error: str | None
    action: str | None
    do: str | None
    worst: str | None
    owner: str
    level: str | None = None
    looked: int | None = None
    claimed: int | None = None
    samples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Holder:
    """A transaction that holds a lock on the row; fields are None where the role may not see them.

    Without a pid it is a prepared transaction, which no session holds.
    """

    pid: int | None
    application: str | None
    user: str | None
    state: str | None
    seconds: float | None

    def __str__(self) -> str:
        return self.holding("the row")

    def holding(self, what: str) -> str:
        """`pid 4711 (batch-fix, ops) holds the row, idle in transaction for 31 min`, as far as seen."""
        session = "a prepared transaction" if self.pid is None else f"pid {self.pid}"
        who = ", ".join(name for name in (self.application, self.user) if name)
        unseen = (
            "without a session" if self.pid is None else "in a state that this role may not see"
        )
        lasting = "" if self.seconds is None else f" for {duration.spoken(self.seconds)}"
        named = f" ({who})" if who else ""
        return f"{session}{named} holds {what}, {self.state or unseen}{lasting}"


@dataclass(frozen=True, slots=True)
class Guidance:
    """What the matrix says of one state that a job is in; texts are None where the matrix has none.

    `alive` is how weak the sign of life is, `late` what becomes of a late result where the queue does not refuse it,
    `seen_once` why one look is not enough, `attest` what a person vouches for before its action runs.
    """

    state: str
    title: str
    means: str
    not_: str | None
    evidence_file: str
    effect: str | None
    criterion: str | None
    irreversible: str | None
    forbidden: str | None
    next: str | None
    tell: str | None
    outside_effects: str | None
    done_when: str | None
    retention: str | None
    team: str
    contact: str | None
    escalate: str | None
    alive: str | None = None
    late: str | None = None
    seen_once: str | None = None
    attest: str | None = None


@dataclass(frozen=True, slots=True)
class Detail:
    """What is told of a job only when it is asked for by name. None: it could not be read; `errors` says why.

    `guidance` is of the job's states, its lifecycle state first; `context` has the rows of the state's further queries.
    """

    guidance: tuple[Guidance, ...]
    holders: tuple[Holder, ...] | None
    context: Mapping[str, tuple[Evidence, ...]]
    operations: tuple[Evidence, ...] | None
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """One job: `state` is a state of the matrix, or unclassified, conflict, undetermined.

    `evidence` has the rows of every state that claims it; `commands` are what may be typed, by the state acted upon,
    the job's own first; `command` is the first of them, None where nothing may be done.
    """

    job: str
    state: str
    overlays: tuple[str, ...]
    severity: Level | None
    since: str | None
    age_seconds: float | None
    evidence: Mapping[str, tuple[Evidence, ...]]
    permitted: bool
    refusal: str | None
    command: str | None
    detail: Detail | None = None
    commands: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cause:
    """What many jobs of a state share: `jobs` of the `among` looked at.

    `what` is a column of the evidence with its `value` (of `since` the minute), `blocked_by` with the job that stands
    in the way, or `locked` with who holds their rows, in words.
    """

    state: str
    what: str
    value: str
    jobs: int
    among: int


@dataclass(frozen=True, slots=True)
class Report:
    """A whole look. `jobs` are those that need someone, worst first, up to the limit; `jobs_total` is all of them."""

    format_version: str
    system: str
    pack: PackRef
    as_of: str
    database: Server
    store: StoreRef
    window_seconds: float
    states: tuple[Finding, ...]
    jobs: tuple[Job, ...]
    jobs_total: int | None
    exit_code: int
    versions: Versions | None = None
    causes: tuple[Cause, ...] = ()
