"""What was seen of files, as the arrays that every query of a pack may read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from aps.store.model import Observation


@dataclass(frozen=True, slots=True)
class Observed:
    """Four parallel arrays, a name each; all empty: nobody looked. `level` is how far was looked."""

    names: tuple[str, ...] = ()
    sizes: tuple[int | None, ...] = ()
    digests: tuple[str | None, ...] = ()
    errors: tuple[str | None, ...] = ()
    level: str = "recorded"
    bound: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Bound to many statements, and so written as SQL reads it once: for 10,000 names that took 14 ms each time.
        bound = {
            "observed_names": _array(self.names),
            "observed_sizes": _array(self.sizes),
            "observed_digests": _array(self.digests),
            "observed_errors": _array(self.errors),
            "observed_level": self.level,
        }
        object.__setattr__(self, "bound", bound)

    @classmethod
    def of(cls, seen: Iterable[Observation], level: str) -> Observed:
        each = list(seen)
        return cls(
            tuple(one.name for one in each),
            tuple(one.size for one in each),
            tuple(one.digest for one in each),
            tuple(_storable(one.error) for one in each),
            level,
        )

    def spoken(self) -> dict[str, str]:
        """Name to what was seen, in words."""
        each = zip(self.names, self.sizes, self.digests, self.errors, strict=True)
        return {
            name: error or ("absent" if size is None else f"{size} bytes, {digest or self.level}")
            for name, size, digest, error in each
        }


def _array(values: Iterable[str | int | None]) -> str:
    """The text of an SQL array of any type."""
    return "{" + ",".join(map(_element, values)) + "}"


def _element(value: str | int | None) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "NULL" if value is None else str(value)


def _storable(error: str | None) -> str | None:
    """A name within an error may hold bytes that are no text."""
    return error and error.encode("utf-8", "backslashreplace").decode().replace("\0", r"\0")


NOBODY_LOOKED = Observed()
