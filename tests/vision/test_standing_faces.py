from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pzvision.vision.calibration import Calibration, load
from pzvision.vision.standing import seen_from_behind, standing_share

SIZE = (1280, 720)
CALIBRATION = Calibration(SIZE, ((0.12, 0.95), (0.88, 0.95), (0.70, 0.20), (0.30, 0.20)), near_seat="W")


def face(x: float, y: float, *, standing: bool) -> np.ndarray:
    if standing:
        corners = [[x + a, y, z] for a, z in ((-1.3, 3.5), (1.3, 3.5), (1.3, 0.1), (-1.3, 0.1))]
    else:
        corners = [[x + a, y + b, 2.1] for a, b in ((-1.3, 1.7), (1.3, 1.7), (1.3, -1.7), (-1.3, -1.7))]
    return CALIBRATION.to_image(corners)


def test_only_the_near_player_shows_his_tiles() -> None:
    assert seen_from_behind(CALIBRATION) == ("W",)


@pytest.mark.parametrize("x", [-22.0, -8.0, 5.0, 12.0])
def test_standing_and_lying_faces_of_the_near_row(x: float) -> None:
    shares = standing_share(CALIBRATION, [face(x, -37.0, standing=True), face(x, -36.5, standing=False)])
    assert shares[0] > 0.7 and shares[1] < 0.3


def test_faces_elsewhere_lie() -> None:
    polygons = [
        face(0.0, 0.0, standing=True),
        face(0.0, 36.0, standing=True),
        face(36.0, -5.0, standing=True),
    ]
    assert standing_share(CALIBRATION, polygons).tolist() == [0.0, 0.0, 0.0]
    assert standing_share(CALIBRATION, np.zeros((0, 4, 2))).shape == (0,)


def test_faces_of_a_rendered_video(shared: Path) -> None:
    folder = shared / "data/video/sample-1"
    calibration = load(folder / "calibration.json")
    truth = json.loads((folder / "truth.json").read_text())
    stand = [f["polygon"] for c in truth["checkpoints"] for f in c["standing_faces"]]
    lie = [f["polygon"] for c in truth["checkpoints"] for f in c["face_up"]]
    assert standing_share(calibration, stand).min() > 0.5
    assert standing_share(calibration, lie).max() < 0.5
