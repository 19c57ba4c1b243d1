"""A pooler by transaction, as small as can be: one session of a client, two of the server, by turns."""

from __future__ import annotations

import contextlib
import shutil
import socket
import struct
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.database import Database
from tests.support.proxy import message, startup

_NAME = b"application_name\0"


class _Pooler:
    def __init__(self, target: Path, folder: Path, *, forgets: bool) -> None:
        self._target = target
        self._forgets = forgets
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / target.name))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with (
            client,
            socket.socket(socket.AF_UNIX) as first,
            socket.socket(socket.AF_UNIX) as second,
            contextlib.suppress(OSError, ConnectionError),
        ):
            begin = startup(client)
            greetings = []
            for server in (first, second):
                server.connect(str(self._target))
                server.sendall(_nameless(begin) if self._forgets else begin)
                greetings.append(_until_ready(server)[0])
            client.sendall(_with_own_key(greetings[0]))
            self._by_turns(client, first, second)

    def _by_turns(self, client: socket.socket, now: socket.socket, later: socket.socket) -> None:
        simple = False
        while True:
            sent = b""
            while not _is_whole(sent, simple):
                sent += message(client)
            if sent[:1] == b"X":
                return
            simple = sent[:1] == b"Q"
            now.sendall(sent)
            answer, idle = _until_ready(now)
            client.sendall(answer)
            if idle:
                now, later = later, now


def _is_whole(sent: bytes, simple: bool) -> bool:
    """Whether the server answers this; what is copied after a simple query ends without a Sync."""
    done = sent.endswith(b"c\0\0\0\4") and simple
    return sent[:1] in (b"X", b"Q") or sent.endswith(b"S\0\0\0\4") or done


def _until_ready(server: socket.socket) -> tuple[bytes, bool]:
    """All up to ReadyForQuery or the begin of a COPY, and whether no transaction is open then."""
    received = b""
    while True:
        one = message(server)
        received += one
        if one[:1] == b"Z":
            return received, one[5:] == b"I"
        if one[:1] == b"G":
            # The server waits for what is to be copied.
            return received, False
        if one[:1] == b"E" and one[5:].startswith(b"SFATAL"):
            return received, True


def _with_own_key(greeting: bytes) -> bytes:
    """The server's own process is not told to the client, as poolers do."""
    place = 0
    while greeting[place : place + 1] != b"K":
        place += 1 + int(struct.unpack("!I", greeting[place + 1 : place + 5])[0])
    return greeting[: place + 5] + struct.pack("!I", 1) + greeting[place + 9 :]


def _nameless(begin: bytes) -> bytes:
    head, name, rest = begin[4:].partition(_NAME)
    body = head + rest.partition(b"\0")[2] if name else head
    return struct.pack("!I", len(body) + 4) + body


@contextmanager
def pooled(database: Database, role: str, *, forgets: bool = False) -> Iterator[str]:
    """The connection string through the pooler; where it `forgets`, it passes no application_name on."""
    folder = Path(tempfile.mkdtemp(prefix="aps-"))
    pooler = _Pooler(database.cluster.socket, folder, forgets=forgets)
    try:
        yield f"host={folder} port=5432 dbname={database.name} user={role}"
    finally:
        pooler.close()
        shutil.rmtree(folder)
