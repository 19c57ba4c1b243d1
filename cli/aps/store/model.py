"""What a store answers, and the protocol that every kind of store keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from aps.errors import StoreError
from aps.model.report import Identity

# Called with the names done and the bytes read so far; may raise to stop the look.
Progress = Callable[[int, int], None]
# Called with the name of the step that has just been done; only tests give one.
Pause = Callable[[str], None]
Outcome = Literal["gone", "changed", "blocked", "failed"]


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen of one name. Size and error both None: it is absent.

    `digest` is the method, a colon and lower-case hex (`sha256:...`); None where no bytes were read. `name` is fit
    for SQL. The name of a folder that could not be read ends in `/`: whatever lies below it was not seen.
    """

    name: str
    size: int | None = None
    digest: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Unnameable:
    """A file whose name is no UTF-8, so that no row can name it: counted and `shown`, never bound to a query."""

    shown: str
    error: str


Seen = Observation | Unnameable


@dataclass(frozen=True, slots=True)
class Binding:
    """The identity object of a store: its own id, and the database that it is bound to."""

    store_id: str
    database: Identity


@dataclass(frozen=True, slots=True)
class Expected:
    """The file that was judged: only this one is moved. `digest` is `sha256:` and lower-case hex."""

    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Moved:
    """`where` the file lies now, below the root. `already`: it was not this call that took its former name away."""

    where: str
    already: bool


class NotMoved(StoreError):
    """One file was not moved, for a reason of its own; the store is well. `outcome` is a word of the journal."""

    def __init__(self, outcome: Outcome, text: str) -> None:
        super().__init__(text)
        self.outcome: Outcome = outcome


class Store(Protocol):
    """Every method raises StoreError where the store as a whole cannot be reached, or is no longer the one it was.

    `url` is absolute. `told` are sentences that a person should read once, before the first answer. `as_of` is when
    a listing was made; None: every answer is of now. What `can_act` is False for may only be looked at.
    """

    @property
    def url(self) -> str: ...
    @property
    def told(self) -> tuple[str, ...]: ...
    @property
    def as_of(self) -> datetime | None: ...
    @property
    def can_act(self) -> bool: ...

    def level(self, *, rehash: bool) -> str:
        """How far a look with or without rehash goes: listed, attested, rehashed."""

    def binding(self) -> Binding | None:
        """None where the root is readable and was never bound. What follows is held to the identity read first."""

    def bind(self, binding: Binding, *, rebind: bool = False) -> None:
        """Write the identity object, safe on disk. Another that stands is replaced only where told. Idempotent."""

    def look(
        self, names: Iterable[str], *, rehash: bool, progress: Progress | None = None
    ) -> Iterator[Observation]:
        """One observation a name, in the order given. Memory does not grow with the number of names."""

    def walk(self, progress: Progress | None = None) -> Iterator[Seen]:
        """Every file below the root but aps's own, in byte order of names; a folder that cannot be read is an error."""

    def quarantine(self, name: str, operation: str, expected: Expected) -> Moved:
        """Move a file aside without overwriting. Idempotent. Raises NotMoved, and then nothing is lost."""

    def quarantined(
        self, name: str, expected: Expected, operation: str | None = None
    ) -> str | None:
        """Where in quarantine the expected file lies, of that operation or of any; None where it does not."""

    def restore(self, name: str, operation: str, expected: Expected) -> Moved:
        """Move it back without overwriting. Idempotent. Raises NotMoved, and then nothing is lost."""
