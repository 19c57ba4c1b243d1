"""A matrix as it is read by people: a Runbook and its pages, as they leave in JSON. Lengths in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from aps.model.matrix import Artifacts, Fencing, Kind, Liveness, Move, Owner, ParameterType, Run
from aps.model.report import PackRef

FORMAT_VERSION = "1.0"

FENCING: Mapping[Fencing, str] = MappingProxyType(
    {
        "enforced": "the queue itself refuses the result of a worker that comes too late",
        "worker-only": "only the queue's own worker code checks; a late write past it is not refused",
        "none": "nothing refuses the result of a worker that comes too late",
    }
)
LIVENESS: Mapping[Liveness, str] = MappingProxyType(
    {
        "lease": "the right to write has an end on the database clock; it says nothing of a process",
        "heartbeat": "a process wrote when it was alive; it says nothing of the work",
        "session": "a connection stands; it says nothing of the work",
        "age": "only time has passed; a dead worker and a slow one look the same",
        "none": "nothing is recorded that could tell",
    }
)
ARTIFACTS: Mapping[Artifacts, str] = MappingProxyType(
    {
        "claimed": "the files that rows name are looked up; without a store this state is not looked at",
        "listed": "the whole store is walked; without a store this state is not looked at",
        "optional": "looked up where a store is given; without one this is what the rows say, and no more",
    }
)


@dataclass(frozen=True, slots=True)
class SqlText:
    """`file` is relative to the pack; `says` is the comment that it begins with, `sql` the whole statement."""

    file: str
    says: str
    sql: str


@dataclass(frozen=True, slots=True)
class Reached:
    """Reached when either is: so many jobs, or the oldest of that age."""

    count: int | None
    age_seconds: float | None


@dataclass(frozen=True, slots=True)
class Doing:
    """The permitted action. `command` is what to type first, `apply` and `many` what follows from it.

    `undo` is the command that takes it back; None where there is no way back, or none that aps has. `apply` and
    `criterion` are None where the action writes nothing.
    """

    run: Run
    effect: str
    to: tuple[str, ...]
    command: str
    apply: str | None
    many: str | None
    limit: int | None
    attest: str | None
    criterion: str | None
    irreversible: str | None
    undo: str | None
    statement: SqlText | None
    abort_file: str | None
    verify_file: str | None
    undo_file: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """One state. `look` is the command that lists its jobs; `moves` are those that nobody types."""

    state: str
    title: str
    kind: Kind
    finished: bool
    means: str
    not_: str | None
    evidence: SqlText
    reading: tuple[str, ...]
    context: tuple[SqlText, ...]
    look: str
    liveness: Liveness
    artifacts: Artifacts | None
    warning: Reached | None
    critical: Reached | None
    action: Doing | None
    moves: tuple[Move, ...]
    forbidden: str | None
    next: str | None
    tell: str | None
    outside_effects: str | None
    done_when: str | None
    retention: str | None
    owner: Owner


@dataclass(frozen=True, slots=True)
class Setting:
    """One parameter; `value` is what holds now, `default` what holds without `--set`."""

    name: str
    type: ParameterType
    value: str
    default: str
    unit: str | None
    means: str


@dataclass(frozen=True, slots=True)
class Absent:
    """A core state that this queue does not have."""

    state: str
    why: str


@dataclass(frozen=True, slots=True)
class Runbook:
    """A whole matrix, or some of its states."""

    format_version: str
    system: str
    title: str
    pack: PackRef
    table: str
    schema: str | None
    key: tuple[str, ...]
    fencing: Fencing
    max_lease_seconds: float | None
    scope: str | None
    versions: tuple[str, ...]
    owner: Owner | None
    parameters: tuple[Setting, ...]
    states: tuple[Page, ...]
    absent: tuple[Absent, ...]

    def page(self, state: str) -> Page | None:
        return next((page for page in self.states if page.state == state), None)
