"""Mutated logs: settling never raises anything but a named error in one line, and money stays zero-sum."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pzvision.errors import PzvisionError
from pzvision.game import format_event, legal, settle_log, settle_text, start
from pzvision.game.events import HandStart, parse_event
from pzvision.game.fold import apply
from pzvision.game.simulate import simulate
from pzvision.rules import ruleset_ids
from pzvision.tiles import SEATS

TILES = [f"{n}{s}" for s in "msp" for n in range(1, 10)]
FUZZ = int(os.environ.get("PZVISION_FUZZ", "1"))  # multiplies the number of inputs


def logs() -> list[list[dict[str, Any]]]:
    return [
        [format_event(event) for event in simulate(ruleset, seed, 1, spice=0.6, leave=0.3)]
        for ruleset in ruleset_ids()
        for seed in (1, 2)
    ]


LOGS = logs()
junk = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**20),
    st.floats(),
    st.text(max_size=6),
    st.sampled_from([*TILES, *SEATS, "sing", "an_gang", "discard", "self_draw", "123456789m", "1111m2p"]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
FIELDS = [
    "type",
    "seat",
    "tile",
    "tiles",
    "hand",
    "kind",
    "by",
    "kept",
    "declaration",
    "waits",
    "base",
    "options",
]


def mutated(data: st.DataObject) -> list[dict[str, Any]]:
    log = [dict(record) for record in data.draw(st.sampled_from(LOGS))]
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(log) - 1))
        match data.draw(st.sampled_from(("junk", "drop", "twice", "swap", "tile", "seat", "hide", "move"))):
            case "junk":
                log[at][data.draw(st.sampled_from(FIELDS))] = data.draw(junk)
            case "drop" if len(log) > 1:
                del log[at]
            case "twice":
                log.insert(at, dict(log[at]))
            case "swap":
                other = data.draw(st.integers(0, len(log) - 1))
                log[at], log[other] = log[other], log[at]
            case "tile":
                log[at]["tile"] = data.draw(st.sampled_from(TILES))
            case "seat":
                log[at]["seat"] = data.draw(st.sampled_from(SEATS))
            case "hide":
                for record in log[at:]:
                    if record["type"] in ("draw", "deal"):
                        record["tile" if record["type"] == "draw" else "tiles"] = None
            case "move":
                log.insert(data.draw(st.integers(0, len(log) - 1)), log.pop(at))
    return log


def check(log: list[dict[str, Any]], lenient: bool) -> None:
    try:
        results = settle_log(log, lenient=lenient)
    except PzvisionError as error:
        assert str(error).startswith("line ") and "\n" not in str(error)
        return
    for result in results:
        assert sum(result.state.totals) == 0
        json.dumps(result.to_json())


@settings(max_examples=120 * FUZZ, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), st.booleans())
def test_mutated_logs_settle_or_name_the_record(data: st.DataObject, lenient: bool) -> None:
    check(mutated(data), lenient)


@settings(max_examples=200 * FUZZ, deadline=None)
@given(
    st.lists(st.one_of(st.text(max_size=40), st.dictionaries(st.sampled_from(FIELDS), junk).map(json.dumps)))
)
def test_random_text_is_no_log_but_an_error(lines: list[str]) -> None:
    try:
        assert settle_text("\n".join(lines)) == []
    except PzvisionError as error:
        assert "\n" not in str(error)


def test_the_fold_and_legal_stand_anything_in_any_order() -> None:
    """Thousands of records out of place, one after another: never an exception, whatever came before."""
    rng = random.Random(5)
    records = [record for log in LOGS for record in log]
    for ruleset in ruleset_ids():
        wanted = [r for r in records if r["type"] != "hand_start"]
        for _ in range(6 * FUZZ):
            state = start(HandStart(ruleset, rng.choice(SEATS)))
            for record in rng.choices(wanted, k=60):
                if record["type"] == "hand_end" and rng.random() < 0.8:
                    continue
                if record.get("tile") and rng.random() < 0.3:
                    record = {**record, "tile": rng.choice(TILES)}
                state = apply(state, parse_event(record))
                assert sum(state.totals) == 0
                for seat in SEATS:
                    legal(state, seat)
                    state.waits(seat)
                state.visible()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((7, {"tile": "9s"}), "line 8: draw: tile 9s: all 4 of it are elsewhere already"),
        ((8, {"tile": "9p"}), "line 9: discard: tile 9p: the player does not hold it"),
        ((7, {"seat": "W"}), "line 8: draw: seat W: it is for S to draw"),
        ((9, {"type": "discard", "tile": "1m"}), "line 10: discard: seat W: nobody has drawn a tile"),
        ((2, {"tiles": "123m"}), "line 3: deal: tiles 123m: 3 tiles, expected 13"),
    ],
)
def test_what_cannot_be_true_is_named(change: tuple[int, dict[str, Any]], words: str) -> None:
    log: list[dict[str, Any]] = [
        {"type": "hand_start", "ruleset": "pzh-popular", "dealer": "E"},
        {"type": "deal", "seat": "E", "tiles": "1159m1155s114p999s"},
        {"type": "deal", "seat": "S", "tiles": "123456789m1234s"},
        {"type": "deal", "seat": "W", "tiles": "9s2m22334455667p"},
        {"type": "deal", "seat": "N"},
        {"type": "declare", "seat": "N", "declaration": "tian_jiao"},
        {"type": "discard", "seat": "E", "tile": "9m"},
        {"type": "draw", "seat": "S", "tile": "1p"},
        {"type": "discard", "seat": "S", "tile": "1p"},
        {"type": "draw", "seat": "W", "tile": "8p"},
        {"type": "hand_end"},
    ]
    assert settle_log(log)
    log[change[0]] = {**log[change[0]], **change[1]}
    with pytest.raises(PzvisionError) as caught:
        settle_log(log)
    assert str(caught.value) == words
    assert settle_log(log, lenient=True)[0].state.problems
