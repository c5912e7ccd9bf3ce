"""The log's records: parsing, errors that name record, field and value, and the round trip."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pzvision.errors import FormatError
from pzvision.game.events import (
    DECLARATIONS,
    GANG_KINDS,
    WIN_BY,
    Deal,
    Declare,
    Discard,
    Draw,
    Event,
    Gang,
    HandEnd,
    HandStart,
    Leave,
    Peng,
    Reveal,
    TailLamp,
    Win,
    format_event,
    format_log,
    parse_event,
    read_log,
)
from pzvision.tiles import SEATS

seats = st.sampled_from(SEATS)
kinds = st.integers(0, 26)
seen = {
    "t": st.none() | st.floats(0, 1e6),
    "frame": st.none() | st.integers(0, 10**6),
    "confidence": st.none() | st.floats(0, 1),
}


def hands(most: int) -> st.SearchStrategy[tuple[int, ...] | None]:
    some = st.lists(st.sampled_from([k for k in range(27) for _ in range(4)]), max_size=most)
    fair = some.filter(lambda x: all(x.count(k) <= 4 for k in x))
    return st.none() | fair.map(lambda x: tuple(sorted(x)))


events: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        HandStart,
        st.sampled_from(("xichang", "pzh-popular")),
        seats,
        st.integers(1, 1000),
        st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.integers() | st.text(max_size=5)),
        st.none() | st.dictionaries(seats, st.text(max_size=5)),
        **seen,
    ),
    st.builds(Deal, seats, hands(14), **seen),
    st.builds(TailLamp, kinds, **seen),
    st.builds(Draw, seats, st.none() | kinds, **seen),
    st.builds(Discard, seats, kinds, **seen),
    st.builds(Peng, seats, kinds, **seen),
    st.builds(Gang, seats, st.sampled_from(GANG_KINDS), kinds, st.booleans(), **seen),
    st.builds(Declare, seats, st.sampled_from(DECLARATIONS), hands(13), hands(13), **seen),
    st.builds(Win, seats, st.sampled_from(WIN_BY), kinds, hands(13), **seen),
    st.builds(Reveal, seats, hands(14), **seen),
    st.builds(Leave, seats, **seen),
    st.builds(HandEnd, **seen),
)


@settings(deadline=None)
@given(events)
def test_format_then_parse_is_the_identity(event: Event) -> None:
    record = json.loads(json.dumps(format_event(event)))
    assert parse_event(record) == event
    assert format_event(parse_event(record)) == record


@settings(deadline=None)
@given(st.lists(events, max_size=5))
def test_a_log_reads_back(log: list[Event]) -> None:
    lines = format_log(log).split("\n")
    assert [entry.event for entry in read_log(lines)] == log


@pytest.mark.parametrize(
    ("record", "field", "words"),
    [
        ({}, "type", "record: type None"),
        ({"type": "chi", "seat": "E"}, "type", "'chi'"),
        ({"type": ["draw"]}, "type", "['draw']"),
        ({"type": "draw"}, "seat", "draw: seat is missing"),
        ({"type": "draw", "seat": "X"}, "seat", "draw: seat 'X': expected one of E S W N"),
        ({"type": "draw", "seat": "E", "tile": "5z"}, "tile", "draw: tile '5z'"),
        ({"type": "draw", "seat": "E", "tile": 5}, "tile", "draw: tile 5"),
        ({"type": "discard", "seat": "E", "tile": None}, "tile", "discard: tile None"),
        ({"type": "discard", "seat": "E", "tile": "55m"}, "tile", "'55m'"),
        ({"type": "deal", "seat": "E", "tiles": "123q"}, "tiles", "deal: tiles: bad tiles '123q'"),
        ({"type": "deal", "seat": "E", "tiles": "11111m"}, "tiles", "5 times 1m"),
        (
            {"type": "deal", "seat": "E", "tiles": "123456789m123456s"},
            "tiles",
            "15 tiles, expected at most 14",
        ),
        ({"type": "deal", "seat": "E", "tiles": ["1m"]}, "tiles", "expected tiles such as"),
        ({"type": "gang", "seat": "E", "kind": "chi", "tile": "1m"}, "kind", "zhi_gang an_gang ba_gang"),
        ({"type": "gang", "seat": "E", "kind": "an_gang", "tile": "1m", "kept": 1}, "kept", "kept 1"),
        ({"type": "declare", "seat": "E", "declaration": "none"}, "declaration", "'none'"),
        ({"type": "declare", "seat": "E", "declaration": "sing", "waits": "5"}, "waits", "waits"),
        ({"type": "win", "seat": "E", "by": "luck", "tile": "1m"}, "by", "'luck'"),
        ({"type": "win", "seat": "E", "by": "discard", "tile": "1m", "hand": "1x"}, "hand", "'1x'"),
        ({"type": "hand_start", "dealer": "E"}, "ruleset", "ruleset is missing"),
        ({"type": "hand_start", "ruleset": "xichang"}, "dealer", "dealer is missing"),
        ({"type": "hand_start", "ruleset": "xichang", "dealer": "E", "base": 0}, "base", "base 0"),
        ({"type": "hand_start", "ruleset": "xichang", "dealer": "E", "base": True}, "base", "base True"),
        ({"type": "hand_start", "ruleset": "xichang", "dealer": "E", "options": []}, "options", "options []"),
        ({"type": "hand_start", "ruleset": "xichang", "dealer": "E", "names": {"X": ""}}, "names", "'X'"),
        ({"type": "hand_end", "t": "now"}, "t", "hand_end: t 'now'"),
        ({"type": "hand_end", "t": float("nan")}, "t", "nan"),
        ({"type": "hand_end", "frame": 1.5}, "frame", "1.5"),
    ],
)
def test_a_bad_record_names_record_field_and_value(record: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_event(record)
    assert caught.value.field == field
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_fields_are_ignored() -> None:
    assert parse_event({"type": "leave", "seat": "W", "mood": "sad"}) == Leave("W")


@pytest.mark.parametrize("text", ["{", "nonsense", "[" * 100_000, '{"type": "leave", "seat": 1e400}', "12"])
def test_a_bad_line_names_its_number(text: str) -> None:
    with pytest.raises(FormatError, match=r"^line 3: "):
        list(read_log(["", '{"type": "hand_end"}', text]))
