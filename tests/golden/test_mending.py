"""One correction that makes a hand right is found, and a hand that needs two is not called mendable."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pzvision.game import Deal, Discard, Draw, Event, HandStart, Win
from pzvision.game.simulate import simulate
from pzvision.golden.mending import hands_of, mended, totals_of


@pytest.fixture(scope="module")
def hand() -> list[Event]:
    events = simulate("pzh-popular", seed=16, hands=1)
    out: list[Event] = []
    for k, event in enumerate(events):  # as a camera sees it
        if isinstance(event, Deal):
            event = replace(event, tiles=None)
        elif isinstance(event, Draw):
            event = replace(event, tile=None)
        out.append(replace(event, t=2.0 * k, frame=k))
    return out


def index(hand: list[Event], kind: type) -> int:
    return next(k for k, e in enumerate(hand) if isinstance(e, kind))


def test_what_is_right_needs_nothing(hand: list[Event]) -> None:
    totals = totals_of(hand)
    assert totals is not None and mended(hand, hand, totals)
    assert not mended(hand, hand, {**totals, "E": totals["E"] + 1})


def test_one_mistake_can_be_set_right(hand: list[Event]) -> None:
    totals = totals_of(hand)
    assert totals is not None
    win = index(hand, Win)
    before = hand[win]
    assert isinstance(before, Win)
    twisted = [*hand[:win], replace(before, hand=None), *hand[win + 1 :]]
    without = [*hand[:win], *hand[win + 1 :]]
    for written in (twisted, without):
        assert totals_of(written) != totals
        assert mended(hand, written, totals)


def test_two_mistakes_cannot(hand: list[Event]) -> None:
    totals = totals_of(hand)
    assert totals is not None
    wins = [k for k, e in enumerate(hand) if isinstance(e, Win)]
    assert len(wins) >= 2
    written = [e for k, e in enumerate(hand) if k not in wins[:2]]
    assert totals_of(written) != totals
    assert not mended(hand, written, totals)


def test_a_log_is_cut_into_hands() -> None:
    events = list(simulate("xichang", seed=1, hands=2))
    parts = hands_of(events)
    assert len(parts) == 2 and [e for part in parts for e in part] == events
    assert all(isinstance(part[0], HandStart) for part in parts)
    assert hands_of([]) == [] and len(hands_of([Discard("E", 1)])) == 1
