"""A queue of its own on a private server: database, schema, roles with a login each, and a bound store."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from aps import packs
from aps.demo.cluster import Cluster

_SQL: Final = Path(__file__).parent / "sql"
# Role of aps to its login.
LOGINS: Final = {
    "aps_operate": "oncall",
    "aps_read": "reader",
    "aps_work": "worker",
    "postgres": "postgres",
}


def create(server: Cluster, name: str, home: Path = packs.HOME) -> None:
    """A database with the queue of the pack in `home`. The logins are the server's: once a server."""
    from aps import database, install

    _admin(server, "database", name=name)
    with database.connect(server.dsn(name), application="aps/demo") as session:
        install.queue(session, home)
        session.run((_SQL / "roles.sql").read_text(encoding="utf-8"))
        session.commit()


def copy(server: Cluster, template: str, name: str) -> None:
    """A database that holds what `template` holds; nobody may be connected to that."""
    _admin(server, "copy", name=name, template=template)


def bind(server: Cluster, name: str, store: Path) -> None:
    """That database publishes into that folder from now on."""
    from aps import database, install
    from aps import store as stores

    with database.connect(server.dsn(name), application="aps/demo") as session:
        install.bind(session, stores.open(str(store)))


def _admin(server: Cluster, statement: str, **names: str) -> None:
    from aps import database, statements

    text = (_SQL / f"{statement}.sql").read_text(encoding="utf-8")
    quoted = {of: statements.ident(name) for of, name in names.items()}
    with database.connect(server.dsn(), application="aps/demo") as session:
        session.call(text.format(**quoted), {})
