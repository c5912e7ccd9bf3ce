from __future__ import annotations

import numpy as np
import pytest

from pzvision.game.events import Draw, Event, Gang, HandStart, Leave, Reveal, TailLamp, Win
from pzvision.game.simulate import simulate
from pzvision.rules import Meld, load_ruleset
from pzvision.table.classes import read_classes
from pzvision.table.config import TableConfig
from pzvision.table.hypotheses import Act
from pzvision.table.merging import Line, merge_said
from pzvision.table.merging import consistent as consistent_lines
from pzvision.table.story import Hand, may_win, tell
from pzvision.table.tracks import Evidence, Track
from pzvision.tiles import CLASSES, format_tile, parse_tile, parse_tiles


def consistent(log: list[Event]) -> list[Event]:
    return [line.event for line in consistent_lines([Line(event) for event in log])]


def lamp_game() -> tuple[list[Event], int]:
    """A game in which a kong's replacement is a tail lamp, and that lamp's index."""
    for seed in range(1, 60):
        log = simulate("pzh-traditional", seed, 1, spice=0.5)
        kongs = [i for i, e in enumerate(log) if isinstance(e, Gang)]
        if kongs and isinstance(log[kongs[0] + 1], Draw) and any(isinstance(e, Win) for e in log):
            index = max(i for i, e in enumerate(log[: kongs[0]]) if isinstance(e, TailLamp))
            return log, index
    raise AssertionError("no such game")


def test_a_log_that_can_be_true_stays_as_it_is() -> None:
    log, _ = lamp_game()
    assert consistent(log) == log


def test_a_misread_lamp_that_cannot_be_is_left_open() -> None:
    log, index = lamp_game()
    kong = next(i for i in range(index, len(log)) if isinstance(log[i], Gang))
    four = log[kong].tile  # type: ignore[union-attr]
    wrong: list[Event] = list(log)
    wrong[index] = TailLamp(four, confidence=0.5)  # all four of it lie in the kong
    draw = wrong[kong + 1]
    wrong[kong + 1] = Draw(draw.seat, four)  # type: ignore[union-attr]
    mended = consistent(wrong)
    assert wrong[index] not in mended
    taken = [e for e in mended if isinstance(e, Draw) and e.tile == four]
    assert not taken
    rest = [e for e in wrong if e is not wrong[index] and e is not wrong[kong + 1]]
    assert [e for e in mended if not (isinstance(e, Draw) and e.tile is None)] == rest


@pytest.mark.parametrize(
    ("rules", "hand", "tile", "melds", "wins"),
    [
        ("pzh-traditional", "123m456m789m1155s9s", "9s", [], False),
        ("pzh-traditional", "123m456m789m11s555p", "5p", [], True),
        ("pzh-biankadiao-que", "123m456m789s11s555p", "5p", [], False),
        ("pzh-biankadiao-que", "123m456m789m11s555s", "5s", [], True),
        ("pzh-huoque", "456m789s11s", "1s", [Meld("peng", 20), Meld("peng", 21)], True),
        ("xichang", "55m", "5m", [Meld("peng", t) for t in (0, 9, 10, 18)], True),
    ],
)
def test_hands_that_may_win(rules: str, hand: str, tile: str, melds: list[Meld], wins: bool) -> None:
    act = Act("win", 0, 1.0, by="discard")
    assert may_win(load_ruleset(rules), parse_tiles(hand), melds, parse_tile(tile), act) is wins


def test_reveals_are_no_wins() -> None:
    log: list[Event] = [HandStart("xichang", "E"), Reveal("E", None)]
    assert consistent(log) == log


def lamp(number: int, kind: str, x: float) -> Act:
    probs = np.full(CLASSES, 0.002)
    probs[parse_tile(kind)] = 0.9
    evidence = Evidence()
    for _ in range(8):
        evidence.add(probs, 1.0, 0.004)
    at = np.array([x, 26.7])
    track = Track(number, at, np.array([0.0, 1.0]), float(number), 99.0, np.zeros((4, 2)), evidence)
    return Act("lamp", -1, float(number), (track,))


def kong(number: int, tracks: int) -> Act:
    backs = tuple(
        Track(tracks + i, np.zeros(2), np.array([0.0, 1.0]), float(number), 99.0, np.zeros((4, 2)))
        for i in range(4)
    )
    return Act("gang", 0, float(number), backs, gang="an_gang")


def kinds(acts: list[Act]) -> list[tuple[str, str | None]]:
    lines = tell(acts, read_classes(acts, TableConfig()), Hand(load_ruleset("pzh-traditional")))
    told = [line.event for line in lines]
    return [
        (e.type, None if e.tile is None else format_tile(e.tile))
        for e in told
        if isinstance(e, (Draw, TailLamp))
    ]


def test_the_tail_lamp_that_a_kong_took_is_gone_whether_the_next_is_seen_or_not() -> None:
    acts = [lamp(1, "3p", 0.0), kong(5, 100), Act("draw", 0, 6.0), kong(8, 200), Act("draw", 0, 9.0)]
    assert kinds(acts) == [("tail_lamp", "3p"), ("draw", "3p"), ("draw", None)]


def test_the_next_tail_lamp_may_be_of_the_same_kind() -> None:
    acts = [lamp(1, "3p", 0.0), kong(5, 100), lamp(7, "3p", 2.8), Act("draw", 0, 7.5)]
    acts += [kong(8, 200), Act("draw", 0, 9.0)]
    assert kinds(acts) == [("tail_lamp", "3p"), ("draw", "3p"), ("tail_lamp", "3p"), ("draw", "3p")]
    acts = [lamp(1, "3p", 0.0), kong(5, 100), Act("draw", 0, 6.0), lamp(7, "3p", 0.1)]  # found again
    assert kinds(acts) == [("tail_lamp", "3p"), ("draw", "3p")]
    acts = [lamp(1, "3p", 0.0), lamp(3, "3p", 0.1), kong(5, 100), Act("draw", 0, 6.0)]
    assert kinds(acts) == [("tail_lamp", "3p"), ("draw", "3p")]


def test_who_leaves_after_his_win_won_before_though_it_was_seen_later() -> None:
    lines = [Line(HandStart("xichang", "E", t=0.0)), Line(Win("S", "self_draw", 5, None, t=62.2))]
    told = [line.event.type for line in merge_said(lines, [Leave("S", t=61.9)])]
    assert told == ["hand_start", "win", "leave"]
    told = [line.event.type for line in merge_said(lines, [Leave("W", t=61.9)])]
    assert told == ["hand_start", "leave", "win"]
