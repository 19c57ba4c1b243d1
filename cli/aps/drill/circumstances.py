"""What a drill was run with: versions, settings, pack."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from aps import __version__
from aps import database as sessions
from aps.drill.ground import Yard
from aps.model.report import PackRef

_SQL: Final = Path(__file__).parent / "sql"


def of(yard: Yard) -> dict[str, Any]:
    """`versions`, `settings` as the running server tells them, and `pack`."""
    with sessions.connect(yard.server.dsn(), application="drill/versions") as session:
        server = session.call(_sql("version"), {})[0]["version"]
        settings = session.call(_sql("settings"), {})
    return {
        "versions": {
            "aps": __version__,
            "python": platform.python_version(),
            "postgresql": server,
            "platform": platform.platform(),
            "psycopg": version("psycopg"),
        },
        "settings": {str(one["name"]): one["setting"] for one in settings},
        "pack": PackRef(yard.matrix.name, yard.matrix.sha256),
    }


def _sql(name: str) -> str:
    return (_SQL / f"{name}.sql").read_text(encoding="utf-8")
