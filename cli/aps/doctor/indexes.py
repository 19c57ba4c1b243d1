"""Indexes that a look needs: those that the pack's own schema makes, or what the server would read without any."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from aps import statements
from aps.database import QueryError
from aps.matrix import sql
from aps.model.examination import Check
from aps.snapshot import Snapshot, sql_name

_SCHEMA = "queries/schema.sql"
# Less than this is read in milliseconds, with or without an index.
_ROWS, _BYTES = 100_000, 32_000_000


def indexes(snapshot: Snapshot, path: str) -> Check:
    file = snapshot.matrix.path / _SCHEMA
    if not file.is_file():
        return _scans(snapshot)
    wanted = dict(_made(file.read_text(encoding="utf-8"), path))
    rows = snapshot.database.rows(
        statements.read("doctor/indexes"),
        {"schemas": [schema for schema, _ in wanted], "names": [name for _, name in wanted]},
    )
    found = {(str(row["schema"]), str(row["name"])): row["valid"] == "t" for row in rows}
    absent = [which for which in wanted if which not in found]
    broken = [which for which in found if not found[which]]
    if not absent and not broken:
        return Check("indexes", "ok", f"all {len(wanted)} of the pack are there")
    told = [f"not there: {_names(absent)}"] if absent else []
    told += [f"not valid: {_names(broken)}"] if broken else []
    remedy = [wanted[which] for which in absent]
    remedy += [f"REINDEX INDEX CONCURRENTLY {'.'.join(map(sql_name, which))};" for which in broken]
    sentence = f"{'; '.join(told)}: a look may cost the whole table"
    return Check("indexes", "warning", sentence, tuple(remedy))


def _names(which: list[tuple[str, str]]) -> str:
    return ", ".join(".".join(map(sql_name, one)) for one in which)


def _made(text: str, path: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Each index of the script, by schema and name, with the statement that makes it and locks nobody out."""
    tokens = sql.scan(_SCHEMA, text).code
    words = [token.text.lower() for token in tokens]
    for at, word in enumerate(words):
        unique = words[at + 1 : at + 2] == ["unique"]
        if word != "create" or words[at + 1 + unique : at + 2 + unique] != ["index"]:
            continue
        start = at + 2 + unique
        on = words.index("on", start)
        end = words.index(";", on)
        schema = words[on + 1] if words[on + 2] == "." else path
        body = " ".join(text[tokens[start].start : tokens[end].start].split())
        kind = "UNIQUE INDEX" if unique else "INDEX"
        yield (schema, words[start]), f"CREATE {kind} CONCURRENTLY {body};"


def _scans(snapshot: Snapshot) -> Check:
    """What the evidence reads from end to end, by the server's plans; a small table is no matter."""
    read: dict[tuple[str, str], list[str]] = {}
    for state in snapshot.states:
        explain = statements.read("doctor/explain").format(statement=state.evidence.sql)
        try:
            with snapshot.database.savepoint():
                plan = snapshot.database.rows(explain, snapshot.bound)[0]["QUERY PLAN"]
        except QueryError:
            continue
        for node in _sequential(json.loads(plan or "[]")):
            which = (str(node.get("Schema", "")), str(node["Relation Name"]))
            filtered = f" by {node['Filter']}" if "Filter" in node else ""
            read.setdefault(which, []).append(f"{state.title}{filtered}")
    large = _large(snapshot, list(read))
    if not large:
        return Check(
            "indexes", "ok", "no look reads a large table from end to end, by the server's plans"
        )
    told = [
        f"{'.'.join(which)} ({size}) for {'; '.join(read[which])}" for which, size in large.items()
    ]
    return Check(
        "indexes",
        "warning",
        f"read from end to end: {', '.join(told)}",
        ("make an index for each condition, partial where it picks few rows; then ANALYZE",),
    )


def _sequential(node: Any) -> Iterator[Mapping[str, Any]]:
    """The nodes of a plan that scan a relation whole."""
    if isinstance(node, list):
        for one in node:
            yield from _sequential(one)
    elif isinstance(node, dict):
        if node.get("Node Type") == "Seq Scan":
            yield node
        for child in node.values():
            if isinstance(child, list | dict):
                yield from _sequential(child)


def _large(snapshot: Snapshot, read: list[tuple[str, str]]) -> dict[tuple[str, str], str]:
    rows = snapshot.database.rows(
        statements.read("doctor/large"),
        {"schemas": [schema for schema, _ in read], "relations": [name for _, name in read]},
    )
    found = {}
    for row in rows:
        count, length = int(row["rows"] or -1), int(row["bytes"] or 0)
        if count >= _ROWS or length >= _BYTES:
            size = f"{count:,} rows" if count >= 0 else f"{length // 10**6} MB, never analysed"
            found[(str(row["schema"]), str(row["name"]))] = size
    return found
