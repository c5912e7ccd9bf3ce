from __future__ import annotations

import cv2
import numpy as np
import pytest

from pzvision.vision.calibration import Calibration
from pzvision.vision.motion import MotionDetector, MotionMask

SIZE = (1280, 720)
CALIBRATION = Calibration(SIZE, ((0.12, 0.95), (0.88, 0.95), (0.70, 0.20), (0.30, 0.20)))
FELT, SKIN, IVORY = (60, 110, 40), (120, 160, 220), (225, 235, 240)


def picture(*patches: tuple[list[list[float]], tuple[int, int, int]]) -> np.ndarray:
    """A green table with coloured outlines (table cm, on the plane of the faces) on it."""
    image = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    felt = CALIBRATION.to_image([[-42.5, -42.5], [42.5, -42.5], [42.5, 42.5], [-42.5, 42.5]])
    cv2.fillPoly(image, [felt.round().astype(np.int32)], FELT)
    for outline, colour in patches:
        seen = CALIBRATION.to_image([[x, y, 2.1] for x, y in outline])
        cv2.fillPoly(image, [seen.round().astype(np.int32)], colour)
    return image


def tile(x: float, y: float) -> list[list[float]]:
    return [[x - 1.35, y - 1.8], [x + 1.35, y - 1.8], [x + 1.35, y + 1.8], [x - 1.35, y + 1.8]]


ARM_FROM_RIGHT = [[60.0, -4.0], [60.0, 6.0], [5.0, 3.0], [5.0, -2.0]]


def looks(*images: np.ndarray, step: float = 0.25) -> MotionMask:
    detector = MotionDetector(CALIBRATION)
    masks = [detector.look(image, step * i) for i, image in enumerate(images)]
    return masks[-1]


def test_an_arm_hides_what_lies_under_it_and_nothing_else() -> None:
    lying = (tile(10, 0), IVORY), (tile(-10, 0), IVORY)
    mask = looks(picture(*lying), picture(*lying), picture(*lying, (ARM_FROM_RIGHT, SKIN)))
    hidden = mask.hidden_share([[10, 0], [-10, 0]])
    assert hidden[0] > 0.9 and hidden[1] < 0.1
    assert not mask.shaken


def test_an_arm_that_rests_stays_hidden_until_it_has_long_been_there() -> None:
    empty, arm = picture(), picture((ARM_FROM_RIGHT, SKIN))
    assert looks(empty, *[arm] * 6).hidden_share([[10, 0]])[0] > 0.9
    assert looks(empty, *[arm] * 20).hidden_share([[10, 0]])[0] < 0.1


def test_a_tile_taken_away_bares_the_felt_at_once() -> None:
    there, gone = picture((tile(10, 0), IVORY)), picture()
    mask = looks(*[there] * 14, gone, gone)
    assert mask.bare_share([[10, 0]])[0] > 0.9
    assert mask.hidden_share([[10, 0]])[0] < 0.1


def test_a_moving_arm_tells_the_side_it_came_from() -> None:
    mask = looks(picture(), picture((ARM_FROM_RIGHT, SKIN)))
    assert mask.reach([6, 0]).tolist() == pytest.approx([0, 1, 0, 0])
    assert mask.reach([-30, -30]).sum() == 0


def test_an_arm_of_the_felt_s_colour_is_one_arm_though_only_bits_of_it_show() -> None:
    bits = [
        ([[x, -3.0], [x + 4.0, -3.0], [x + 4.0, 3.0], [x, 3.0]], SKIN)
        for x in (5.0, 12.0, 19.0, 26.0, 33.0, 40.0)
    ]
    mask = looks(picture(), picture(*bits))
    near, right, far, left = mask.reach([6, 0])
    assert 0.3 < right < 0.5 and near == far == left == 0  # less than a whole arm counts


def test_a_change_of_the_light_is_no_hand() -> None:
    bright = cv2.convertScaleAbs(picture(), alpha=1.5)
    mask = looks(picture(), picture(), bright)
    assert mask.shaken
    assert not looks(picture(), picture(), bright, bright).hidden_share([[0, 0]])[0] > 0.1
