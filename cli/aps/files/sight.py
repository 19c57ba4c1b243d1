"""A store that was given to be looked at, and whether it is the one that this database publishes into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aps import statements
from aps.database import Database, QueryError
from aps.errors import StoreError
from aps.model.report import Identity
from aps.observed import Observed
from aps.store import Observation, Progress, Seen, Store


class Sight:
    """A store, and how far to look into it. `tell` hears the files and bytes of all looks together."""

    def __init__(self, store: Store, *, rehash: bool = False, tell: Progress | None = None) -> None:
        self._store = store
        self._rehash = rehash
        self._tell = tell
        self._files = 0
        self._bytes = 0
        self.level = store.level(rehash=rehash)

    @property
    def store(self) -> Store:
        """To act on: a look is not enough for that."""
        return self._store

    @property
    def url(self) -> str:
        return self._store.url

    def rehashing(self) -> Sight:
        """The same store, looked at to the last byte."""
        return Sight(self._store, rehash=True, tell=self._tell)

    @property
    def told(self) -> tuple[str, ...]:
        """What a person should read once."""
        if self._store.can_act:
            return self._store.told
        return (*self._store.told, "which store it lists is not checked: a listing cannot tell")

    def fault(self, identity: Identity, known: str | None) -> str | None:
        """Why nothing in the store may be believed; `known` is what `known_store` says."""
        if not self._store.can_act:
            return None
        try:
            binding = self._store.binding()
        except StoreError as error:
            return str(error)
        where = f"store {self.url}"
        if binding is None:
            return f"{where}: not bound to any database; is it mounted? `aps init --store` binds a new store"
        if binding.database != identity:
            return f"{where}: bound to another database ({_differs(binding.database, identity)}); {_REBIND}"
        if known == "":
            return f"{where}: this database names no store; bind it: `aps init --store URL`"
        if known not in (None, binding.store_id):
            return (
                f"{where}: another store ({binding.store_id}), this database publishes into {known}"
            )
        return None

    def look(self, names: Iterable[str]) -> dict[str, Observation]:
        """Every name, in the order given. Raises StoreError."""
        seen = self._store.look(names, rehash=self._rehash, progress=self._counted())
        return {one.name: one for one in seen}

    def observe(self, names: Iterable[str]) -> Observed:
        """Every name, as queries are told of it. Raises StoreError."""
        return Observed.of(self.look(names).values(), self.level)

    def walk(self) -> Iterator[Seen]:
        """Every file. Raises StoreError."""
        return self._store.walk(self._counted())

    def _counted(self) -> Progress:
        files, read = self._files, self._bytes

        def count(done: int, length: int) -> None:
            self._files, self._bytes = files + done, read + length
            if self._tell:
                self._tell(self._files, self._bytes)

        return count


_REBIND = "after a restore or failover a person binds it anew: `aps init --store URL --rebind`"


def _differs(bound: Identity, here: Identity) -> str:
    pairs = (
        ("system", bound.system_identifier, here.system_identifier),
        ("timeline", bound.timeline, here.timeline),
        ("database oid", bound.database_oid, here.database_oid),
    )
    return ", ".join(
        f"{what} {was}, this is {now or 'unknown'}" for what, was, now in pairs if was != now
    )


def known_store(database: Database) -> str | None:
    """The store that this database publishes into, in a transaction; empty where it names none yet. Raises QueryError.

    None: a queue that aps did not make has no such table, and there the identity object alone binds.
    """
    try:
        with database.savepoint():
            rows = database.rows(statements.read("store"), {"aps": "aps"})
    except QueryError as error:
        if error.sqlstate in ("3F000", "42P01"):
            return None
        raise
    return str(rows[0]["store_id"]) if rows else ""
