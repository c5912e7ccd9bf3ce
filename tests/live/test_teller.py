"""What waits before it is said, and what never needs saying."""

from __future__ import annotations

import json
from dataclasses import replace

from pzvision.game import Discard, Event, HandEnd, HandStart, Win, parse_event
from pzvision.live.announcement import Announcement, Correction
from pzvision.live.hub import Hub
from pzvision.live.teller import Said, Teller
from pzvision.table.doubts import Doubt
from pzvision.tiles import parse_tiles

LOG = [
    parse_event(record)
    for record in (
        {"type": "hand_start", "ruleset": "pzh-popular", "dealer": "E"},
        {"type": "discard", "seat": "E", "tile": "4m", "t": 2.0},
        {"type": "draw", "seat": "S", "tile": None, "t": 3.0},
        {"type": "win", "seat": "S", "by": "self_draw", "tile": "5m", "hand": None, "t": 4.0},
    )
]


def read(win: Event, hand: str, tile: int = 4) -> Event:
    assert isinstance(win, Win)
    return replace(win, hand=tuple(parse_tiles(hand)), tile=tile)


def teller() -> tuple[Teller, list[Said]]:
    said: list[Said] = []
    return Teller(on_said=said.append), said


def kinds(said: list[Said]) -> list[str]:
    return [item.kind if not isinstance(item, Correction) else "correction" for item in said]


def test_a_win_whose_hand_is_still_laid_down_waits_for_it() -> None:
    telling, said = teller()
    telling.change(0, LOG, 4.0)
    assert kinds(said) == ["dealer"]
    telling.say_held(5.0, (), 0)
    assert kinds(said) == ["dealer"]
    telling.change(3, [read(LOG[3], "123m456789s1155p", tile=20)], 5.5)
    telling.say_held(9.0, (), 0)
    # Five pairs short: 1155p and 3p do not win, so the win is void and only that is said.
    assert "correction" not in kinds(said)


def test_a_read_win_is_said_when_it_has_stood_for_a_moment() -> None:
    telling, said = teller()
    telling.change(0, LOG, 4.0)
    telling.change(3, [read(LOG[3], "46m123456789s55p")], 5.0)
    telling.say_held(5.5, (), 0)
    assert kinds(said) == ["dealer"]
    telling.say_held(5.8, (), 0)
    assert kinds(said) == ["dealer", "win", "settlement"]
    telling.say_held(60.0, (), 0)
    assert kinds(said) == ["dealer", "win", "settlement"]


def test_a_hand_read_wrongly_for_a_moment_is_never_said() -> None:
    telling, said = teller()
    telling.change(0, [*LOG[:3], read(LOG[3], "46m123456789s55p")], 4.0)
    telling.say_held(4.25, (), 0)
    right = read(LOG[3], "55m123456789s46p", tile=22)
    telling.change(3, [right], 4.5)
    telling.say_held(5.5, (), 0)
    assert kinds(said) == ["dealer", "win", "settlement"]
    assert said[1].text("zh").startswith("南家自摸五筒")


def test_money_is_never_told_before_the_win_it_follows() -> None:
    telling, said = teller()
    telling.change(0, [*LOG[:3], read(LOG[3], "46m123456789s55p"), HandEnd(t=5.0)], 5.0)
    assert kinds(said) == ["dealer"]
    telling.say_held(6.0, (), 0)
    assert kinds(said)[:3] == ["dealer", "win", "settlement"]
    assert said[-1].text("zh").startswith("下一局") or said[-1].text("zh").startswith("本局")


def test_what_is_taken_back_and_said_again_at_once_is_said_once() -> None:
    telling, said = teller()
    win = read(LOG[3], "46m123456789s55p")
    telling.change(0, [*LOG[:3], win], 4.0)
    telling.say_held(5.0, (), 0)
    telling.change(3, [], 6.0)
    telling.say_held(6.5, (), 0)
    telling.change(3, [win], 6.75)
    telling.say_held(60.0, (), 0)
    assert kinds(said) == ["dealer", "win", "settlement"]
    # and it can still be taken back
    telling.change(3, [], 61.0)
    telling.say_held(62.0, (), 0)
    assert kinds(said)[3:] == ["correction", "correction"]
    assert [r["retracted"] for r in telling.session.announcement_records()] == [False, True, True]


def test_a_person_s_word_changes_at_once_what_is_said() -> None:
    telling, said = teller()
    telling.change(0, [*LOG[:3], read(LOG[3], "46m123456789s55p")], 4.0, at_once=True)
    telling.change(3, [Discard("S", 4, t=4.0)], 4.0, at_once=True)
    assert kinds(said) == ["dealer", "win", "settlement", "correction", "correction"]


def test_a_win_that_stays_unread_is_said_after_a_while() -> None:
    telling, said = teller()
    telling.change(0, LOG, 4.0)
    telling.say_held(7.1, (), 0)
    assert kinds(said) == ["dealer", "win"]
    assert "牌没看全" in said[-1].text("zh")


def test_a_wrong_win_is_taken_back_once() -> None:
    hub = Hub()
    said: list[Said] = []
    telling = Teller(hub=hub, on_said=said.append)
    telling.change(0, [*LOG[:3], read(LOG[3], "46m123456789s55p")], 4.0)
    telling.say_held(5.0, (), 0)
    telling.change(3, [Discard("S", 4, t=4.0)], 6.0)
    telling.say_held(7.0, (), 0)
    assert kinds(said) == ["dealer", "win", "settlement", "correction", "correction"]
    assert said[3].text("zh").startswith("更正,刚才这句不算:南家自摸五万")
    records = [json.loads(r.text) for r in hub.since(0)[0]]
    assert [r["type"] for r in records if r["type"] == "rewrite"] == ["rewrite"]
    assert next(r for r in records if r["type"] == "rewrite")["keep"] == 3
    shown = telling.session.announcement_records()
    assert [r["retracted"] for r in shown] == [False, True, True]


def test_a_doubt_is_said_once_and_only_if_it_lasts() -> None:
    telling, said = teller()
    telling.change(0, LOG[:2], 2.0)
    doubt = Doubt(1, "E", (3, 12), 0.5)
    for now in (2.0, 2.4, 3.0):
        assert not telling.say_held(now, (doubt,), 0)
    assert telling.say_held(4.2, (doubt,), 0)
    assert not telling.say_held(5.0, (doubt,), 0)
    assert said[-1].text("zh") == "看不准:东家打的是四万还是四条?"
    assert said[-1].text("en") == "Not sure: did East discard 4m or 4s?"


def test_a_dealer_nobody_told_is_said_once_that_is_sure() -> None:
    said: list[Said] = []
    teller = Teller(on_said=said.append, dealer_known=False)
    teller.change(0, [HandStart("pzh-popular", "E"), Discard("E", 3, t=10.0)], 10.2)
    teller.say_held(12.0, [], 0)
    assert said == []
    # It was another player after all: what was never said is not taken back.
    teller.change(0, [HandStart("pzh-popular", "S"), Discard("S", 3, t=10.0)], 13.0)
    teller.say_held(24.0, [], 0)
    assert said == []
    teller.say_held(25.1, [], 0)
    assert [(item.kind, item.seat) for item in said if isinstance(item, Announcement)] == [("dealer", "S")]
    # A recording that ends too early for that says nothing of the dealer.
    said.clear()
    teller = Teller(on_said=said.append, dealer_known=False)
    teller.change(0, [HandStart("pzh-popular", "E"), Discard("E", 3, t=10.0)], 10.2)
    teller.change(2, [HandEnd(t=12.0)], 12.0)
    teller.say_held(float("inf"), [], 0)
    assert said and all(item.kind == "settlement" for item in said if isinstance(item, Announcement))
    told: list[Said] = []
    Teller(on_said=told.append).change(0, [HandStart("pzh-popular", "E")], 0.0)
    assert len(told) == 1


def test_a_breach_of_the_rules_is_said_only_when_it_stands_for_a_while() -> None:
    telling, said = teller()
    telling.change(0, [*LOG[:3], read(LOG[3], "123m456789s1155p", tile=20)], 4.0)
    telling.change(3, [read(LOG[3], "46m123456789s55p")], 4.5)
    telling.say_held(9.0, (), 0)
    assert kinds(said) == ["dealer", "win", "settlement"]
    telling, said = teller()
    telling.change(0, [*LOG[:3], read(LOG[3], "123m456789s1155p", tile=20)], 4.0)
    assert kinds(said) == ["dealer"]
    telling.say_held(6.1, (), 0)
    assert kinds(said) == ["dealer", "violation"]
