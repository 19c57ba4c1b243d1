"""The artifact store: whether it is the one of this database, and what can be done in it."""

from __future__ import annotations

from collections.abc import Iterator

from aps.database import Database, QueryError
from aps.doctor.rights import unreadable
from aps.errors import StoreError
from aps.files import Sight, known_store
from aps.model import size
from aps.model.examination import Check
from aps.model.report import Server
from aps.store import LocalStore
from aps.store.fitness import Fitness

_LITTLE = 2_000_000_000


def stores(database: Database, server: Server, store: LocalStore | None) -> list[Check]:
    """Binding and fitness. Inside a look: nothing but the root of the store is looked at."""
    try:
        known = known_store(database)
    except QueryError as error:
        return [unreadable("store", error, "aps.store", server.role)]
    if store is None:
        if not known:
            return [Check("store", "not_asked", "no store was given (--store)")]
        told = f"no store was given, and this database publishes into store {known}"
        return [Check("store", "not_asked", told, ("aps doctor --store URL",))]
    fault = Sight(store).fault(server.identity, known)
    bound = (
        Check("store", "critical", fault)
        if fault
        else Check("store", "ok", f"{store.url} is bound to this database")
    )
    try:
        return [bound, _fit(store, store.fitness())]
    except StoreError as error:
        return [bound, Check("store folder", "unknown", str(error))]


def _fit(store: LocalStore, fitness: Fitness) -> Check:
    faults = list(_faults(fitness))
    free = f"{size.spoken(fitness.free)} free"
    if not faults:
        return Check("store folder", "ok", f"readable, writable, {free}, hard links work")
    return Check("store folder", "warning", f"{'; '.join(faults)} ({free})")


def _faults(fitness: Fitness) -> Iterator[str]:
    if not fitness.writable:
        yield f"this account cannot write there ({fitness.refused}): files may be looked at, not moved aside"
    elif not fitness.links:
        yield f"no hard link can be made ({fitness.refused}): no file can be moved aside safely"
    if fitness.elsewhere:
        names = ", ".join(fitness.elsewhere)
        yield f"on another file system than the root, so that nothing there can be moved aside: {names}"
    if fitness.free < _LITTLE:
        yield "little room: a worker that finds none leaves a truncated file"
