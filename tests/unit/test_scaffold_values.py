from __future__ import annotations

import pytest

from aps.scaffold import values

LISTS = {
    "CHECK ((state = ANY (ARRAY['a'::text, 'it''s, (x)'::text])))": ("a", "it's, (x)"),
    "CHECK (((state)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[])))": (
        "a",
        "b",
    ),
    "CHECK ((state = ANY (ARRAY[0, '-1'::integer, (2)::smallint])))": ("0", "-1", "2"),
    "CHECK (((state = 'a'::app.word) OR (state = 'b'::\"My Type\")))": ("a", "b"),
    "CHECK ((VALUE = ANY (ARRAY['a'::text, 'a'::text])))": ("a",),
}
OTHERS = (
    "CHECK ((state <> 'a'::text))",
    "CHECK (((state = 'a'::text) OR (kind = 'b'::text)))",
    "CHECK (((state = ANY (ARRAY['a'::text, 'b'::text])) AND (state <> 'b'::text)))",
    "CHECK ((state = ANY (ARRAY['a'::text, NULL::text])))",
    "CHECK ((state = E'a\\\\b'::text))",
    "CHECK ((length(state) < 5))",
    "CHECK (((state >= 0) AND (state <= 3)))",
)


@pytest.mark.parametrize("definition", LISTS)
def test_a_plain_list_is_read(definition: str) -> None:
    assert values.allowed(definition, "state") == LISTS[definition]


@pytest.mark.parametrize("definition", OTHERS)
def test_anything_else_is_no_list(definition: str) -> None:
    assert values.allowed(definition, "state") is None
