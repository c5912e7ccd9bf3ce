"""Printed tokens in rendered pictures: said once, by whom they lie before, whatever happens over them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pzvision.game import Declare
from pzvision.game.simulate import simulate
from pzvision.live.token_watch import TokenWatch
from pzvision.synth.cards import Card, CardRenderer, token_card
from pzvision.synth.disturb import Disturbance
from pzvision.synth.faces import DrawnFaces
from pzvision.synth.placing import Plan, Spot
from pzvision.synth.room import CAMERAS, Room, calibration_record, make_camera
from pzvision.synth.timeline import Timeline, build_timeline
from pzvision.tiles import CLASSES, OTHER, SEATS, Seat
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.motion import MotionDetector

SIZE = (1280, 720)
PLAN = Plan()
CAMERA = make_camera(CAMERAS["oblique"], PLAN, SIZE)
CALIBRATION = Calibration.parse(calibration_record(CAMERA, PLAN, "E"))
ROOM = replace(Room.random(5), felt=("felt", 2))


@pytest.fixture(scope="module")
def quiet() -> Timeline:
    """A table at which nobody does anything yet."""
    log = [e for e in simulate("pzh-popular", seed=7) if e.type in ("hand_start", "deal")]
    return replace(build_timeline(log, near_seat="E", seed=7), duration=60.0)


def before(seat: Seat, x: float, y: float) -> Spot:
    return Spot(x, y, 0.0, 0.0, 0.0).turned(SEATS.index(seat))


def declared(quiet: Timeline, cards: list[Card], arms: list[Disturbance], upto: float) -> list[Declare]:
    timeline = replace(quiet, disturbances=tuple(arms))
    renderer = CardRenderer(timeline, DrawnFaces("orange"), CAMERA, ROOM, 3, cards=cards)
    watch, motion = TokenWatch(CALIBRATION), MotionDetector(CALIBRATION)
    hand = object()
    out: list[Declare] = []
    for k in range(int(2 * upto)):
        image = renderer.frame(k / 2)
        mask = motion.look(image, k / 2)
        out += watch.look(k / 2, mask, hand, lambda: watch.seen([(image, CALIBRATION)]))  # noqa: B023
    return out


def test_all_six_are_read_in_pictures_upside_down_too(quiet: Timeline) -> None:
    kinds = ("sing", "dance", "alarm", "tian_jiao", "bai", "bao_ting")
    cards = []
    for number, kind in enumerate(kinds):
        seat = SEATS[number % 4]
        spot = before(seat, -33.0 if number < 4 else 31.0, -37.0)
        cards.append(token_card(kind, spot.x, spot.y, spot.yaw + np.pi * (number % 2) + 0.2, since=2.0))
    said = declared(quiet, cards, [], 5)
    assert {(d.seat, d.declaration) for d in said} == {(SEATS[n % 4], kind) for n, kind in enumerate(kinds)}
    assert len(said) == 6 and all(d.t == 2.0 for d in said)


def test_an_arm_that_rests_over_a_token_from_before_says_nothing(quiet: Timeline) -> None:
    spot = before("S", -30.0, -35.0)
    arm = Disturbance("arm", 3.0, 6.0, 1, (spot.x, spot.y))
    left = token_card("alarm", spot.x, spot.y, spot.yaw)
    assert declared(quiet, [left], [arm], 12) == []
    # Taken up and laid down again, it is said.
    taken, laid = replace(left, until=3.5), replace(left, since=8.0)
    assert [(d.seat, d.declaration) for d in declared(quiet, [taken, laid], [], 11)] == [("S", "alarm")]


def test_one_from_before_that_is_hard_to_see_is_not_new_when_it_is_seen_again() -> None:
    watch, motion = TokenWatch(CALIBRATION), MotionDetector(CALIBRATION)
    picture = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    mask = motion.look(picture, 0.0)
    covered = replace(mask, bare=np.zeros_like(mask.bare), _blurred={})
    there = (("alarm", -37.0, 33.0),)
    seen = [there, *[()] * 60, *[there] * 5]  # a tile laid against it breaks the marker's edge
    hand = object()
    assert not any(watch.look(float(t), covered, hand, lambda: seen[t]) for t in range(len(seen)))  # noqa: B023


def test_one_half_hidden_says_nothing_until_it_is_seen(quiet: Timeline) -> None:
    spot = before("N", -26.0, -35.0)  # behind the hand's last tiles, as the camera sees it
    free = before("N", -33.0, -37.0)
    hidden = token_card("bai", spot.x, spot.y, spot.yaw, since=2.0, until=6.0)
    seen = token_card("bai", free.x, free.y, free.yaw, since=6.0)
    said = declared(quiet, [hidden, seen], [], 9)
    assert [(d.seat, d.declaration, d.t) for d in said] == [("N", "bai", 6.0)]


def test_said_once_though_it_is_covered_and_moved(quiet: Timeline) -> None:
    spot = before("W", -30.0, -35.0)
    first = token_card("sing", spot.x, spot.y, spot.yaw, since=2.0, until=8.0)
    moved = token_card("sing", spot.x + 3, spot.y - 1, spot.yaw + 1, since=10.0)
    arms = [Disturbance("arm", t, 1.6, 2, (spot.x, spot.y)) for t in (1.2, 5.0, 9.2)]
    said = declared(quiet, [first, moved], arms, 14)
    assert [(d.seat, d.declaration) for d in said] == [("W", "sing")]
    assert said[0].t is not None and 2.0 <= said[0].t <= 3.5


def test_a_token_is_no_tile(quiet: Timeline) -> None:
    watch, motion = TokenWatch(CALIBRATION), MotionDetector(CALIBRATION)
    spot = before("S", -30.0, -35.0)
    places = np.array([(spot.x, spot.y, 0.0), (spot.x, spot.y, 0.0), (0.0, -12.0, 2.1)])
    half = np.array([(-1.3, 1.8), (1.3, 1.8), (1.3, -1.8), (-1.3, -1.8)])
    polygons = [
        CALIBRATION.to_image(np.column_stack([p[:2] + half, np.full(4, p[2])])).astype(np.float32)
        for p in places
    ]
    probs = np.full((3, CLASSES), 0.1 / (CLASSES - 1), np.float32)
    probs[[0, 1, 2], [OTHER, 4, OTHER]] = 0.9
    found = Detections(np.array(polygons), probs, np.ones(3, np.float32), SIZE)
    assert watch.without(found) is found
    image = CardRenderer(
        quiet, DrawnFaces("orange"), CAMERA, ROOM, cards=[token_card("sing", spot.x, spot.y, 1.0)]
    ).frame(0.0)
    watch.look(0.0, motion.look(image, 0.0), 1, lambda: watch.seen([(image, CALIBRATION)]))
    kept = watch.without(found)
    assert kept.class_ids.tolist() == [4, OTHER], "a face that lies on it is a tile, one elsewhere too"
    assert watch.without(found) is kept, "the very object, so nothing has changed"
