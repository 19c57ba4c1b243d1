"""A COMMIT that the proxy holds until the test has done its worst."""

from __future__ import annotations

import threading

from tests.support.proxy import Commit
from tests.support.sessions import DEADLINE_SECONDS


class Held:
    """A script for the proxy: the COMMIT is held where `delivered` says, and ends as `release` says."""

    def __init__(self, *, delivered: bool) -> None:
        self._delivered = delivered
        self._arrived = threading.Event()
        self._abandoned = threading.Event()
        self._released = threading.Event()
        self._late = False

    def __call__(self, commit: Commit) -> None:
        if self._delivered:
            commit.forward()
            commit.answer()
        self._arrived.set()
        commit.client_gone()
        self._abandoned.set()
        assert self._released.wait(DEADLINE_SECONDS)
        if self._late:
            commit.forward()
            commit.answer()
        commit.cut()

    def arrived(self) -> None:
        """Wait until the COMMIT is on its way, or done where it is delivered."""
        assert self._arrived.wait(DEADLINE_SECONDS)

    def abandoned(self) -> None:
        """Wait until its client has given it up."""
        assert self._abandoned.wait(DEADLINE_SECONDS)

    def release(self, *, late: bool = False) -> None:
        """Let the server see the end of the connection, or `late` the COMMIT first."""
        self._late = late
        self._released.set()
