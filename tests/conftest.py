from __future__ import annotations

pytest_plugins = ["tests.postgres_plugin"]
