"""Notation round-trips; bad text is named."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pzvision import tiles
from pzvision.errors import FormatError

KIND = st.integers(0, tiles.KINDS - 1)


def test_doctests() -> None:
    assert doctest.testmod(tiles).failed == 0


@given(st.lists(KIND, max_size=20))
def test_tiles_round_trip(kinds: list[int]) -> None:
    assert tiles.parse_tiles(tiles.format_tiles(kinds)) == sorted(kinds)
    assert tiles.from_counts(tiles.to_counts(kinds)) == sorted(kinds)


@given(KIND)
def test_tile_round_trip(kind: int) -> None:
    assert tiles.parse_tile(tiles.format_tile(kind)) == kind


@pytest.mark.parametrize("text", ["0m", "123", "m", "5z", "12m3", " 1m", "1m "])
def test_bad_tiles_are_named(text: str) -> None:
    with pytest.raises(FormatError, match="bad tiles"):
        tiles.parse_tiles(text)


@given(st.text(max_size=8))
def test_any_text_parses_or_is_refused(text: str) -> None:
    try:
        kinds = tiles.parse_tiles(text)
    except FormatError:
        return
    assert all(0 <= kind < tiles.KINDS for kind in kinds)


def test_next_seat_goes_round() -> None:
    assert [tiles.next_seat("E", n) for n in range(5)] == ["E", "S", "W", "N", "E"]
