from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.errors import FormatError, PzvisionError
from pzvision.vision.calibration import Calibration, load

SIZE = (1280, 720)
CORNERS = ((0.12, 0.95), (0.88, 0.95), (0.70, 0.20), (0.30, 0.20))


def camera(elevation: float, azimuth: float, distance: float, focal: float) -> np.ndarray:
    """(3, 4) projection of a pinhole camera that looks at the table's centre."""
    e, a = np.radians(elevation), np.radians(azimuth)
    eye = distance * np.array([np.sin(a) * np.cos(e), -np.cos(a) * np.cos(e), np.sin(e)])
    forward = -eye / np.linalg.norm(eye)
    right = np.cross(forward, [0, 0, 1])
    right = right / np.linalg.norm(right) if np.linalg.norm(right) > 1e-9 else np.array([1.0, 0, 0])
    down = np.cross(forward, right)
    turn = np.stack([right, down, forward])
    inner = np.array([[focal, 0, SIZE[0] / 2], [0, focal, SIZE[1] / 2], [0, 0, 1]])
    return inner @ np.column_stack([turn, -turn @ eye])


def project(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    seen = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return seen[:, :2] / seen[:, 2:]


def calibration_of(matrix: np.ndarray, **more: object) -> Calibration:
    h = 42.5
    corners = project(matrix, np.array([[-h, -h, 0], [h, -h, 0], [h, h, 0], [-h, h, 0]])) / SIZE
    return Calibration(SIZE, tuple((float(x), float(y)) for x, y in corners), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("elevation", "azimuth", "distance", "focal"),
    [(50, -17, 140, 900), (35, 5, 150, 1100), (75, 30, 130, 800), (89.9, 0, 160, 1200)],
)
def test_heights_project_as_the_true_camera_does(
    elevation: float, azimuth: float, distance: float, focal: float
) -> None:
    matrix = camera(elevation, azimuth, distance, focal)
    calibration = calibration_of(matrix)
    rng = np.random.default_rng(1)
    points = np.column_stack([rng.uniform(-40, 40, (50, 2)), rng.uniform(0, 5, 50)])
    true = project(matrix, points)
    limit = 1.0 if elevation < 80 else 8.0  # straight above, the corners do not say how far the camera is
    assert np.abs(calibration.to_image(points) - true).max() < limit
    flat = points[:, :2]
    for z in (0.0, 2.1, 4.2):
        seen = project(matrix, np.column_stack([flat, np.full(50, z)]))
        assert np.abs(calibration.to_table(seen, z) - flat).max() < (0.1 if elevation < 80 else 1.5)


def test_round_trip_through_the_plane_of_faces() -> None:
    calibration = calibration_of(camera(45, 10, 120, 950))
    points = np.array([[0.0, 0.0], [30.0, -37.0], [-12.0, 18.5]])
    seen = calibration.to_image(np.column_stack([points, np.full(3, 2.1)]))
    assert np.allclose(calibration.to_table(seen), points, atol=1e-6)


def test_lens_is_undone() -> None:
    matrix = camera(50, 0, 130, 900)
    inner = ((900.0, 0.0, 640.0), (0.0, 900.0, 360.0), (0.0, 0.0, 1.0))
    lens = (-0.12, 0.03, 0.001, -0.001, 0.0)
    turn, shift = cv2.Rodrigues(np.linalg.inv(np.array(inner)) @ matrix[:, :3])[0], None
    shift = np.linalg.inv(np.array(inner)) @ matrix[:, 3]
    h = 42.5
    square = np.array([[-h, -h, 0], [h, -h, 0], [h, h, 0], [-h, h, 0]])
    corners, _ = cv2.projectPoints(square, turn, shift, np.array(inner), np.array(lens))
    fractions = corners.reshape(-1, 2) / SIZE
    calibration = Calibration(
        SIZE, tuple((float(x), float(y)) for x, y in fractions), lens=lens, camera_matrix=inner
    )
    points = np.array([[10.0, -30.0, 2.1], [-20.0, 15.0, 0.0]])
    true, _ = cv2.projectPoints(points, turn, shift, np.array(inner), np.array(lens))
    assert np.abs(calibration.to_image(points) - true.reshape(-1, 2)).max() < 0.05
    assert np.abs(calibration.to_table(true.reshape(-1, 2)[:1]) - points[:1, :2]).max() < 0.01


def test_seats_go_counter_clockwise_from_the_near_one() -> None:
    calibration = Calibration(SIZE, CORNERS, near_seat="S")
    assert [calibration.seat_at(s) for s in ("near", "right", "far", "left")] == ["S", "W", "N", "E"]
    # W sits at the right edge: his own edge is x = +half, his right hand points away from the near player.
    assert np.allclose(calibration.to_seat([[42.5, 10.0]], "W"), [[10.0, -42.5]])
    for seat in ("E", "S", "W", "N"):
        points = np.array([[3.0, 7.0], [-20.0, 5.0]])
        assert np.allclose(calibration.from_seat(calibration.to_seat(points, seat), seat), points)


@pytest.mark.parametrize("name", ["c.toml", "c.json"])
def test_files_round_trip(tmp_path: Path, name: str) -> None:
    calibration = Calibration(
        SIZE,
        CORNERS,
        near_seat="N",
        lens=(0.1, 0.0, 0.0, 0.0, 0.0),
        camera_matrix=((900.0, 0.0, 640.0), (0.0, 900.0, 360.0), (0.0, 0.0, 1.0)),
        date="2026-11-29",
    )
    calibration.save(tmp_path / name)
    assert load(tmp_path / name) == calibration


def record(**changes: object) -> dict[str, object]:
    return {**Calibration(SIZE, CORNERS).format(), **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"colour": "red"}, "colour: unknown key"),
        ({"schema": 2}, "schema: 2"),
        ({"near_seat": "Q"}, "near_seat"),
        ({"tile_cm": [3.6, 2.7]}, "tile_cm"),
        ({"tile_cm": [3.6, 2.7, True]}, "tile_cm"),
        ({"table_cm": 0}, "table_cm"),
        ({"image_size": [1280.5, 720]}, "image_size"),
        ({"lens": [0, 0, 0, 0, 0]}, "camera_matrix"),
        ({"corners": [[0.1, 0.9], [0.9, 0.9], [0.7, 0.2]]}, "corners: expected 4 rows"),
        (
            {"corners": [[154, 684], [1126, 684], [896, 144], [384, 144]]},
            "near-left at (154, 684) is outside",
        ),
        ({"corners": [CORNERS[1], CORNERS[0], CORNERS[3], CORNERS[2]]}, "wrong order"),
        ({"corners": [CORNERS[2], CORNERS[3], CORNERS[0], CORNERS[1]]}, "near edge is above"),
        ({"corners": [CORNERS[0], CORNERS[2], CORNERS[1], CORNERS[3]]}, "edges cross"),
        ({"corners": [[0.1, 0.9], [0.9, 0.9], [0.4, 0.8], [0.3, 0.2]]}, "corners"),
        ({"corners": [[0.1, 0.9], [0.5, 0.9], [0.9, 0.9], [0.3, 0.2]]}, "on a line"),
        ({"corners": [[0.5, 0.55], [0.55, 0.55], [0.55, 0.5], [0.5, 0.5]]}, "of the picture"),
        ({"corners": [[0.5, 0.5], [0.5, 0.5], [0.7, 0.2], [0.3, 0.2]]}, "same point"),
    ],
)
def test_bad_files_are_refused_with_the_reason(changes: dict[str, object], words: str) -> None:
    with pytest.raises(FormatError) as caught:
        Calibration.parse(record(**changes))
    assert words in str(caught.value)


def test_load_names_the_file(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    with pytest.raises(PzvisionError, match=r"none\.toml"):
        load(missing)
    bad = tmp_path / "bad.toml"
    bad.write_text("corners = [")
    with pytest.raises(PzvisionError, match=r"bad\.toml"):
        load(bad)
    unknown = tmp_path / "unknown.json"
    unknown.write_text(json.dumps(record(zoom=3)))
    with pytest.raises(PzvisionError, match="zoom: unknown key"):
        load(unknown)


def test_other_picture_sizes() -> None:
    calibration = Calibration(SIZE, CORNERS)
    calibration.check_image_size(1280, 720)
    with pytest.raises(PzvisionError, match="1920 × 1080"):
        calibration.check_image_size(1920, 1080)
    half = calibration.scaled(640, 360)
    assert np.allclose(
        half.to_image([[3.0, 4.0, 2.1]]) * 2, calibration.to_image([[3.0, 4.0, 2.1]]), atol=1e-3
    )
    with pytest.raises(PzvisionError, match="another shape"):
        calibration.scaled(640, 480)


def test_seat_frame_of_a_rendered_video(shared: Path) -> None:
    folder = shared / "data/video/sample-1"
    calibration = load(folder / "calibration.json")
    truth = json.loads((folder / "truth.json").read_text())
    for check in truth["checkpoints"]:
        for tile in check["face_up"]:
            place = calibration.to_seat(calibration.to_table(tile["polygon"]).mean(axis=0), tile["seat"])[0]
            if tile["zone"] == "meld":
                assert abs(place[1] + 37.0) < 0.5 and place[0] > 10
    assert replace(calibration, near_seat="W").seat_at("right") == "N"
