"""A real streaming standby of the server that the tests run on: another data folder, another socket, no port."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from aps.demo import account as accounts
from aps.demo import cluster as clusters
from aps.demo.binaries import Binaries
from aps.demo.cluster import Cluster
from tests.support import memory
from tests.support.database import Connection, Database
from tests.support.watching import eventually

_REPLAYED = b"SELECT coalesce(pg_last_wal_replay_lsn() >= %s::pg_lsn, false)"
_STREAMS = b"SELECT count(*) FROM pg_stat_wal_receiver WHERE status = 'streaming'"


class Standby:
    """It replicates every database of the primary; a test finds its own there by `of`."""

    def __init__(self, primary: Cluster, binaries: Binaries) -> None:
        self._primary = primary
        account = accounts.choose()
        folder = memory.new_folder()
        usable = binaries.usable_by(account)
        # It reads the connection to its primary from its own data folder, where -R puts it.
        copied = account.run(
            *(usable.folder / "pg_basebackup", "-R", "-D", folder, "-d", primary.dsn()),
            *("--checkpoint=fast", "--no-sync", "--wal-method=stream"),
        )
        assert copied.returncode == 0, copied.stderr
        settings = {"wal_retrieve_retry_interval": "50ms"}
        self.cluster = clusters.start(folder, binaries, settings=settings, keep=False)

    def stop(self) -> None:
        self.cluster.stop()

    def dsn(self, database: Database, role: str = "aps_read") -> str:
        return self.cluster.dsn(database.name, role)

    def connect(self, database: str = "postgres") -> Connection:
        return psycopg.connect(self.cluster.dsn(database), autocommit=True)

    def catch_up(self) -> None:
        """Wait until all that the primary has written by now is replayed, and it streams."""
        with psycopg.connect(self._primary.dsn(), autocommit=True) as primary:
            told = primary.execute(b"SELECT pg_current_wal_insert_lsn()").fetchone()
        with self.connect() as here:
            assert told
            assert eventually(lambda: here.execute(_REPLAYED, told).fetchone() == (True,))
            assert eventually(lambda: here.execute(_STREAMS).fetchone() == (1,))

    @contextmanager
    def of(self, database: Database) -> Iterator[Database]:
        """That database as the standby has it, caught up. Nothing can be written to it."""
        self.catch_up()
        here = Database(self.cluster, database.name)
        try:
            yield here
        finally:
            here.close()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """What is received inside is not replayed."""
        self.catch_up()
        with self.connect() as here:
            here.execute(b"SELECT pg_wal_replay_pause()")
            paused = b"SELECT pg_get_wal_replay_pause_state() = 'paused'"
            try:
                assert eventually(lambda: here.execute(paused).fetchone() == (True,))
                yield
            finally:
                here.execute(b"SELECT pg_wal_replay_resume()")

    def received(self) -> bool:
        """Whether something was received that is not replayed."""
        with self.connect() as here:
            behind = here.execute(
                b"SELECT pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn()"
            ).fetchone()
        return behind == (True,)

    @contextmanager
    def cut_off(self) -> Iterator[None]:
        """Nothing is received inside."""
        self.catch_up()
        try:
            with self._setting("primary_conninfo", "host=/nowhere"), self.connect() as here:
                assert eventually(lambda: here.execute(_STREAMS).fetchone() == (0,))
                yield
        finally:
            self.catch_up()

    @contextmanager
    def impatient(self) -> Iterator[None]:
        """Whoever is in the way of the replay has its session ended at once."""
        with self._setting("max_standby_streaming_delay", "0"):
            yield

    @contextmanager
    def _setting(self, name: str, value: str) -> Iterator[None]:
        with self.connect() as here:
            told = here.execute(b"SELECT current_setting(%s)", [name]).fetchone()
            assert told
            before: str = told[0]
        self._set(name, value)
        try:
            yield
        finally:
            self._set(name, before)

    def _set(self, name: str, value: str) -> None:
        """For the server, from now on."""
        change = sql.SQL("ALTER SYSTEM SET {} = {}").format(
            sql.Identifier(name), sql.Literal(value)
        )
        with self.connect() as here:
            here.execute(change)
            here.execute(b"SELECT pg_reload_conf()")
            shown = b"SELECT current_setting(%s) = %s"
            assert eventually(lambda: here.execute(shown, [name, value]).fetchone() == (True,))
