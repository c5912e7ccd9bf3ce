from __future__ import annotations

import cv2
import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.tiles import CLASSES
from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.detector import TileDetector
from pzvision.vision.finder import Finds
from pzvision.vision.fitting import cut_quad, join_halves
from pzvision.vision.tableview import TableDetector, TableView

SIZE = (1280, 720)
CALIBRATION = Calibration(SIZE, ((0.12, 0.95), (0.88, 0.95), (0.70, 0.20), (0.30, 0.20)))


def tile(x: float, y: float) -> np.ndarray:
    return np.array([[x - 1.3, y + 1.75], [x + 1.3, y + 1.75], [x + 1.3, y - 1.75], [x - 1.3, y - 1.75]])


def picture(*places: tuple[float, float]) -> np.ndarray:
    image = np.full((SIZE[1], SIZE[0], 3), 60, np.uint8)
    for x, y in places:
        seen = CALIBRATION.to_image([[a, b, 2.1] for a, b in tile(x, y)])
        cv2.fillPoly(image, [(seen * 16).round().astype(np.int32)], (250, 250, 250), shift=4)
    return image


def bright(image: np.ndarray) -> Detections:
    """A detector of bright outlines."""
    outlines, _ = cv2.findContours(
        (image[..., 0] > 150).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
    )
    quads = np.array([cv2.boxPoints(cv2.minAreaRect(o)) for o in outlines], np.float32).reshape(-1, 4, 2)
    count = len(quads)
    probs = np.full((count, CLASSES), 1 / CLASSES, np.float32)
    return Detections(quads, probs, np.ones(count, np.float32), (image.shape[1], image.shape[0]))


def test_tiles_near_and_far_have_one_size_from_above() -> None:
    view = TableView(CALIBRATION).warp(picture((0, -35), (0, 35)))
    areas = [cv2.contourArea(quad) for quad in bright(view).polygons]
    assert len(areas) == 2 and max(areas) < 1.25 * min(areas)
    assert view.shape[0] == view.shape[1] == 819


def test_the_size_of_a_face_from_above_is_known() -> None:
    table = TableView(CALIBRATION)
    areas = [cv2.contourArea(quad) for quad in bright(table.warp(picture((0, -35), (0, 35)))).polygons]
    assert np.sqrt(np.mean(areas)) == pytest.approx(table.tile_px, rel=0.08)


def test_outlines_come_back_in_the_picture() -> None:
    found = TableDetector(bright, CALIBRATION)(picture((10, -20), (-15, 25)))
    assert found.image_size == SIZE
    centres = CALIBRATION.to_table(found.polygons.mean(axis=1))
    order = np.argsort(centres[:, 1])
    assert np.allclose(centres[order], [[10, -20], [-15, 25]], atol=0.3)
    corners = CALIBRATION.to_table(found.polygons.reshape(-1, 2)).reshape(-1, 4, 2)[order]
    assert np.allclose(np.sort(corners[0], axis=0), np.sort(tile(10, -20), axis=0), atol=0.35)


def test_an_empty_table_and_a_wrong_size() -> None:
    detector = TableDetector(bright, CALIBRATION)
    assert len(detector(picture())) == 0
    with pytest.raises(PzvisionError, match="640 × 360"):
        detector(np.zeros((360, 640, 3), np.uint8))


@pytest.mark.parametrize(
    ("sides", "count"),
    [
        ((2.7, 3.6), 1),
        ((3.6, 2.7), 1),
        ((5.3, 3.5), 2),
        ((3.5, 5.3), 2),
        ((8.0, 3.7), 3),
        ((2.7, 7.1), 2),
        ((3.2, 3.2), 1),
    ],
)
@pytest.mark.parametrize("turn", [0.0, 0.6])
def test_outlines_of_several_tiles_are_cut(sides: tuple[float, float], count: int, turn: float) -> None:
    a, b = sides
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    quad = (np.array([[0, 0], [a, 0], [a, b], [0, b]]) @ spin.T).astype(np.float32)
    pieces = cut_quad(quad, 2.7, 3.6)
    assert len(pieces) == count
    assert sum(cv2.contourArea(p) for p in pieces) == pytest.approx(cv2.contourArea(quad), rel=1e-3)
    assert np.allclose(np.mean([p.mean(axis=0) for p in pieces], axis=0), quad.mean(axis=0), atol=1e-4)


def test_two_halves_are_one_tile() -> None:
    upper = np.array([[0, 0], [2.6, 0], [2.6, 1.8], [0, 1.8]], np.float32)
    lower = upper + np.array([0, 1.75], np.float32)
    whole = np.array([[10, 0], [12.7, 0], [12.7, 3.6], [10, 3.6]], np.float32)
    quads = np.stack([upper, whole, lower])
    finds = Finds(quads, np.array([0.6, 0.9, 0.5], np.float32), np.zeros(3, np.int64))
    joined = join_halves(finds, 2.7, 3.6)
    assert len(joined) == 2
    assert cv2.contourArea(joined.quads[0]) == pytest.approx(2.6 * 3.55, rel=0.02)
    assert np.array_equal(joined.quads[1], whole)
    apart = Finds(np.stack([upper, lower + 20]), finds.scores[:2], finds.classes[:2])
    assert len(join_halves(apart, 2.7, 3.6)) == 2


def test_standing_faces_are_not_lying_ones_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    calibration = Calibration((1280, 720), ((0.12, 0.95), (0.88, 0.95), (0.70, 0.20), (0.30, 0.20)))
    near = calibration.near_seat
    lies = calibration.from_seat(
        [[x, y] for x, y in ((-1.3, -35), (1.3, -35), (1.3, -38), (-1.3, -38))], near
    )
    stands = calibration.from_seat([[x, -37.0] for x in (6.7, 9.3, 9.3, 6.7)], near)
    solid = [
        np.column_stack([lies, np.full(4, 2.1)]),
        np.column_stack([stands, [3.5, 3.5, 0.1, 0.1]]),
    ]
    table = TableDetector(TileDetector(threads=1), calibration)
    view = table.view
    above = np.zeros((view.side, view.side, 3), np.uint8)
    flat = calibration.to_table(np.concatenate([calibration.to_image(q) for q in solid]), 2.1)
    half = calibration.half + view.config.margin_cm
    quads = (np.column_stack([flat[:, 0] + half, half - flat[:, 1]]) * view.config.px_per_cm).reshape(2, 4, 2)
    told: list[np.ndarray] = []

    def note(image: object, finds: Finds, *more: object) -> Finds:
        told.append(np.asarray(more[-1]))
        return finds

    monkeypatch.setattr("pzvision.vision.tableview.make_whole", note)
    table._made_whole(above, Finds(quads.astype(np.float32), np.ones(2, np.float32), np.zeros(2, np.int64)))
    assert told[0].tolist() == [False, True]
