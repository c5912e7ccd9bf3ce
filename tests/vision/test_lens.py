"""The lens by photos of the printed board, photographed by a camera whose lens is known."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.errors import PzvisionError
from pzvision.synth.camera import Camera
from pzvision.synth.placing import Plan
from pzvision.synth.room import felt_corners
from pzvision.vision.calibration import load
from pzvision.vision.capture import Image
from pzvision.vision.lens import BOARD_SQUARE_MM, BOARD_SQUARES, board, fit_lens

SIZE = (1280, 720)
MATRIX = np.array([[980.0, 0, 650], [0, 980.0, 350], [0, 0, 1]])
LENS = np.array([-0.16, 0.03, 0.0, 0.0, 0.0])
TILTS = [
    (0.5, 0.0),
    (-0.5, 0.1),
    (0.0, 0.55),
    (0.1, -0.5),
    (0.35, 0.35),
    (-0.3, 0.4),
    (0.0, 0.0),
    (-0.4, -0.4),
]


def photo(tilt: tuple[float, float], shift: tuple[float, float] = (0, 0), noise: float = 2.0) -> Image:
    """The board, held tilted (radians about x and y) 38 cm away, through the lens."""
    columns, rows = BOARD_SQUARES
    wide, tall = columns * BOARD_SQUARE_MM, rows * BOARD_SQUARE_MM
    flat = board().generateImage((columns * 60, rows * 60), marginSize=30, borderBits=1)
    flat = np.asarray(flat)
    scale = (flat.shape[1] - 60) / wide
    turn = cv2.Rodrigues(np.array([tilt[0], tilt[1], 0.1]))[0]
    # Every pixel's ray is met with the board's plane.
    grid = np.stack(np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1])), -1).reshape(-1, 1, 2)
    rays = cv2.undistortPoints(grid.astype(np.float64), MATRIX, LENS).reshape(-1, 2)
    rays = np.column_stack([rays, np.ones(len(rays))]) @ turn  # in the board's frame
    eye = -np.array([shift[0], shift[1], 380.0]) @ turn
    depth = -eye[2] / rays[:, 2]
    at = eye[:2] + rays[:, :2] * depth[:, None] + (wide / 2, tall / 2)
    maps = (at * scale + 30).astype(np.float32).reshape(SIZE[1], SIZE[0], 2)
    seen = cv2.remap(flat, maps[..., 0], maps[..., 1], cv2.INTER_AREA, borderValue=120)
    seen = cv2.GaussianBlur(seen, (0, 0), 0.8).astype(np.float64)
    seen = seen + np.random.default_rng(round(1000 * (2 + tilt[0]))).normal(0, noise, seen.shape)
    return np.asarray(cv2.merge([np.clip(seen, 0, 255).astype(np.uint8)] * 3), np.uint8)


@pytest.fixture(scope="module")
def photos() -> list[tuple[str, Image]]:
    shifts = [(0, 0), (90, 30), (-100, -30), (50, -40), (-60, 40), (110, -20), (-120, 20), (30, 40)]
    return [(f"{k}.png", photo(t, s)) for k, (t, s) in enumerate(zip(TILTS, shifts, strict=True))]


def test_the_lens_comes_back(photos: list[tuple[str, Image]]) -> None:
    blank = ("blank.png", np.full((SIZE[1], SIZE[0], 3), 100, np.uint8))
    lens = fit_lens([*photos, blank])
    assert lens.left_out == ("blank.png",) and len(lens.used) == len(photos)
    assert lens.error_px < 0.3
    assert lens.camera_matrix[0][0] == pytest.approx(980, rel=0.02)
    # What counts: where a table's corners are without distortion.
    points = np.array([[240.0, 120.0], [1040, 120], [1040, 600], [240, 600]]).reshape(-1, 1, 2)
    true = cv2.undistortPoints(points, MATRIX, LENS).reshape(-1, 2)
    found = cv2.undistortPoints(points, np.array(lens.camera_matrix), np.array(lens.coefficients)).reshape(
        -1, 2
    )
    assert np.abs(true - found).max() * 980 < 12
    half = lens.scaled(640, 360)
    assert half.camera_matrix[0][0] == pytest.approx(lens.camera_matrix[0][0] / 2)
    with pytest.raises(PzvisionError, match="one shape"):
        lens.scaled(640, 480)


def test_bad_photos_are_refused_with_the_reason(photos: list[tuple[str, Image]]) -> None:
    with pytest.raises(PzvisionError, match=r"seen in 2 of 2 photos, expected 4 or more"):
        fit_lens(photos[:2])
    with pytest.raises(PzvisionError, match=r"'small\.png': 640 × 360 px"):
        fit_lens([*photos, ("small.png", np.zeros((360, 640, 3), np.uint8))])
    alike = [(f"{k}.png", photo((0.01 * k, 0.0), (5 * k, 0))) for k in range(5)]
    with pytest.raises(PzvisionError, match="held the same way"):
        fit_lens(alike)
    bent = []
    for name, image in photos:
        shake = np.array([[0, 0], [1279, 0], [0, 719]], np.float32)
        to = shake + np.array([[0, 0], [int(name[0]) * 26 - 90, 60], [70 - int(name[0]) * 17, 0]], np.float32)
        bent.append(
            (name, np.asarray(cv2.warpAffine(image, cv2.getAffineTransform(shake, to), SIZE), np.uint8))
        )
    with pytest.raises(PzvisionError, match=r"reprojection error .* px"):
        fit_lens(bent)


def test_command_keeps_the_lens(
    photos: list[tuple[str, Image]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("board").mkdir()
    for name, image in photos:
        cv2.imwrite(f"board/{name}", image)
    cv2.imwrite("table.png", np.full((SIZE[1], SIZE[0], 3), 90, np.uint8))
    camera = Camera.look_at((0.0, -100.0, 110.0), (0.0, 0.0, 0.0), 980.0, SIZE)
    corners = [f"{x:.1f},{y:.1f}" for x, y in camera.project(felt_corners(Plan()))]
    words = ["calibrate", "table.png", "--corners", *corners, "--lens", "board", "--lang", "en"]
    assert main([*words, "--out", "a.toml"]) == 0
    assert "Lens: 8 photos" in capsys.readouterr().out
    made = load("a.toml")
    assert made.lens is not None and made.lens[0] < -0.1
    again = ["calibrate", "table.png", "--corners", *corners, "--lens", "a.toml", "--out", "b.toml"]
    assert main(again) == 0
    assert load("b.toml").lens == made.lens
    assert main([*words[:-3], "table.png", "--out", "c.toml"]) == 2
    assert "--lens: the board is seen in 0 of 1 photos" in capsys.readouterr().err
    assert not Path("c.toml").exists()
