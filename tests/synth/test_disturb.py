"""What disturbs a recording: each is seen where and when it should be, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pzvision.game.simulate import simulate
from pzvision.synth.disturb import KINDS, Disturbance, draw_times, dropped
from pzvision.synth.faces import DrawnFaces
from pzvision.synth.room import CAMERAS, Room, make_camera
from pzvision.synth.timeline import Timeline, build_timeline
from pzvision.synth.video import Renderer

SIZE = (320, 180)


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    return build_timeline(simulate("pzh-popular", seed=2, hands=1), seed=2)


def picture(timeline: Timeline, t: float, *disturbances: Disturbance) -> np.ndarray:
    room = Room.random(3)
    room = replace(room, optics=replace(room.optics, noise=0.0))
    renderer = Renderer(
        replace(timeline, disturbances=disturbances),
        DrawnFaces("jade", 64),
        make_camera(CAMERAS["oblique"], timeline.plan, SIZE),
        room,
    )
    return renderer.frame(t).astype(int)


@pytest.mark.parametrize("kind", ["arm", "cup", "light", "bump"])
def test_it_is_seen_while_it_lasts(timeline: Timeline, kind: str) -> None:
    one = {
        "arm": Disturbance("arm", 20.0, 6.0, 1, (8.0, -5.0)),
        "cup": Disturbance("cup", 20.0, 6.0, 0, (18.0, -18.0)),
        "light": Disturbance("light", 20.0, 6.0, strength=0.6),
        "bump": Disturbance("bump", 20.0, 6.0, at=(16.0, 12.0), strength=0.004),
    }[kind]
    for t, share in ((15.0, 0.0), (23.0, 1.0), (27.0, 0.0)):
        difference = np.abs(picture(timeline, t, one) - picture(timeline, t)).max(axis=2)
        changed = float((difference > 12).mean())
        assert (changed > 0.002) == bool(share), (t, changed)
        if kind in ("arm", "cup"):
            assert changed < 0.25  # only there
        elif share:
            assert changed > 0.2


def test_light_gets_dark_by_its_strength(timeline: Timeline) -> None:
    dark = picture(timeline, 23.0, Disturbance("light", 20.0, 6.0, strength=0.5))
    assert 0.35 < dark.mean() / picture(timeline, 23.0).mean() < 0.7


def test_an_arm_comes_stays_and_goes(timeline: Timeline) -> None:
    arm = Disturbance("arm", 20.0, 6.0, 1, (8.0, -5.0))
    with_arm = replace(timeline, disturbances=(arm,))

    def hand(t: float) -> tuple[tuple[float, float, float], bool]:
        one = next(h for h in with_arm.truth_at(t).hands if h.left and h.side == 1)
        return one.at, one.resting

    assert hand(19.9)[1] and hand(26.1)[1] and hand(19.9)[0] == hand(26.1)[0]
    for t in (21.0, 23.0, 25.0):
        (x, y, _), resting = hand(t)
        assert not resting and np.hypot(x - 8, y + 5) < 1.5
    assert with_arm.truth_at(23.0).tiles == timeline.truth_at(23.0).tiles


def test_a_bump_leaves_the_camera_elsewhere(timeline: Timeline) -> None:
    bump = Disturbance("bump", 20.0, 1e9, at=(16.0, 0.0))
    still = picture(timeline, 40.0)
    moved = picture(timeline, 40.0, bump)
    expected = np.roll(still, 4, axis=1)  # 16 px of 1280
    assert np.abs(moved - expected)[:, 8:-8].mean() < np.abs(moved - still)[:, 8:-8].mean() / 3


def test_times_are_drawn_from_the_seed() -> None:
    drawn = draw_times(KINDS, 100.0, 4)
    assert drawn == draw_times(KINDS, 100.0, 4) != draw_times(KINDS, 100.0, 5)
    assert {d.kind for d in drawn} == set(KINDS)
    assert all(10 < d.t < 90 for d in drawn)
    drop = next(d for d in drawn if d.kind == "drop")
    assert dropped(drawn, drop.t + 2.5) and not dropped(drawn, drop.t + 5.1)
    # a cup is brought by a hand that comes before it and goes after it
    cup = next(d for d in drawn if d.kind == "cup")
    hand = next(d for d in drawn if d.kind == "arm" and d.at == cup.at)
    assert hand.t < cup.t < hand.t + hand.seconds
    with pytest.raises(ValueError, match="expected one of arm cup"):
        draw_times(["rain"], 100.0, 1)
