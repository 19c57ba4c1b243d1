"""The kinds of value in matrix.yaml, each refusing what it is not in words of its own."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator
from pydantic_core import PydanticCustomError

from aps.matrix.source import Unquoted
from aps.model import duration
from aps.model.plan import LIFETIME_SECONDS

# An integer parameter counts something, and SQL holds it as an integer.
LEAST, MOST = 1, 2**31 - 1

NotBlank = Annotated[str, Field(pattern=r"\S")]


def wrong(text: str) -> PydanticCustomError:
    # Braces are the template's own; what a person wrote must not be read as one.
    return PydanticCustomError("aps", "{told}", {"told": text})


def _text(value: object) -> str:
    if isinstance(value, str):
        if not value.strip():
            raise wrong("an empty text; write a value or remove the key")
        return value.strip()
    if isinstance(value, Unquoted):
        raise wrong(f'must be text, but is read as {value.reading}; quote it: "{value.text}"')
    if isinstance(value, bool):
        raise wrong(f'must be text, but is read as true or false; quote it: "{value}"'.lower())
    if isinstance(value, int):
        raise wrong(f'must be text, but is read as a number; quote it: "{value}"')
    raise wrong("must be text, not a list or a mapping")


def _duration(value: object) -> timedelta:
    if not isinstance(value, str):
        raise wrong(f"must be {duration.EXPECTED}")
    try:
        return duration.parse(value)
    except ValueError as error:
        raise wrong(str(error)) from None


def _longer_than_zero(value: timedelta) -> timedelta:
    if not value:
        raise wrong("must be longer than zero")
    return value


def _share(value: object) -> float:
    """A part of a whole, written as a decimal number: YAML's other ways to write one are not read."""
    if isinstance(value, Unquoted) and re.fullmatch(r"0?\.[0-9]{1,9}|1\.0{0,9}", value.text):
        value = float(value.text)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise wrong("must be a number above 0, and at most 1, such as 0.2")
    return float(value)


def _within_a_plan(value: timedelta) -> timedelta:
    if value.total_seconds() >= LIFETIME_SECONDS:
        raise wrong(
            f"must be shorter than the {LIFETIME_SECONDS // 60} min after which a plan expires"
        )
    return value


def _default(value: object) -> object:
    if isinstance(value, Unquoted):
        raise wrong(f'is read as {value.reading}; quote it: "{value.text}"')
    if isinstance(value, int | str):
        return value
    raise wrong("must be a text, a whole number, true or false")


def _one_or_list(value: object) -> object:
    return value if isinstance(value, list) else [value]


def short(key: str, kind: type, stands: Any, model: Any) -> BeforeValidator:
    """One value of that kind, where a mapping is asked for, stands for that key of it."""

    def expand(value: object) -> object:
        return {key: value} if isinstance(value, kind | Unquoted) else value

    return BeforeValidator(expand, json_schema_input_type=stands | model)


Text = Annotated[str, BeforeValidator(_text, json_schema_input_type=NotBlank)]
OptionalText = Annotated[str | None, BeforeValidator(_text, json_schema_input_type=NotBlank)]
Duration = Annotated[
    timedelta,
    PlainValidator(
        _duration, json_schema_input_type=Annotated[str, Field(pattern=duration.PATTERN)]
    ),
]
Share = Annotated[
    float,
    PlainValidator(_share, json_schema_input_type=Annotated[float, Field(gt=0, le=1)]),
]
LongerThanZero = Annotated[Duration, AfterValidator(_longer_than_zero)]
Sighting = Annotated[LongerThanZero, AfterValidator(_within_a_plan)]
Texts = Annotated[
    list[Text],
    Field(min_length=1),
    BeforeValidator(
        _one_or_list,
        json_schema_input_type=NotBlank | Annotated[list[NotBlank], Field(min_length=1)],
    ),
]
Default = Annotated[
    str | int | bool,
    BeforeValidator(
        _default, json_schema_input_type=str | Annotated[int, Field(ge=LEAST, le=MOST)] | bool
    ),
]
Count = Annotated[int, Field(ge=1)]
Number = Annotated[int, Field(ge=0)]
