"""What a told hand is worth against a misread one."""

import pytest

from pzvision.game.events import Declare, Discard, Event, Gang, Reveal, Win
from pzvision.table.story import _locked_hands
from pzvision.tiles import parse_tiles


def hand(text: str) -> tuple[int, ...]:
    return tuple(sorted(parse_tiles(text)))


TOLD = hand("1134579s444p345m")
BAI = Declare("E", "bai", TOLD, (16,))


@pytest.mark.parametrize(
    ("read", "after"),
    [
        (hand("1134569s444p345m"), TOLD),  # one tile misread
        (None, TOLD),  # not read at all
        (hand("99s11112233m777p"), hand("99s11112233m777p")),  # another hand: somebody is wrong, but who
    ],
)
def test_a_told_hand_mends_a_misread_one(read: tuple[int, ...] | None, after: tuple[int, ...]) -> None:
    events: list[Event] = [Discard("E", 0), BAI, Win("E", "self_draw", 16, read), Reveal("W", None)]
    assert _locked_hands(events, [BAI])[2:] == [Win("E", "self_draw", 16, after), Reveal("W", None)]


@pytest.mark.parametrize(
    "events",
    [
        [Win("E", "self_draw", 16, hand("1134569s444p345m")), BAI],  # told afterwards
        [BAI, Gang("E", "an_gang", 21), Win("E", "self_draw", 16, hand("1134569s345m"))],  # a kong since
        [
            Declare("E", "tian_jiao", TOLD, (16,)),  # does not lock
            Win("E", "self_draw", 16, hand("1134569s444p345m")),
        ],
    ],
)
def test_a_hand_that_is_not_locked_stays_as_read(events: list[Event]) -> None:
    assert _locked_hands(events, [e for e in events if isinstance(e, Declare)]) == events
