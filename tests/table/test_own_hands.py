"""Hands read by their own camera put into the log: a whole simulated hand comes back tile for tile."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pzvision.game.events import Deal, Declare, Discard, Draw, Event, Gang, Peng, Reveal, Win
from pzvision.game.simulate import simulate
from pzvision.rules import load_ruleset
from pzvision.table.own_hands import HandReading, OwnHands, fill_hand
from pzvision.table.reader import TableReader
from pzvision.tiles import CLASSES, SEATS, Seat
from pzvision.vision.detections import Detections


def row(tiles: tuple[int, ...], sure: float = 0.9) -> Detections:
    n = len(tiles)
    quads = np.array([[[x, 0], [x + 20, 0], [x + 20, 30], [x, 30]] for x in range(0, 22 * n, 22)], np.float32)
    probs = np.full((n, CLASSES), (1 - sure) / (CLASSES - 1), np.float32)
    probs[np.arange(n), list(tiles)] = sure
    return Detections(quads, probs, np.full(n, 0.9, np.float32), (640, 360))


def played(seed: int) -> tuple[list[Event], list[Event]]:
    """A simulated hand with a time for every record, and the same as a table camera tells it."""
    full = [replace(e, t=4.0 * i) for i, e in enumerate(simulate("pzh-popular", seed=seed, hands=1))]
    blind: list[Event] = []
    for event in full:
        if isinstance(event, Deal):
            event = replace(event, tiles=None)
        elif isinstance(event, Draw):
            event = replace(event, tile=None)
        blind.append(event)
    return full, blind


def readings(full: list[Event], seat: Seat, skip: int = 0) -> list[HandReading]:
    """What a camera sees between the acts; every ``skip``-th of the hands is hidden."""
    hand: Counter[int] = Counter()
    out, since = [], 0.0
    for event in full:
        if getattr(event, "seat", None) != seat:
            continue
        if hand and (event.t or 0) - since > 1:
            out.append(HandReading(tuple(sorted(hand.elements())), since + 0.5, (event.t or 0) - 0.5))
        since = event.t or 0.0
        if isinstance(event, (Win, Reveal)):
            break
        hand = _after(hand, event)
    return [r for i, r in enumerate(out) if not skip or i % skip != skip - 1]


@pytest.mark.parametrize("seed", [3, 5, 8])
@pytest.mark.parametrize("seat", SEATS)
def test_deal_and_draws_come_back(seed: int, seat: Seat) -> None:
    full, blind = played(seed)
    filled = fill_hand(blind, seat, readings(full, seat))
    wanted = {
        i: e
        for i, e in enumerate(full)
        if isinstance(e, (Deal, Draw)) and e.seat == seat and i < _end(full, seat)
    }
    right = {i for i, e in filled.items() if e == wanted.get(i)}
    assert right == set(filled), "nothing is invented"
    assert len(right) >= len(wanted) - 1, "only the winning tile is never seen standing"


def test_hidden_readings_leave_gaps_and_nothing_wrong() -> None:
    total = right = 0
    for seed in (3, 5, 8, 11):
        full, blind = played(seed)
        for seat in SEATS:
            filled = fill_hand(blind, seat, readings(full, seat, skip=3))
            assert all(e == full[i] for i, e in filled.items())
            right += len(filled)
            total += sum(isinstance(e, Draw) and e.seat == seat for e in full)
    assert right > 0.5 * total


def _end(full: list[Event], seat: Seat) -> int:
    return next((i for i, e in enumerate(full) if isinstance(e, (Win, Reveal)) and e.seat == seat), len(full))


def test_a_reading_takes_two_equal_sure_looks() -> None:
    hands = OwnHands()
    thirteen = tuple(range(13))
    assert not hands.look("S", 1.0, row(thirteen))
    assert not hands.look("S", 2.0, None) and not hands.look("S", 2.5, row(thirteen, sure=0.4))
    assert hands.look("S", 3.0, row(thirteen))
    assert not hands.look("S", 4.0, row(thirteen)), "the same again is nothing new"
    assert not hands.look("S", 5.0, row(thirteen[:12])) and not hands.look("S", 6.0, row(thirteen[:12]))
    five = (1, 1, 1, 1, 1, *range(8))
    assert not hands.look("S", 7.0, row(five)) and not hands.look("S", 8.0, row(five))


def test_a_hand_camera_beside_a_table_camera(simulated: Any, noise: Any, timed: Any) -> None:
    played = list(simulate("pzh-popular", seed=8, hands=1))
    log = timed(played, 1)
    full = [replace(event, t=seen.t) for event, seen in zip(played, log, strict=True)]
    table = simulated(log, "pzh-popular", noise())
    spoken = tuple(e for e in log if isinstance(e, Declare))
    reader = TableReader(table.calibration, load_ruleset("pzh-popular"), declarations=spoken)
    hand: Counter[int] = Counter()
    waiting = [e for e in full if getattr(e, "seat", None) == "S"]
    for look, (t, index, detections, mask) in enumerate(table.all_looks(0.5)):
        reader.look(t, index, table.size, detections, mask)
        # A tile leaves the hand a moment before it lies on the table.
        while waiting and (waiting[0].t or 0.0) - (0.6 if isinstance(waiting[0], Discard) else 0.0) <= t:
            hand = _after(hand, waiting.pop(0))
        if look % 2 == 0 and hand:
            reader.look_hand("S", t, row(tuple(sorted(hand.elements()))))
    reader.finish(table.end)
    deal = next(e for e in reader.log if isinstance(e, Deal) and e.seat == "S")
    assert deal.tiles == next(e for e in full if isinstance(e, Deal) and e.seat == "S").tiles
    draws = [e.tile for e in reader.log if isinstance(e, Draw) and e.seat == "S"]
    true = [e.tile for e in full if isinstance(e, Draw) and e.seat == "S"]
    assert len(draws) == len(true)
    known = [(a, b) for a, b in zip(draws, true, strict=True) if a is not None]
    assert all(a == b for a, b in known) and len(known) >= len(true) - 1
    others = [e for e in reader.log if isinstance(e, Deal) and e.seat != "S"]
    assert all(e.tiles is None for e in others)


def _after(hand: Counter[int], event: Event) -> Counter[int]:
    if isinstance(event, Deal):
        return Counter(event.tiles or ())
    if isinstance(event, Draw) and event.tile is not None:
        return hand + Counter([event.tile])
    if isinstance(event, Discard):
        return hand - Counter([event.tile])
    if isinstance(event, Peng):
        return hand - Counter({event.tile: 2})
    if isinstance(event, Gang):
        return hand - Counter({event.tile: {"zhi_gang": 3, "an_gang": 4, "ba_gang": 1}[event.kind]})
    return hand
