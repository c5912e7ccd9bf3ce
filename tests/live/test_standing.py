"""A camera bumped in the middle of a game: the game waits, and goes on when the camera is set right."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from pzvision.live.standing import Standing
from pzvision.synth.cards import Card, corner_cards, lay_card
from pzvision.synth.placing import Plan
from pzvision.synth.room import CAMERAS, calibration_record, make_camera
from pzvision.synth.surfaces import lay, surface
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image
from pzvision.vision.detections import Detections
from pzvision.vision.shift import ShiftWatcher

SIZE = (960, 540)
PLAN = Plan()
CAMERA = make_camera(CAMERAS["front"], PLAN, SIZE)
CALIBRATION = Calibration.parse(calibration_record(CAMERA, PLAN, "E"))
TRUE = np.array(CALIBRATION.corners) * SIZE


def scene(cards: list[Card]) -> Image:
    """Floor, felt and some tiles-like blocks; with cards or without."""
    image = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    lay(image, CAMERA, surface("wood", 3), 140.0, z=-72.0, turn=0.4)
    felt = np.empty_like(image)
    lay(felt, CAMERA, surface("felt", 5), 45.0)
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(TRUE).astype(np.int32), 255)
    image[mask > 0] = felt[mask > 0]
    rng = np.random.default_rng(2)
    for x, y in rng.uniform(-36, 36, (50, 2)):
        corners = np.array([(x, y), (x + 2.7, y), (x + 2.7, y + 3.6), (x, y + 3.6)])
        px = np.round(CAMERA.project(np.column_stack([corners, np.full(4, 2.1)]))).astype(np.int32)
        cv2.fillConvexPoly(image, px, (225, 235, 235), cv2.LINE_AA)
        cv2.polylines(image, [px], True, (60, 80, 60), 1, cv2.LINE_AA)
        cv2.circle(image, tuple(int(v) for v in px.mean(axis=0)), 4, (40, 60, 190), -1, cv2.LINE_AA)
    for card in cards:
        lay_card(image, CAMERA, card)
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.8), np.uint8)


def moved(
    image: Image, dx: float, dy: float, turn: float = 0.002, zoom: float = 1.0
) -> tuple[Image, np.ndarray]:
    """The picture of a camera that looks a little elsewhere, and where the felt's corners are in it."""
    matrix = cv2.getRotationMatrix2D((SIZE[0] / 2, SIZE[1] / 2), float(np.degrees(turn)), zoom)
    matrix = np.asarray(matrix, np.float64) + np.array([[0, 0, dx], [0, 0, dy]])
    out = cv2.warpAffine(image, matrix, SIZE, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.uint8), TRUE @ matrix[:, :2].T + matrix[:, 2]


def seen(image: Image, seed: int, *, arm: float | None = None, light: float = 1.0) -> Image:
    """As the sensor has it: noise, maybe an arm across the table, maybe another light."""
    out = image.copy()
    if arm is not None:
        cv2.line(
            out, (int(80 + arm * 700), 539), (int(220 + arm * 400), 220), (90, 120, 190), 98, cv2.LINE_AA
        )
    noise = np.random.default_rng(seed % 5).integers(-4, 5, out.shape, np.int16)
    return np.asarray(np.clip(out * light + noise, 0, 255), np.uint8)


def test_arms_and_light_are_no_bump() -> None:
    watcher, image = ShiftWatcher(CALIBRATION), scene([])
    states = []
    for k in range(60):
        t = k * 0.25
        arm = (t - 3) / 4 if 3 <= t < 7 else None
        light = 0.6 if t >= 9 else 1.0
        states.append(watcher.look(seen(image, k, arm=arm, light=light), t, shaken=k == 36).state)
    assert set(states) == {"steady"}


@pytest.mark.parametrize(
    ("cards", "by", "away"),
    [(False, "scene", (4.0, -3.0)), (True, "cards", (4.0, -3.0)), (False, "scene", (15, 11))],
)
def test_a_bump_is_noticed_waited_out_and_set_right(cards: bool, by: str, away: tuple[float, float]) -> None:
    image = scene(corner_cards(PLAN.felt) if cards else [])
    after, corners = moved(image, *away)
    said: list[str] = []
    given: list[Calibration] = []
    standing = Standing(CALIBRATION, given.append, tell=said.append)
    ok: list[tuple[float, bool]] = []
    for k in range(60):
        t = k * 0.25
        ok.append((t, standing.look(seen(image if t < 6 else after, k), t)))
    assert all(good for t, good in ok if t < 6), "nothing is seen wrongly before the bump"
    blind = [t for t, good in ok if not good]
    assert 6 <= blind[0] < 7.0 and blind[-1] < 8.5, "noticed within a second, over within two and a half"
    assert len(given) == 1 and ("corner cards" if by == "cards" else "table itself") in said[-1]
    assert np.abs(np.array(given[0].corners) * SIZE - corners).max() < 1.2
    assert standing.state == "steady" and standing.health() == {}
    # What is seen under the new calibration is told in the old one's pixels.
    quad = np.array([[[450, 225], [472, 225], [472, 255], [450, 255]]], np.float32)
    probs = np.full((1, 29), 1 / 29, np.float32)
    new = Detections(quad + np.array(away, np.float32), probs, np.ones(1, np.float32), SIZE)
    assert np.abs(standing.to_base(new).polygons - quad).max() < 2.0


@pytest.mark.parametrize("arm", [None, 0.45])
@pytest.mark.parametrize(
    "away",
    [(3, 2, 0, 1), (40, -25, 0, 1), (110, 20, 0, 1), (0, 0, 0.05, 1), (0, 0, 0, 1.06), (20, 15, -0.04, 0.95)],
    ids=["a little", "far", "too far to be followed", "turned", "nearer", "all at once"],
)
def test_wherever_it_looks_now_the_table_lands_on_itself(
    away: tuple[float, float, float, float], arm: float | None
) -> None:
    image = scene([])
    after, corners = moved(image, *away)
    watcher = ShiftWatcher(CALIBRATION)
    found = None
    for k in range(28):
        picture = seen(image if k < 12 else after, k, arm=arm if k >= 10 else None)
        found = watcher.look(picture, k * 0.25, shaken=k == 12).calibration or found
        if found:
            break
    assert found is not None and 12 < k <= 20, "set right within two seconds"
    assert np.abs(np.array(found.corners) * SIZE - corners).max() < 1.2


def test_a_table_without_anything_on_it_to_hold_on_to_waits() -> None:
    image = scene([])
    outside = np.full(image.shape[:2], 255, np.uint8)
    wide = TRUE.mean(axis=0) + 1.15 * (TRUE - TRUE.mean(axis=0))
    cv2.fillConvexPoly(outside, np.round(wide).astype(np.int32), 0)
    image[outside == 0] = (70, 120, 60)
    image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.8), np.uint8)
    for x, y in np.random.default_rng(4).uniform((330, 200), (480, 260), (40, 2)):
        cv2.circle(image, (int(x), int(y)), 3, (230, 230, 235), -1, cv2.LINE_AA)  # in one quarter only
    after, _ = moved(image, 9.0, 6.0)
    said: list[str] = []
    given: list[Calibration] = []
    standing = Standing(CALIBRATION, given.append, tell=said.append, page=False)
    for k in range(40):
        standing.look(seen(image if k < 12 else after, k), k * 0.25)
    assert standing.blocked and not given, "the floor has moved, but where the table is is not certain"
    assert len(said) == 1 and "nothing is read from here" in said[0] and "table, 0:03." in said[0]


def test_a_view_that_is_another_one_waits_for_a_person() -> None:
    image = scene([])
    said: list[str] = []
    standing = Standing(CALIBRATION, lambda calibration: None, tell=said.append)
    other = np.ascontiguousarray(np.rot90(image, 2))
    for k in range(16):
        standing.look(seen(image, k), k * 0.25)
    results = [standing.look(seen(other, k), k * 0.25) for k in range(16, 48)]
    assert standing.blocked and not any(results[4:])
    assert standing.health()["state"] == "moved"
    assert len(said) == 1 and "/calibrate" in said[0]
    standing.recalibrated(replace(CALIBRATION, date="2026-11-30"))
    assert all(standing.look(seen(other, k), k * 0.25) for k in range(48, 56))
    assert standing.base.date == "2026-11-30"


def test_a_camera_put_back_goes_on_as_before() -> None:
    image = scene([])
    after, _ = moved(image, 6.0, 4.0)
    said: list[str] = []
    standing = Standing(CALIBRATION, None, tell=said.append)
    looks = [(k * 0.25, image if k < 16 or k >= 40 else after) for k in range(52)]
    good = [standing.look(seen(picture, k), t) for k, (t, picture) in enumerate(looks)]
    assert all(good[:16]) and not any(good[20:40]) and all(good[43:])
    assert standing.calibration is CALIBRATION
    assert "moved" in said[0] and "as before" in said[1]
