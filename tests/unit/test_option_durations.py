"""A length that is printed in a command is read back as the same length."""

from __future__ import annotations

from datetime import timedelta

import pytest

from aps.commands import options

WRITTEN = (
    "30d",
    "36525d",
    "2h",
    "25h",
    "90min",
    "90s",
    "1500ms",
    "0.1ms",
    "1234567.125ms",
    "1.5h",
    "7 d",
)


@pytest.mark.parametrize("text", WRITTEN)
def test_a_printed_length_is_read_back(text: str) -> None:
    length = options.duration("--older-than", text)
    assert options.duration("--older-than", options.spoken(length)) == length


def test_a_length_is_printed_in_its_largest_whole_unit() -> None:
    spoken = [options.spoken(timedelta(seconds=size)) for size in (86400, 5400, 61, 1.5)]
    assert spoken == ["1d", "90min", "61s", "1500.000ms"]
