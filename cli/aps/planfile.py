"""A plan as a file: the JSON that `--plan-out` writes and `--plan` reads."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from aps.errors import PlanError, Usage
from aps.model.plan import FORMAT_VERSION, Plan


def write(plan: Plan, file: Path) -> None:
    """A new file; one that is there is never overwritten. Raises Usage."""
    try:
        with file.open("x", encoding="utf-8") as sink:
            json.dump(asdict(plan), sink, indent=2, ensure_ascii=True)
            sink.write("\n")
    except FileExistsError as error:
        raise Usage(f"--plan-out {file}: there is a file already; name a new one") from error
    except OSError as error:
        raise Usage(f"--plan-out {file}: {error.strerror}") from error


def read(file: Path) -> Plan:
    """Raises Usage for a file that cannot be read, PlanError for one that holds no plan of this format."""
    from pydantic import TypeAdapter, ValidationError

    try:
        text = file.read_bytes()
    except OSError as error:
        raise Usage(f"--plan {file}: {error.strerror}") from error
    try:
        version = str(json.loads(text)["format_version"])
        if version.split(".")[0] != FORMAT_VERSION.split(".")[0]:
            raise PlanError(f"{file} has plan format {version}, this aps reads {FORMAT_VERSION}")
        return TypeAdapter(Plan).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        raise PlanError(f"{file} holds no whole plan: {place}: {first['msg']}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise PlanError(f"{file} holds no plan: not the JSON that --plan-out writes") from error
