"""The standing tiles of one player in the picture of a camera behind or before him."""

from __future__ import annotations

import numpy as np
import pytest

from pzvision.game.simulate import simulate
from pzvision.synth.camera import Camera
from pzvision.synth.faces import DrawnFaces
from pzvision.synth.room import Room
from pzvision.synth.timeline import Timeline, build_timeline
from pzvision.synth.video import Renderer
from pzvision.tiles import BACK, CLASSES, format_tile, parse_tile
from pzvision.vision.detections import Detections
from pzvision.vision.hand_row import hand_row

SIZE = (960, 540)
EYES = {
    "over the shoulder": ((6.0, -85.0, 42.0), (0.0, -36.0, 3.0), 900.0),
    "beside him": ((38.0, -82.0, 30.0), (0.0, -36.0, 3.0), 900.0),
    "low on the rim": ((0.0, -75.0, 14.0), (0.0, -36.0, 2.0), 560.0),
}


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    return build_timeline(simulate("pzh-popular", seed=21, hands=1, dealer="E"), near_seat="E", seed=1)


def seen(timeline: Timeline, eye: str, t: float) -> tuple[Detections, list[str]]:
    """Every face the camera sees, shuffled; and the near hand from its left."""
    place, target, focal = EYES[eye]
    camera = Camera.look_at(place, target, focal, SIZE)
    renderer = Renderer(timeline, DrawnFaces("jade"), camera, Room.random(3), 3)
    record = renderer.truth_record(t)
    rows = [*record["face_up"], *record["standing_faces"]]
    inside = [row for row in rows if row["visible"] > 0.3 and _within(np.array(row["polygon"]).mean(axis=0))]
    np.random.default_rng(4).shuffle(inside)
    probs = np.full((len(inside), CLASSES), 0.05 / (CLASSES - 1), np.float32)
    probs[np.arange(len(inside)), [parse_tile(row["tile"]) for row in inside]] = 0.95
    quads = np.array([row["polygon"] for row in inside], np.float32)
    hand = [row for row in record["standing_faces"] if row["seat"] == "E" and row["zone"] == "hand"]
    hand.sort(key=lambda row: float(np.mean([p[0] for p in row["polygon"]])))
    return Detections(quads, probs, np.full(len(inside), 0.9, np.float32), SIZE), [r["tile"] for r in hand]


def _within(point: np.ndarray) -> bool:
    return bool((point > 0).all() and (point < SIZE).all())


@pytest.mark.parametrize("eye", sorted(EYES))
def test_the_hand_is_read_in_order_whatever_else_is_seen(timeline: Timeline, eye: str) -> None:
    for t in (4.0, timeline.duration * 0.6):
        detections, hand = seen(timeline, eye, t)
        row = hand_row(detections)
        assert len(detections) >= len(hand) >= 7
        assert [format_tile(int(k)) for k in row.probs.argmax(axis=1)] == hand


def test_backs_twins_and_nothing() -> None:
    quads = np.array([[[x, 100], [x + 30, 100], [x + 30, 140], [x, 140]] for x in (50, 82, 84, 114, 220)])
    probs = np.full((5, CLASSES), 0.5 / (CLASSES - 1), np.float32)
    probs[np.arange(5), [3, 5, 6, BACK, 8]] = 0.5
    scores = np.array([0.9, 0.8, 0.7, 0.9, 0.9], np.float32)
    row = hand_row(Detections(quads.astype(np.float32), probs, scores, SIZE))
    assert row.probs.argmax(axis=1).tolist() == [3, 5], "no less sure twin, back or far tile"
    assert len(hand_row(Detections.empty(SIZE))) == 0
    turned = Detections(np.roll(quads[:2], 2, axis=1).astype(np.float32), probs[:2], scores[:2], SIZE)
    assert hand_row(turned).probs.argmax(axis=1).tolist() == [3, 5], "read upside down the order stays"
