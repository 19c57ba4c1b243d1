"""A plan as a file: the JSON that `--plan-out` writes and `--plan` reads."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

from aps.errors import PlanError, Usage
from aps.model.plan import FORMAT_VERSION, Plan

# Some kilobytes a job, 100,000 jobs at most.
LARGEST = 1 << 29


def write(plan: Plan, file: Path) -> None:
    """A new file that its owner alone may read; one that is there is never overwritten. Raises Usage."""
    try:
        with open(file, "x", encoding="utf-8", opener=_for_its_owner) as sink:
            json.dump(asdict(plan), sink, indent=2, ensure_ascii=True)
            sink.write("\n")
    except FileExistsError as error:
        raise Usage(f"--plan-out {file}: there is a file already; name a new one") from error
    except OSError as error:
        raise Usage(f"--plan-out {file}: {(error.strerror or '').lower()}") from error


def _for_its_owner(file: str, flags: int) -> int:
    # Evidence may be confidential.
    return os.open(file, flags, 0o600)


def read(file: Path) -> Plan:
    """Raises Usage for a file that cannot be read, PlanError for one that holds no plan of this format."""
    from pydantic import TypeAdapter, ValidationError

    try:
        with file.open("rb") as source:
            text = source.read(LARGEST + 1)
    except OSError as error:
        raise Usage(f"--plan {file}: {(error.strerror or '').lower()}") from error
    if len(text) > LARGEST:
        raise PlanError(f"{file} holds no plan: it is larger than any")
    try:
        version = str(json.loads(text)["format_version"])
        if version.split(".")[0] != FORMAT_VERSION.split(".")[0]:
            raise PlanError(f"{file} has plan format {version}, this aps reads {FORMAT_VERSION}")
        return TypeAdapter(Plan).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        raise PlanError(f"{file} holds no whole plan: {place}: {first['msg']}") from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise PlanError(f"{file} holds no plan: not the JSON that --plan-out writes") from error
