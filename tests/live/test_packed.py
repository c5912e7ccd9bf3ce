"""Values kept small."""

from __future__ import annotations

import pytest

from pzvision.game.simulate import simulate
from pzvision.live.packed import Packed

EVENTS = list(simulate("pzh-popular", seed=2, hands=1))


def test_what_comes_out_equals_what_was_put_in() -> None:
    packed = Packed(EVENTS)
    assert len(packed) == len(EVENTS) and list(packed) == EVENTS
    assert packed[0] == EVENTS[0] and packed[-1] == EVENTS[-1] and packed[3:7] == EVENTS[3:7]
    assert EVENTS[5] in packed and list(reversed(packed)) == EVENTS[::-1]
    with pytest.raises(IndexError):
        packed[len(EVENTS)]
    assert list(Packed(packed)) == EVENTS
    assert not Packed(()) and list(Packed(())) == []


def test_it_is_small() -> None:
    assert Packed(EVENTS).size < 20 * len(EVENTS)
