"""A proxy between aps and the server's Unix socket that lets a test decide what becomes of each COMMIT."""

from __future__ import annotations

import contextlib
import select
import shutil
import socket
import struct
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.database import Database


class Cut(Exception):
    """The connection is to end here."""


class Commit:
    """One COMMIT on its way. Nothing else passes on this connection until the script returns."""

    def __init__(self, client: socket.socket, server: socket.socket, message: bytes) -> None:
        self._client = client
        self._server = server
        self._message = message

    def forward(self) -> None:
        """Let the server have it."""
        self._server.sendall(self._message)

    def answer(self) -> bytes:
        """All of the server's answer, which the client has not yet. Raises Cut where the server is gone."""
        received = b""
        while not _is_whole(received):
            part = self._server.recv(65536)
            if not part:
                raise Cut
            received += part
        return received

    def client_gone(self) -> None:
        """Wait until the client has ended the connection."""
        while self._client.recv(65536):
            pass

    def cut(self) -> None:
        raise Cut


Script = Callable[[Commit], None]


def cut_before(commit: Commit) -> None:
    """The server never hears of it."""
    commit.cut()


def cut_after(commit: Commit) -> None:
    """The server has answered, the client never hears of it."""
    commit.forward()
    commit.answer()
    commit.cut()


class Proxy:
    """Listens in `folder`; the first COMMIT goes to the first script, the next to the next, then all pass."""

    def __init__(self, target: Path, folder: Path, scripts: list[Script]) -> None:
        self.folder = folder
        self._target = target
        self._scripts = scripts
        self._clients: list[socket.socket] = []
        self._whole = threading.Event()
        self._whole.set()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / target.name))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def part(self) -> None:
        """Cut all clients off; the server does not notice until `heal`."""
        self._whole.clear()
        for client in self._clients:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def heal(self) -> None:
        self._whole.set()

    def close(self) -> None:
        self.heal()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._clients.append(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server:
            with contextlib.suppress(Cut, OSError):
                server.connect(str(self._target))
                server.sendall(startup(client))
                self._exchange(client, server)
            client.close()
            self._whole.wait()

    def _exchange(self, client: socket.socket, server: socket.socket) -> None:
        while True:
            readable, _, _ = select.select([client, server], [], [])
            if server in readable:
                client.sendall(_some(server))
            if client in readable:
                sent = message(client)
                if _is_commit(sent) and self._scripts:
                    self._scripts.pop(0)(Commit(client, server, sent))
                else:
                    server.sendall(sent)


def _some(source: socket.socket) -> bytes:
    part = source.recv(65536)
    if not part:
        raise Cut
    return part


def exactly(source: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        part = source.recv(size - len(received))
        if not part:
            raise Cut
        received += part
    return received


def startup(client: socket.socket) -> bytes:
    head = exactly(client, 4)
    return head + exactly(client, struct.unpack("!I", head)[0] - 4)


def message(client: socket.socket) -> bytes:
    head = exactly(client, 5)
    return head + exactly(client, struct.unpack("!I", head[1:])[0] - 4)


def _is_commit(message: bytes) -> bool:
    """COMMIT as a simple query, or as the Parse of the extended protocol."""
    kind, body = message[:1], message[5:]
    text = body.split(b"\0")[0 if kind == b"Q" else 1] if kind in (b"Q", b"P") else b""
    return text.strip().upper() == b"COMMIT"


def _is_whole(answer: bytes) -> bool:
    """Whether it ends in ReadyForQuery."""
    place, kind = 0, b""
    while place + 5 <= len(answer):
        kind = answer[place : place + 1]
        place += 1 + struct.unpack("!I", answer[place + 1 : place + 5])[0]
    return kind == b"Z" and place == len(answer)


@contextmanager
def between(database: Database, *scripts: Script) -> Iterator[str]:
    """The connection string of an operator whose COMMITs these scripts decide, one after the other."""
    with listening(database, *scripts) as (_, dsn):
        yield dsn


@contextmanager
def listening(database: Database, *scripts: Script) -> Iterator[tuple[Proxy, str]]:
    """A proxy and the connection string through it."""
    folder = Path(tempfile.mkdtemp(prefix="aps-"))
    proxy = Proxy(database.cluster.socket, folder, list(scripts))
    try:
        yield proxy, f"host={folder} port=5432 dbname={database.name} user=aps_operate"
    finally:
        proxy.close()
        shutil.rmtree(folder)
