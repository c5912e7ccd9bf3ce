"""A long evening: states of hands long over are left out, and worked out anew where somebody changes them."""

from __future__ import annotations

import random

import pytest

from pzvision.errors import FormatError
from pzvision.game import Event, HandStart
from pzvision.game.simulate import simulate
from pzvision.live.session import Session
from pzvision.live.view import view_of

EVENTS = list(simulate("pzh-popular", seed=5, hands=7))
STARTS = [i for i, event in enumerate(EVENTS) if isinstance(event, HandStart)]


def told(session: Session) -> dict[str, object]:
    """All that can be seen of it, but for what was announced on the way."""
    return {
        **view_of(session),
        "announcements": None,
        "hands": session.hand_records(),
        "log": session.log,
        "places": session.places,
    }


def played(events: list[Event]) -> Session:
    session = Session()
    for i, event in enumerate(events):
        session.update(i, [event])
    return session


def test_most_states_are_left_out() -> None:
    session = played(EVENTS)
    whole = [i for i, step in enumerate(session._steps) if step.state is not None]
    assert len(STARTS) == 7
    assert [i for i in whole if i < STARTS[4]] == [start - 1 for start in STARTS[1:5]]
    assert all(i in whole for i in range(STARTS[4], len(EVENTS)))
    fresh = Session()
    fresh.update(0, EVENTS)
    assert told(session) == told(fresh)


@pytest.mark.parametrize("seed", range(12))
def test_a_change_long_ago_is_as_if_it_had_been_so(seed: int) -> None:
    chance = random.Random(seed)
    session, log = played(EVENTS), list(EVENTS)
    for _ in range(4):
        keep = chance.randrange(len(log))
        dropped = chance.randrange(0, 3)
        rest = log[keep + dropped :]
        change = session.update(keep, rest)
        log = [*log[:keep], *rest]
        fresh = Session()
        fresh.update(0, log)
        assert told(session) == told(fresh)
        if not dropped:
            assert change.said == change.taken_back == (), "what stands as before is not said again"


def test_a_change_that_cannot_be_leaves_a_long_evening_as_it_was() -> None:
    session = played(EVENTS)
    before = told(session)
    with pytest.raises(FormatError):
        session.update(STARTS[1] + 5, [HandStart("no such game", "E")])
    assert told(session) == before


def test_only_the_newest_announcements_are_asked_for() -> None:
    session = Session()
    for item in session.update(0, EVENTS).said:
        session.spoken(item)
    everything = session.announcement_records()
    assert len(everything) > 50 and session.announcement_records(50) == everything[-50:]
