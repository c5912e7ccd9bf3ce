"""The timeline against the log it acts out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pzvision.game.events import (
    Deal,
    Declare,
    Discard,
    Draw,
    Event,
    Gang,
    HandEnd,
    HandStart,
    Peng,
    Reveal,
    TailLamp,
    Win,
    format_event,
    read_log,
)
from pzvision.game.settle import settle_log
from pzvision.game.simulate import simulate
from pzvision.synth.placing import Plan
from pzvision.synth.timeline import Style, Timeline, build_timeline
from pzvision.synth.wall import wall_places
from pzvision.tiles import COPIES, KINDS, SEATS, Tile, parse_tiles

RULESETS = ("pzh-traditional", "pzh-popular", "xichang", "pzh-biankadiao-que")


def _kinds(timeline: Timeline, t: float, zone: str, seat: str | None = None) -> Counter[Tile]:
    tiles = timeline.truth_at(t).tiles
    return Counter(p.kind for p in tiles if p.zone == zone and (seat is None or p.seat == seat))


def _check_against_log(timeline: Timeline, source: Sequence[Event]) -> None:
    rivers: dict[str, Counter[Tile]] = {seat: Counter() for seat in SEATS}
    melds: dict[str, Counter[Tile]] = {seat: Counter() for seat in SEATS}
    last: tuple[str, Tile] | None = None
    events = timeline.events
    for index, (event, told) in enumerate(zip(events, source, strict=True)):
        assert type(event) is type(told)
        assert event.t is not None and event.frame == round(event.t * timeline.fps)
        t = event.t + 0.001
        match event:
            case Deal():
                assert event.tiles is None
            case Discard():
                rivers[event.seat][event.tile] += 1
                last = (event.seat, event.tile)
                assert _kinds(timeline, t, "river", event.seat) == +rivers[event.seat]
            case Peng() | Gang():
                own = {"peng": 3, "zhi_gang": 4, "an_gang": 4, "ba_gang": 1}
                count = own[event.kind if isinstance(event, Gang) else "peng"]
                if count in (3, 4) and not (isinstance(event, Gang) and event.kind == "an_gang"):
                    assert last is not None
                    rivers[last[0]][event.tile] -= 1
                melds[event.seat][event.tile] += count
                assert _kinds(timeline, t, "meld", event.seat) == +melds[event.seat]
            case TailLamp():
                assert _kinds(timeline, t, "tail_lamp") == Counter([event.tile])
            case Declare() if event.tiles:
                assert _kinds(timeline, t, "shown", event.seat) == Counter(event.tiles)
            case Win():
                shown = _kinds(timeline, t, "laid", event.seat) + _kinds(timeline, t, "shown", event.seat)
                assert event.hand is not None
                hand = Counter(event.hand)
                # several winners on one discard follow each other without another record between
                neighbours = [*events[index - 1 : index], *events[index + 1 : index + 2]]
                shared_tile = event.by != "self_draw" and any(
                    isinstance(e, Win) and e.by == event.by and e.tile == event.tile for e in neighbours
                )
                if not shared_tile:
                    hand[event.tile] += 1
                    if event.by == "discard" and last is not None:
                        rivers[last[0]][event.tile] -= 1
                    if event.by == "rob_kong":
                        next(m for m in melds.values() if m[event.tile] == 4)[event.tile] -= 1
                assert shown == hand
            case Reveal():
                assert event.hand is not None
                laid = _kinds(timeline, t, "laid", event.seat) + _kinds(timeline, t, "shown", event.seat)
                assert laid == Counter(event.hand)
            case _:
                pass


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_truth_follows_the_log(ruleset: str, seed: int) -> None:
    log = simulate(ruleset, seed=seed, hands=1, spice=0.3)
    style = Style(river="heap" if seed % 2 else "rows", an_gang="down" if seed == 3 else "up")
    timeline = build_timeline(log, seed=seed, style=style, near_seat=SEATS[seed])
    _check_against_log(timeline, log)


@pytest.mark.parametrize("seed", [1, 2])
def test_there_are_always_the_same_108_tiles(seed: int) -> None:
    timeline = build_timeline(simulate("pzh-traditional", seed=seed, hands=1), seed=seed)
    for t in np.linspace(0, timeline.duration, 60):
        kinds = Counter(p.kind for p in timeline.truth_at(float(t)).tiles)
        assert kinds == Counter(dict.fromkeys(range(KINDS), COPIES))


def test_times_never_go_back_and_hands_reach_the_moving_tile() -> None:
    timeline = build_timeline(simulate("pzh-popular", seed=4, hands=1), seed=4)
    times = [e.t or 0.0 for e in timeline.events]
    assert times == sorted(times) and times[-1] <= timeline.duration
    for event in timeline.events:
        if isinstance(event, Discard):
            truth = timeline.truth_at((event.t or 0.0) - 0.2)
            moving = [p for p in truth.tiles if p.moving and p.zone == "river"]
            assert len(moving) == 1
            hand = next(h for h in truth.hands if h.side == timeline.side_of(event.seat) and not h.left)
            assert not hand.resting
            assert np.hypot(hand.at[0] - moving[0].spot.x, hand.at[1] - moving[0].spot.y) < 14


@pytest.mark.parametrize("river", ["rows", "heap"])
def test_tiles_at_rest_do_not_lie_in_each_other(river: str) -> None:
    for seed in range(4):
        style = Style(river="heap" if river == "heap" else "rows")
        timeline = build_timeline(simulate("pzh-huoque", seed=seed, hands=1), seed=seed, style=style)
        tiles = [p for p in timeline.truth_at(timeline.duration - 0.1).tiles if not p.moving]
        spots = np.array([(p.spot.x, p.spot.y, p.spot.z) for p in tiles])
        gaps = np.linalg.norm(spots[:, None] - spots[None], axis=-1) + np.eye(len(tiles)) * 99
        assert gaps.min() > 1.6
        flat = [p for p in tiles if p.face_up and p.zone in ("river", "meld", "laid", "shown")]
        spots = np.array([(p.spot.x, p.spot.y) for p in flat])
        gaps = np.linalg.norm(spots[:, None] - spots[None], axis=-1) + np.eye(len(flat)) * 99
        assert gaps.min() > 2.2
        assert np.abs(spots).max() < timeline.plan.half


def test_several_hands_clear_the_table_between() -> None:
    log = simulate("pzh-popular", seed=2, hands=2)
    timeline = build_timeline(log, seed=2)
    starts = [e.t or 0.0 for e in timeline.events if isinstance(e, HandStart)]
    assert len(starts) == 2
    over = next(e.t or 0.0 for e in timeline.events if isinstance(e, HandEnd))
    between = [timeline.truth_at(over + k * 0.1) for k in range(int((starts[1] - over) * 10))]
    cleared = next(k for k, truth in enumerate(between) if not truth.tiles)
    between = between[cleared:]
    # then four walls of 108 tiles, face down, two dice, and the tiles dealt in blocks
    walls = next(truth for truth in between if len(truth.tiles) == KINDS * COPIES and truth.still)
    assert not any(p.face_up or p.standing for p in walls.tiles)
    thrown = [die for die in timeline.dice if over < die.t0 < starts[1]]
    assert len(thrown) == 2 and thrown[0].at(thrown[0].t1 + 1) is not None
    assert thrown[0].at(over) is None and thrown[0].at(starts[1] + 1) is None
    standing = [sum(p.standing for p in truth.tiles) for truth in between]
    assert standing[-1] == 53 and len(set(standing)) > 10
    assert {p.zone for p in timeline.truth_at(starts[1]).tiles} <= {"wall", "hand", "tail_lamp"}
    kinds = Counter(p.kind for p in timeline.truth_at(starts[1]).tiles)
    assert kinds == Counter(dict.fromkeys(range(KINDS), COPIES))


def test_a_player_makes_everybody_wait() -> None:
    log = list(simulate("pzh-popular", seed=2, hands=1))
    usual = build_timeline(log, seed=2)
    slow = build_timeline(log, seed=2, style=Style(breaks=2))
    assert usual.duration + 18 < slow.duration < usual.duration + 33
    times = [e.t or 0.0 for e in slow.events]
    assert sum(b - a > 8 for a, b in pairwise(times)) == 2


def test_the_same_seed_gives_the_same_timeline() -> None:
    log = simulate("pzh-popular", seed=2, hands=1)
    a, b, c = build_timeline(log, seed=5), build_timeline(log, seed=5), build_timeline(log, seed=6)
    assert a.truth_at(30.0) == b.truth_at(30.0) and a.events == b.events
    assert a.events != c.events


def test_changes_are_when_tiles_start_and_stop() -> None:
    timeline = build_timeline(simulate("pzh-popular", seed=2, hands=1), seed=2)
    times = timeline.changes()
    assert times == sorted(times)
    for a, b in list(pairwise(times))[:80]:
        if b - a > 0.05:
            early, late = timeline.truth_at(a + 0.01), timeline.truth_at(b - 0.01)
            assert [p.moving for p in early.tiles] == [p.moving for p in late.tiles]


@pytest.mark.parametrize(
    ("dice", "seat"),
    [((1, 4), "E"), ((1, 1), "S"), ((1, 2), "W"), ((1, 3), "N"), ((4, 5), "E"), ((6, 6), "N")],
)
def test_dice_choose_the_wall(dice: tuple[int, int], seat: str) -> None:
    # 5, 9 dealer; 2, 6, 10 the next seat; 3, 7, 11 opposite; 4, 8, 12 the seat before (S3)
    plan = Plan()
    places = wall_places(plan, "E", "E", dice)
    assert len(places) == 54
    side = SEATS.index(seat)  # type: ignore[arg-type]
    stacks = 14 if seat in "EW" else 13
    first = plan.wall(min(dice), 0, stacks).turned(side)
    assert places[0][0] == first


def test_a_log_without_hidden_tiles_works_too() -> None:
    log: list[Event] = [
        HandStart("pzh-popular", "E"),
        *(Deal(seat, None) for seat in SEATS),
        Discard("E", 4),
        Peng("S", 4),
        Discard("S", 9),
        Draw("W", None),
        Discard("W", 9),
        HandEnd(),
    ]
    timeline = build_timeline(log)
    t = timeline.duration
    assert _kinds(timeline, t, "meld", "S") == Counter({4: 3})
    assert _kinds(timeline, t, "river") == Counter({9: 2})
    assert len(timeline.truth_at(t).tiles) == 108


@pytest.mark.parametrize(
    ("tail", "message"),
    [
        ([Peng("S", 4)], "nothing was discarded"),
        ([Discard("E", 4), Peng("S", 5)], "not the last discard"),
        ([Discard("E", 26)], "has no 9p"),
        ([Gang("E", "ba_gang", 4)], "no peng of 5m"),
    ],
)
def test_contradictions_are_named(tail: list[Event], message: str) -> None:
    hands = ("11112222333345m", "5m111122223333s", "1111222233334p", "5556666777788p")
    deals = [
        Deal(s, tuple(sorted(parse_tiles(h)))[: 14 if s == "E" else 13])
        for s, h in zip(SEATS, hands, strict=True)
    ]
    with pytest.raises(ValueError, match=message):
        build_timeline([HandStart("pzh-popular", "E"), *deals, *tail])


def test_the_recorded_sample_can_be_acted_out(shared: Path) -> None:
    path = shared / "data" / "video" / "sample-1" / "log.jsonl"
    if not path.is_file():
        pytest.skip("no sample recording beside this checkout")
    log = [line.event for line in read_log(path.read_text("utf-8").splitlines())]
    _check_against_log(build_timeline(log), log)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_the_camera_sees_settles_as_the_whole_truth(ruleset: str) -> None:
    # declarations are in the log, so nothing that costs money is hidden
    for seed in range(4):
        log = simulate(ruleset, seed=seed, hands=1)
        timeline = build_timeline(log, seed=seed)
        seen = settle_log(format_event(e) for e in timeline.events)
        told = settle_log(format_event(e) for e in log)
        assert [r.totals for r in seen] == [r.totals for r in told]
