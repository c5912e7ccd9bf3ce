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
LONG = list(simulate("pzh-popular", seed=6, hands=20))
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


def test_old_hands_are_packed_away() -> None:
    session = played(EVENTS)
    assert len(STARTS) == 7
    assert session.recent == EVENTS[STARTS[4] :], "the running hand and two before are whole"
    assert [hand.number for hand in session._old] == [1, 2, 3, 4]
    assert sum(hand.records.size for hand in session._old) < 40 * STARTS[4]
    fresh = Session()
    fresh.update(0, EVENTS)
    assert told(session) == told(fresh)
    again = Session()
    again.restore(EVENTS, [])
    assert told(session) == told(again)


def test_parts_of_the_log_can_be_asked_for() -> None:
    session = played(EVENTS)
    assert session.length == len(EVENTS)
    assert [session.record(i) for i in range(len(EVENTS))] == EVENTS
    for index in (0, 1, STARTS[1], STARTS[3] + 2, STARTS[4], STARTS[5] + 3, len(EVENTS)):
        assert session.since(index) == EVENTS[index:]
    hands = [sum(start <= i for start in STARTS) for i in range(len(EVENTS))]
    assert [session.hand_of(i) for i in range(len(EVENTS))] == hands
    assert session.time_of(STARTS[2] + 3) == EVENTS[STARTS[2] + 2].t
    for index in (-1, len(EVENTS)):
        with pytest.raises(IndexError):
            session.record(index)
    assert session.hand_records(3) == {n: r for n, r in session.hand_records().items() if n >= 3}


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
    for item in session.update(0, LONG).said:
        session.spoken(item)
    everything = session.announcement_records()
    assert len(everything) > 250 and session._said_before, "some are packed away"
    for newest in (1, 50, 150, 250, len(everything) + 5):
        assert session.announcement_records(newest) == everything[-newest:]


def test_something_said_long_ago_can_be_taken_back() -> None:
    session = Session()
    said = session.update(0, LONG).said
    for seq, item in enumerate(said):
        session.spoken(item, seq)
    first = said[3]
    assert session.retract(first) == 3 and session.retract(said[-1]) == len(said) - 1
    assert session.retract(first) is None, "once"
    gone = [record["seq"] for record in session.announcement_records() if record["retracted"]]
    assert gone == [3, len(said) - 1]
