"""The engine's own SQL: templates in sql/*.sql around the queries of a pack. Text in, text out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from aps.model.matrix import Query, State

_FOLDER = Path(__file__).parent / "sql"


@cache
def read(name: str) -> str:
    """The text of sql/NAME.sql."""
    return (_FOLDER / f"{name}.sql").read_text(encoding="utf-8")


def ident(name: str) -> str:
    """A quoted SQL identifier; `%` is doubled, for every statement is bound."""
    return '"' + name.replace('"', '""').replace("%", "%%") + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''").replace("%", "%%") + "'"


def table(name: str) -> str:
    return ".".join(ident(part) for part in name.split("."))


def describe(query: Query) -> str:
    return read("describe").format(evidence=query.sql)


def survey(
    states: Iterable[tuple[State, Sequence[str]]],
    types: Mapping[str, str],
    population: Query | None,
) -> str:
    """Counts of these states, given with the columns that each returns; without a population no doubts of that kind."""
    keys = ", ".join(_aliases(types))
    claims = [_claim(state, columns, types) for state, columns in states]
    return read("survey").format(
        claims="  UNION ALL\n".join(claims) or _no_claim(types),
        keys=keys,
        keys_text=", ".join(f"{alias}::text" for alias in _aliases(types)),
        unclassified="" if population is None else _unclassified(types, population),
    )


def _claim(state: State, columns: Sequence[str], types: Mapping[str, str]) -> str:
    # An overlay may have items without a job (a file that no row names).
    keyed = set(types) <= set(columns)
    return read("survey_claim").format(
        state=literal(state.name),
        lifecycle="true" if state.kind == "lifecycle" else "false",
        itemised="true" if "item" in columns else "false",
        since="q.since" if "since" in columns else "NULL",
        locked="q.locked" if "locked" in columns else "NULL::boolean",
        columns=", ".join(
            f"{f'q.{ident(column)}' if keyed else 'NULL'}::{kind} AS {alias}"
            for (column, kind), alias in zip(types.items(), _aliases(types), strict=True)
        ),
        evidence=state.evidence.sql,
    )


def _no_claim(types: Mapping[str, str]) -> str:
    aliases = zip(types.values(), _aliases(types), strict=True)
    return read("survey_nothing").format(
        columns=", ".join(f"NULL::{kind} AS {alias}" for kind, alias in aliases)
    )


def _unclassified(key: Iterable[str], population: Query) -> str:
    pairs = list(zip(key, _aliases(key), strict=True))
    return read("survey_unclassified").format(
        keys=", ".join(f"population.{ident(column)} AS {alias}" for column, alias in pairs),
        population=population.sql,
        keyed=" AND ".join(f"population.{ident(column)} IS NOT NULL" for column, _ in pairs),
        same_key=" AND ".join(
            f"claim.{alias} = population.{ident(column)}" for column, alias in pairs
        ),
    )


def select(
    query: Query, columns: Sequence[str], key: Sequence[str], conditions: Sequence[str]
) -> str:
    """The keys of one state, oldest first; `conditions` are SQL over the alias q."""
    keys = ", ".join(f"q.{ident(column)}" for column in key)
    itemised = "item" in columns
    aged = "since" in columns
    # A bare NULL is no place to sort by; with its type it is.
    since = "q.since" if aged else "NULL::timestamptz"
    return read("select").format(
        keys_text=", ".join(f"q.{ident(column)}::text AS {ident(column)}" for column in key),
        evidence=query.sql,
        conditions=" AND ".join(
            [*(f"q.{ident(column)} IS NOT NULL" for column in key), *conditions]
        ),
        grouping=f"GROUP BY {keys}" if itemised else "",
        since=f"min({since})" if itemised and aged else f"({since})",
        keys=keys,
    )


def items(query: Query) -> str:
    """The first items of a state that has no jobs but items."""
    return read("items").format(evidence=query.sql)


def common(query: Query) -> str:
    """What the rows of a state have in common."""
    return read("common").format(evidence=query.sql)


def completion(query: Query) -> str:
    return read("completion").format(completion=query.sql)


def claims(names: Query, types: Mapping[str, str], *, after: bool) -> str:
    """The next names that rows claim, with `after` those behind `%(aps_after)s`."""
    return read("claims").format(
        names=names.sql,
        keys_text=", ".join(f"n.{ident(column)}::text AS {ident(column)}" for column in types),
        keyed=" AND ".join(f"n.{ident(column)} IS NOT NULL" for column in types),
        after='AND n.name::text COLLATE "C" > %(aps_after)s' if after else "",
    )


def claims_of(names: Query, types: Mapping[str, str]) -> str:
    """The names that the rows of given keys claim."""
    return _claims_of("claims_of", names, types)


def claims_beside(names: Query, types: Mapping[str, str]) -> str:
    """The same, each with whether it lies before `%(aps_after)s`."""
    return _claims_of("claims_beside", names, types)


def _claims_of(template: str, names: Query, types: Mapping[str, str]) -> str:
    return read(template).format(
        names=names.sql,
        same_key=" AND ".join(
            f"n.{ident(column)} = k.{alias}"
            for column, alias in zip(types, _aliases(types), strict=True)
        ),
        **_arrays(types),
    )


def conditions(where: Sequence[str], *, older: bool, eligible: bool) -> list[str]:
    """What narrows a selection: evidence columns by text, the age, and that nothing refuses the job."""
    narrowed = [
        # As PostgreSQL writes the value, or as a report shows it: they differ for a time.
        f"%(aps_where_{n})s::text IN (q.{ident(column)}::text, to_json(q.{ident(column)}) #>> '{{}}')"
        for n, column in enumerate(where)
    ]
    narrowed += ["q.since <= %(clock)s - %(aps_older_than)s"] if older else []
    return narrowed + (["q.refusal IS NULL"] if eligible else [])


def judge(queries: Mapping[str, Query], types: Mapping[str, str]) -> str:
    """The evidence of these states for given keys, bound as arrays under the names of the key columns."""
    branches = (
        read("judge_branch").format(
            state=literal(name),
            evidence=query.sql,
            same_key=" AND ".join(
                f"q.{ident(column)} = k.{alias}"
                for column, alias in zip(types, _aliases(types), strict=True)
            ),
        )
        for name, query in queries.items()
    )
    return read("judge").format(branches="  UNION ALL\n".join(branches), **_arrays(types))


def rows(table_name: str, types: Mapping[str, str], *, lock: bool) -> str:
    """The rows of the table for given keys; with `lock` held without waiting, the others left out."""
    return read("rows").format(
        table=table(table_name),
        same_key=_same_key(types),
        keys=", ".join(f"t.{ident(column)}" for column in types),
        # FOR UPDATE would skip a job while a child row of it is inserted.
        locking="   FOR NO KEY UPDATE OF t SKIP LOCKED" if lock else "",
        **_arrays(types),
    )


def keys(table_name: str, types: Mapping[str, str]) -> str:
    """The given keys that have a row, as the server writes them."""
    return read("keys").format(
        table=table(table_name),
        same_key=_same_key(types),
        keys_text=", ".join(f"t.{ident(column)}::text AS {ident(column)}" for column in types),
        **_arrays(types),
    )


def holders(table_name: str, types: Mapping[str, str], *, sharing: bool) -> str:
    return read("sharers" if sharing else "holders").format(
        table=table(table_name), same_key=_same_key(types), **_arrays(types)
    )


def _same_key(types: Mapping[str, str]) -> str:
    return " AND ".join(
        f"t.{ident(column)} = k.{alias}"
        for column, alias in zip(types, _aliases(types), strict=True)
    )


def _arrays(types: Mapping[str, str]) -> dict[str, str]:
    return {
        "key_arrays": ", ".join(f"%({column})s::{kind}[]" for column, kind in types.items()),
        "key_aliases": ", ".join(_aliases(types)),
    }


def _aliases(key: Iterable[str]) -> list[str]:
    # Names that no query uses by chance: inside LATERAL a misspelt column would silently mean ours.
    return [f"aps_key_{number}" for number, _ in enumerate(key, start=1)]
