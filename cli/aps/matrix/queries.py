"""The SQL files that a matrix asks for, and what is wrong with those that the pack has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, get_args

from aps.matrix import sql
from aps.matrix.faults import Fault, nearest
from aps.matrix.files import FOLDER, Files
from aps.matrix.shape import NAME
from aps.matrix.source import Path, Source
from aps.matrix.sql import SqlFile
from aps.model.matrix import BOUND_ALWAYS, BOUND_TO_ACTIONS, BOUND_TO_COMPLETION, Run

# Looks at all jobs · looks at given jobs · judges a completion of one · writes given jobs · watches a write.
Use = Literal["look", "context", "completion", "write", "guard"]
_NOT_SENT = ("schema", "roles")
# The rows as they were: held in the transaction of the action, and gone after it.
BEFORE = "before"


@dataclass(frozen=True, slots=True)
class Asked:
    """A file with a place in the matrix; `path` is what in matrix.yaml asks for it."""

    file: str
    path: Path
    use: Use
    required: bool


def file_of(*parts: str) -> str:
    return f"{FOLDER}/{'.'.join(parts)}.sql"


def asked(source: Source) -> dict[str, Asked]:
    """Every file that the matrix reads if it is there, by its name."""
    return {one.file: one for one in _asked(source)}


def _asked(source: Source) -> Iterator[Asked]:
    states = [name for name in source.names("states") if re.fullmatch(NAME, name)]
    looked_up = any(source.has("states", name, "artifacts") for name in states)
    yield Asked(file_of("population"), ("states",), "look", True)
    yield Asked(file_of("names"), ("states",), "look", looked_up)
    yield Asked(file_of("names", "context"), ("states",), "context", False)
    yield Asked(file_of("ahead"), ("states",), "look", False)
    yield Asked(file_of("completion"), ("states",), "completion", False)
    if source.has("versions"):
        yield Asked(file_of("version"), ("versions",), "look", False)
    for name in states:
        path = ("states", name)
        yield Asked(file_of(name), path, "look", True)
        for context in filter(re.compile(NAME).fullmatch, source.texts(*path, "context")):
            yield Asked(file_of(context, "context"), (*path, "context"), "context", True)
        run = source.text(*path, "action", "run")
        looks = run == "reconcile" and source.get(*path, "action", "changes_per_job") == 0
        if run in ("reclaim", "reconcile") and not looks:
            # What is done to a listed file is done by the store: quarantine and restore need no statement.
            of_files = run == "reconcile" and source.text(*path, "artifacts") == "listed"
            yield Asked(file_of(name, run), (*path, "action", "run"), "write", not of_files)
            yield Asked(file_of(name, "undo"), (*path, "rollback"), "write", False)
            yield Asked(file_of(name, "abort"), (*path, "action"), "guard", False)
            yield Asked(file_of(name, "verify"), (*path, "action"), "guard", False)


def faults(
    source: Source, wanted: Mapping[str, Asked], files: Files, scanned: Mapping[str, SqlFile]
) -> Iterator[Fault]:
    yield from files.faults
    unreadable = {fault.file for fault in files.faults}
    for one in wanted.values():
        if one.file in scanned:
            yield from _query(source, one, scanned[one.file])
        elif one.required and one.file not in unreadable:
            yield source.key_fault(one.path, f"{one.file} is missing; write it")
    yield from _strays(source, wanted, scanned)
    used = {name for query in scanned.values() for name in query.parameters}
    for name in source.names("parameters"):
        if name not in used:
            text = "no query uses it; remove it, or bind it as %(" + name + ")s"
            yield source.key_fault(("parameters", name), text)


def _query(source: Source, one: Asked, query: SqlFile) -> Iterator[Fault]:
    yield from sql.faults(query)
    yield from sql.write_faults(query) if one.use == "write" else sql.read_faults(query)
    keys = source.texts("key")
    known = _bound(source, one)
    if one.use == "completion":
        yield from _taken(source, keys)
    # Without a key to go by, every parameter that is one would be told as unknown.
    sure = bool(keys) or one.use == "look"
    for name, line in query.parameters.items():
        if sure and name not in known:
            yield Fault(query.file, line, None, _unknown(name, keys, known))
    for key in keys:
        if one.use in ("write", "context", "completion") and key not in query.parameters:
            yield query.fault(0, f"does not name its jobs; use %({key})s, the array of keys")


def _taken(source: Source, keys: tuple[str, ...]) -> Iterator[Fault]:
    """What a completion is asked by has these names; a queue without the file may use them."""
    for place, names in (("key", keys), ("parameters", source.names("parameters"))):
        for name in sorted(BOUND_TO_COMPLETION & set(names)):
            path = (place, keys.index(name) if place == "key" else name)
            yield source.key_fault(
                path, f"{name} has a meaning in queries/completion.sql; take another"
            )


def _bound(source: Source, one: Asked) -> set[str]:
    """The parameters that aps binds into that file."""
    known = {*BOUND_ALWAYS, *source.names("parameters")}
    if source.has("max_lease"):
        known.add("max_lease")
    if one.use != "look":
        known.update(source.texts("key"))
    if one.use in ("write", "guard"):
        known.update(BOUND_TO_ACTIONS)
        if not one.file.endswith(".abort.sql"):
            known.discard(BEFORE)
    return known | BOUND_TO_COMPLETION if one.use == "completion" else known


def _unknown(name: str, keys: tuple[str, ...], known: set[str]) -> str:
    if name == "max_lease":
        return "%(max_lease)s is used, but matrix.yaml declares no max_lease; declare it"
    if name == BEFORE:
        return f"%({name})s is bound to the query of an abort only; remove it"
    if name in BOUND_TO_ACTIONS or name in keys:
        return f"%({name})s is bound to the queries of an action only; find all jobs here"
    return f"unknown parameter %({name})s; {nearest(name, known)}"


def _strays(
    source: Source, wanted: Mapping[str, Asked], scanned: Mapping[str, SqlFile]
) -> Iterator[Fault]:
    states = source.names("states")
    for file, query in scanned.items():
        path = PurePosixPath(file)
        if path.parent.name != FOLDER or file in {*wanted, *map(file_of, _NOT_SENT)}:
            continue
        state, _, rest = path.name.removesuffix(".sql").partition(".")
        if not states or (rest and _action_is_broken(source, state)):
            continue
        if rest == "context":
            text = f"no state names the context {state}"
        elif rest and state in states:
            text = f"the state {state} has no action that would run {rest}"
        else:
            text = f"no state is called {state}"
        hint = nearest(path.name, (PurePosixPath(one).name for one in wanted))
        close = f"{hint} If not" if hint.startswith("did") else "if it is not for aps"
        yield query.fault(0, f"{text}; {close}, move it to a folder below {FOLDER}/")


def _action_is_broken(source: Source, state: str) -> bool:
    """Told already, and then nobody can say which files the state has."""
    if state not in source.names("states"):
        return False
    run = source.text("states", state, "action", "run")
    return source.text("states", state, "action") != "none" and run not in get_args(Run)
