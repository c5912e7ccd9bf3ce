"""Which record a lying tile came from."""

from __future__ import annotations

import pytest

from pzvision.game import Discard, Gang, Peng
from pzvision.game.simulate import simulate
from pzvision.live.session import Session


@pytest.mark.parametrize("seed", [1, 4, 9])
def test_every_lying_tile_names_its_record(seed: int) -> None:
    session = Session()
    seen = 0
    for event in simulate("pzh-popular", seed=seed, hands=2):
        session.update(len(session.log), [event])
        state, places = session.state, session.places
        assert state is not None
        for i, seat in enumerate(state.seats):
            assert len(places.rivers[i]) == len(seat.river)
            for tile, index in zip(seat.river, places.rivers[i], strict=True):
                assert index is not None
                record = session.log[index]
                assert isinstance(record, Discard) and record.tile == tile and record.seat == "ESWN"[i]
                seen += 1
            assert len(places.melds[i]) == len(seat.melds)
            for meld, index in zip(seat.melds, places.melds[i], strict=True):
                assert index is not None
                claim = session.log[index]
                assert isinstance(claim, (Peng, Gang)) and claim.tile == meld.tile
                kind = claim.kind if isinstance(claim, Gang) else "peng"
                assert (kind, claim.seat) == (meld.kind, "ESWN"[i])
    assert seen > 500


def test_a_rewritten_log_names_the_new_records() -> None:
    session = Session()
    events = simulate("pzh-popular", seed=4, hands=1)
    session.update(0, events[:40])
    first = session.places
    session.update(20, events[20:40])
    assert session.places == first
