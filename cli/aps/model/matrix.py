"""The matrix as the engine sees it: checked, complete, with its queries read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Literal

Kind = Literal["lifecycle", "overlay"]
Run = Literal["reclaim", "reconcile", "manual"]
Fencing = Literal["enforced", "worker-only", "none"]
Liveness = Literal["lease", "heartbeat", "session", "age", "none"]
Artifacts = Literal["claimed", "listed", "optional"]
ParameterType = Literal["interval", "integer", "text", "boolean"]
Value = timedelta | int | str | bool

MOST_MISSING = 0.2

CORE_STATES = (
    "unconfirmed_materialization",
    "ready",
    "live_lease",
    "adoption",
    "orphan_candidate",
    "confirmed_publication",
    "missing_artifact",
)

# Bound by aps into every query, and into those that work on given keys.
BOUND_ALWAYS = frozenset(
    {
        "clock",
        "finished_since",
        "observed_names",
        "observed_sizes",
        "observed_digests",
        "observed_errors",
        "observed_level",
    }
)
# `before`: the rows as they were, whole, as json, parallel to the keys; for abort alone.
BOUND_TO_ACTIONS = frozenset({"items", "operation", "reason", "actor", "before"})
BOUND_TO_COMPLETION = frozenset({"epoch", "worker", "candidate", "digest"})


# What a manual command may name beside the columns of the key: where the look was taken, as psql is told it.
DSN = "dsn"
SCHEMA = "schema"


@dataclass(frozen=True, slots=True)
class Query:
    """One SQL file; `file` is relative to the pack, `parameters` all that its text names."""

    name: str
    file: str
    sql: str
    parameters: frozenset[str]


@dataclass(frozen=True, slots=True)
class Owner:
    team: str
    contact: str | None = None
    escalate: str | None = None


@dataclass(frozen=True, slots=True)
class Threshold:
    """Reached when either is: so many jobs, or the oldest of that age."""

    count: int | None = None
    age: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Severity:
    """None means that the state never is of that severity."""

    warning: Threshold | None = None
    critical: Threshold | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """`query` is None for manual, where `command` is what a person runs, and where there is nothing to write.

    `to` are the states that it may lead to.
    """

    run: Run
    effect: str
    attest: str | None = None
    command: str | None = None
    changes_per_job: int = 1
    to: tuple[str, ...] = ()
    query: Query | None = None
    abort: Query | None = None
    verify: Query | None = None
    undo: Query | None = None

    @property
    def looks(self) -> bool:
        """Is it only to look: to read the files of a job, and to write nothing."""
        return self.changes_per_job == 0


@dataclass(frozen=True, slots=True)
class Move:
    """What takes a job to another state without an operator: the queue's own workers, callers, or time."""

    to: str
    by: str


@dataclass(frozen=True, slots=True)
class Rollback:
    """`irreversible` says why there is no way back; where it is None the action has an undo."""

    criterion: str
    irreversible: str | None = None


@dataclass(frozen=True, slots=True)
class State:
    """One row of the matrix. `not_` is what the state does not prove (`not:` in the file)."""

    name: str
    title: str
    means: str
    evidence: Query
    owner: Owner
    severity: Severity
    kind: Kind = "lifecycle"
    not_: str | None = None
    action: Action | None = None
    rollback: Rollback | None = None
    moves: tuple[Move, ...] = ()
    liveness: Liveness = "none"
    artifacts: Artifacts | None = None
    reading: tuple[str, ...] = ()
    context: tuple[Query, ...] = ()
    limit: int | None = None
    bulk: bool = True
    forbidden: str | None = None
    next: str | None = None
    tell: str | None = None
    outside_effects: str | None = None
    done_when: str | None = None
    retention: str | None = None
    # Its evidence comes from an UNLOGGED table: the time between the two sightings that an action needs.
    unlogged: timedelta | None = None

    @property
    def finished(self) -> bool:
        return "finished_since" in self.evidence.parameters


@dataclass(frozen=True, slots=True)
class Parameter:
    """`value` is the default, or what `--set` gave."""

    name: str
    type: ParameterType
    value: Value
    default: Value
    means: str
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Matrix:
    """A pack, loaded. `sha256` pins matrix.yaml and every SQL file, wherever the pack lies.

    `names` are the files that rows claim, `further_names` those ever handed out for given jobs; `ahead` finds files
    that only a newer database can have handed out; `completion` judges one completion. Where more than the
    share `most_missing` of many files is missing, the store itself is in doubt.
    """

    name: str
    path: Path
    sha256: str
    system: str
    title: str
    table: str
    key: tuple[str, ...]
    fencing: Fencing
    owner: Owner | None
    states: tuple[State, ...]
    absent: Mapping[str, str]
    parameters: Mapping[str, Parameter]
    population: Query
    schema: str | None = None
    max_lease: timedelta | None = None
    most_missing: float = MOST_MISSING
    scope: str | None = None
    versions: tuple[str, ...] = ()
    names: Query | None = None
    further_names: Query | None = None
    ahead: Query | None = None
    completion: Query | None = None
    version: Query | None = None

    @property
    def values(self) -> dict[str, Value]:
        """The parameters as they are bound: name to value."""
        return {name: parameter.value for name, parameter in self.parameters.items()}

    def state(self, name: str) -> State | None:
        return next((state for state in self.states if state.name == name), None)
