"""What was seen of files, as the arrays that every query of a pack may read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from aps.store.model import Observation


@dataclass(frozen=True, slots=True)
class Observed:
    """Four parallel arrays, a name each; all empty: nobody looked. `level` is how far was looked."""

    names: tuple[str, ...] = ()
    sizes: tuple[int | None, ...] = ()
    digests: tuple[str | None, ...] = ()
    errors: tuple[str | None, ...] = ()
    level: str = "recorded"

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

    @property
    def bound(self) -> dict[str, Any]:
        return {
            "observed_names": list(self.names),
            "observed_sizes": list(self.sizes),
            "observed_digests": list(self.digests),
            "observed_errors": list(self.errors),
            "observed_level": self.level,
        }


def _storable(error: str | None) -> str | None:
    """A name within an error may hold bytes that are no text."""
    return error and error.encode("utf-8", "backslashreplace").decode().replace("\0", r"\0")


NOBODY_LOOKED = Observed()
