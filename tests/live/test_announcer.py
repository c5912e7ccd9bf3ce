"""Each thing is said once; corrections take back what no longer holds and repeat nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pzvision.game import Discard, Event, HandEnd, parse_event, read_log
from pzvision.game.simulate import simulate
from pzvision.live.announcement import Announcement
from pzvision.live.session import Session
from pzvision.rules import ruleset_ids
from pzvision.tiles import parse_tiles


def hand(*records: dict[str, object]) -> list[Event]:
    return [parse_event(record) for record in records]


def said(events: list[Event]) -> list[Announcement]:
    session = Session()
    out: list[Announcement] = []
    for event in events:
        change = session.update(len(session.log), [event])
        assert not change.taken_back
        out += change.said
    return out


START = {"type": "hand_start", "ruleset": "pzh-traditional", "dealer": "E", "base": 2}
DEALT = [
    START,
    {"type": "deal", "seat": "E", "tiles": "1112223334m77s99p"},
    {"type": "deal", "seat": "S", "tiles": "44478m159s12589p"},
    {"type": "deal", "seat": "W", "tiles": None},
    {"type": "deal", "seat": "N", "tiles": None},
]


def test_dealer_ready_and_claimed_kong_with_its_price() -> None:
    out = said(hand(*DEALT, {"type": "discard", "seat": "E", "tile": "4m"}))
    assert [(a.kind, a.seat) for a in out] == [
        ("dealer", "E"),
        ("ready", "E"),
        ("kong_legal", "S"),
    ]
    ready, kong = out[1], out[2]
    assert ready.zh.startswith("东家听牌:胡七条、九筒")
    assert ready.en.startswith("East is ready: waits 7s9p")
    assert ready.tiles == tuple(parse_tiles("7s9p")) and ready.fan is not None and ready.fan >= 2
    assert kong.zh == "南家可以点杠四万,收东家4" and kong.fan == 2
    assert kong.en == "South may claim the kong of 4m, 4 from East"


def test_a_kong_stays_legal_but_is_said_once() -> None:
    records = [
        START,
        {"type": "deal", "seat": "E", "tiles": "1111m23456789s55p"},
        {"type": "deal", "seat": "S", "tiles": None},
        {"type": "discard", "seat": "E", "tile": "5p"},
        {"type": "draw", "seat": "S", "tile": None},
        {"type": "discard", "seat": "S", "tile": "9p"},
        {"type": "draw", "seat": "W", "tile": None},
        {"type": "discard", "seat": "W", "tile": "9p"},
        {"type": "draw", "seat": "N", "tile": None},
        {"type": "discard", "seat": "N", "tile": "9p"},
        {"type": "draw", "seat": "E", "tile": "3p"},
        {"type": "discard", "seat": "E", "tile": "3p"},
    ]
    kongs = [a for a in said(hand(*records)) if a.kind == "kong_legal"]
    assert [k.zh for k in kongs] == ["东家可以暗杠一万,收每家4"]


def test_unknown_hands_are_not_guessed() -> None:
    records = [
        START,
        {"type": "discard", "seat": "E", "tile": "4m"},
        {"type": "peng", "seat": "S", "tile": "4m"},
        {"type": "discard", "seat": "S", "tile": "1m"},
    ]
    assert [a.kind for a in said(hand(*records))] == ["dealer"]


def test_declaration_says_waits_and_what_they_forbid() -> None:
    records = [
        *DEALT[:1],
        {"type": "discard", "seat": "E", "tile": "4m"},
        {"type": "declare", "seat": "E", "declaration": "dance", "tiles": "1122m", "waits": "12m"},
    ]
    (dance,) = [a for a in said(hand(*records)) if a.kind == "ready"]
    assert dance.zh == "东家跳舞,听一万、二万,没唱没跳的不能打一万、二万"
    assert dance.tiles == (0, 1)


def test_sample_game_is_told(shared: Path) -> None:
    lines = (shared / "data/video/sample-1/log.jsonl").read_text(encoding="utf-8").splitlines()
    out = said([line.event for line in read_log(lines)])
    assert [a.kind for a in out if a.kind != "settlement"] == [
        *("dealer", "ready", "win", "ready", "win", "ready", "win", "dealer"),
    ]
    texts = [a.zh for a in out]
    assert "南家自摸四筒,胡了:杠上花 2,边卡吊 ×2 = 4,唱歌 ×2 = 8" in texts
    assert "东家、西家、北家付南家各16(杠上花)" in texts
    assert "本局结算:东家 -10 南家 +54 西家 -58 北家 +14" in texts
    assert texts[-1] == "下一局南家坐庄"


@pytest.mark.parametrize("ruleset", ruleset_ids())
def test_whole_games_are_told_in_both_languages_and_add_up(ruleset: str) -> None:
    events = simulate(ruleset, seed=11, hands=3, spice=0.5)
    session = Session()
    out: list[Announcement] = []
    for event in events:
        out += session.update(len(session.log), [event]).said
    assert sum(a.kind == "dealer" for a in out) >= 3
    assert all(a.zh and a.en and "{" not in a.zh + a.en for a in out)
    assert sum(session.totals.values()) == 0
    wins = sum(1 for state in session.final_states for _ in state.winners)
    assert sum(a.kind == "win" for a in out) == wins
    # Nothing is said twice in one hand.
    counts = Counter(a.key for a in out if a.kind != "settlement")
    assert max(counts.values()) == 1


@pytest.mark.parametrize("seed", range(12))
def test_corrections_repeat_nothing_and_take_back_what_fails(seed: int) -> None:
    """The log comes in pieces, some of them wrong and rewritten later."""
    random = Random(seed)
    truth = simulate("pzh-popular", seed=seed, hands=2, spice=0.4)
    session = Session()
    standing: Counter[tuple[object, ...]] = Counter()

    def update(keep: int, events: list[Event]) -> None:
        change = session.update(keep, events)
        for item in change.taken_back:
            assert standing[item.key] > 0, "took back what was not said"
            standing[item.key] -= 1
        for item in change.said:
            standing[item.key] += 1

    good = 0
    while good < len(truth):
        step = random.randrange(1, 12)
        if random.random() < 0.4:
            wrong = [_misread(event, random) for event in truth[good : good + step]]
            update(good, wrong)
            back = max(0, good - random.randrange(0, 6))
            update(back, truth[back : good + 1])
            good += 1
        else:
            update(good, truth[good : good + step])
            good += step
    assert session.log == truth
    assert +standing == Counter(a.key for a in said(truth))


def _misread(event: Event, random: Random) -> Event:
    if isinstance(event, Discard):
        return replace(event, tile=random.randrange(27))
    return event


def test_a_rewrite_that_changes_nothing_says_nothing() -> None:
    events = simulate("xichang", seed=3, hands=1)
    session = Session()
    session.update(0, events)
    change = session.update(10, events[10:])
    assert change.said == () and change.taken_back == ()


def test_keep_outside_the_log_is_refused() -> None:
    with pytest.raises(ValueError, match="keep"):
        Session().update(1, [HandEnd()])


def test_state_before_the_first_hand_is_empty() -> None:
    session = Session()
    session.update(0, [HandEnd()])
    assert session.state is None and session.hand == 0
    assert session.totals == {"E": 0, "S": 0, "W": 0, "N": 0}
