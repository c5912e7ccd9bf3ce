"""Still parts of the table are not looked at again."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

import pzvision
from pzvision.tiles import CLASSES
from pzvision.vision.calibration import load
from pzvision.vision.detections import Detections
from pzvision.vision.detector import TileDetector
from pzvision.vision.finder import Finds
from pzvision.vision.gate import Gate, GateConfig, Glance
from pzvision.vision.obb import overlaps
from pzvision.vision.tableview import TableDetector

DEMO = Path(pzvision.__file__).parent / "live" / "demo"
CONFIG = GateConfig()


def view(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(60, 90, (800, 800, 3)).astype(np.uint8)


def test_the_first_look_takes_in_everything_and_a_still_table_nothing() -> None:
    gate = Gate(9.0)
    assert gate.look(view()) is None
    glance = gate.look(view(1))  # other noise
    assert glance is not None and glance.windows == () and not glance.area.any()


def test_a_change_is_looked_at_twice_and_then_stands() -> None:
    gate = Gate(9.0)
    gate.look(view())
    changed = view(1)
    changed[300:330, 500:524] = 240
    for look in range(3):
        glance = gate.look(changed)
        assert glance is not None
        centre = np.array([[512.0, 315.0], [100.0, 700.0]])
        assert glance.holds(centre).tolist() == [look < 2, False]
        assert len(glance.windows) == (1 if look < 2 else 0)
        for x, y, right, bottom in glance.windows:
            assert x <= 500 - 70 and y <= 300 - 70 and right >= 524 + 70 and bottom >= 330 + 70
            assert (right - x) % CONFIG.step_px == (bottom - y) % CONFIG.step_px == 0


def test_windows_hold_the_whole_area_and_its_surroundings() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        gate = Gate(9.0)
        gate.look(view())
        changed = view(1)
        for x, y in rng.integers(0, 780, (3, 2)):
            changed[y : y + 20, x : x + 20] = 255
        glance = gate.look(changed)
        if glance is None:
            continue
        held = np.zeros((800, 800), bool)
        for x, y, right, bottom in glance.windows:
            assert 0 <= x < right <= 800 and 0 <= y < bottom <= 800
            held[y:bottom, x:right] = True
        area = np.kron(glance.area, np.ones((glance.cell_px,) * 2, bool))[:800, :800]
        wide = cv2.dilate(area.astype(np.uint8), np.ones((61, 61), np.uint8)).astype(bool)
        assert held[wide].all()


def test_much_change_or_many_looks_take_in_everything() -> None:
    gate = Gate(9.0)
    gate.look(view())
    assert gate.look(255 - view()) is None
    seen = [gate.look(255 - view()) is None for _ in range(2 * CONFIG.whole_every)]
    assert sum(seen) == 2
    assert gate.look(np.zeros((400, 400, 3), np.uint8)) is None


def test_a_slow_change_adds_up() -> None:
    gate = Gate(9.0, GateConfig(whole_every=1000))
    held = []
    for step in range(8):
        dark = np.full((800, 800, 3), 80, np.uint8)
        dark[200:260, 200:260] -= np.uint8(3 * step)
        glance = gate.look(dark)
        held.append(glance is not None and bool(glance.holds(np.array([[230.0, 230.0]]))[0]))
    assert held[0] is False and any(held)


def frames(start: float, count: int) -> list[np.ndarray]:
    capture = cv2.VideoCapture(str(DEMO / "demo.mp4"))
    capture.set(cv2.CAP_PROP_POS_MSEC, start * 1000)
    out = []
    while len(out) < 2 * count:
        ok, image = capture.read()
        assert ok
        out.append(image)
    return out[::2]


def test_the_gated_detector_sees_what_the_whole_one_sees() -> None:
    detector = TileDetector(threads=1, backend="onnxruntime")
    calibration = load(DEMO / "calibration.json")
    whole = TableDetector(detector, calibration)
    gated = TableDetector(detector, calibration, gate=GateConfig())
    again = TableDetector(detector, calibration, gate=GateConfig())
    tiles = same = extra = 0
    for image in frames(24.0, 5):
        a, b, c = whole(image), gated(image), again(image)
        assert (b.polygons == c.polygons).all() and (b.probs == c.probs).all()
        sure = a[a.confidences > 0.85]
        alike = overlaps(sure.polygons, b.polygons)
        at = alike.argmax(axis=1)
        same += int(((alike.max(axis=1) > 0.5) & (b.class_ids[at] == sure.class_ids)).sum())
        tiles += len(sure)
        extra += int((overlaps(b[b.confidences > 0.85].polygons, a.polygons).max(axis=1) < 0.4).sum())
    assert tiles >= 100
    assert same / tiles >= 0.98 and extra / tiles <= 0.02


def test_a_tile_on_the_areas_edge_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outlines shake a little from look to look: a centre in the area may come to lie outside it."""
    detector = TileDetector(threads=1, backend="onnxruntime")
    calibration = load(DEMO / "calibration.json")
    gated = TableDetector(detector, calibration, gate=GateConfig())
    side = gated.view.side
    tile = np.array([[388, 434], [412, 434], [412, 466], [388, 466]], np.float32)  # its centre: (400, 450)
    beside = tile + np.array([60, 9], np.float32)  # a second one, outside the area at every look

    def seen(down: float, start: float = 0.0) -> Finds:
        """Both tiles, the first shaken ``down`` px, in a window from ``start`` px on."""
        quads = np.stack([tile + np.float32([0, down - start]), beside - np.float32([0, start])])
        return Finds(quads.astype(np.float32), np.full(2, 0.9, np.float32), np.zeros(2, np.int64))

    def named(image: np.ndarray, finds: Finds) -> Detections:
        probs = np.zeros((len(finds), CLASSES), np.float32)
        probs[:, 4] = 1
        return Detections(finds.quads, probs, finds.scores, (image.shape[1], image.shape[0]))

    area = np.zeros((-(-side // 9),) * 2, bool)
    area[40:50] = True  # down to y = 450: the first centre lies on its edge
    glance = Glance(((0, 300, side, 600),), area, 9)
    glances = iter([None, glance, glance])
    shaken = iter([0.4, -0.3])
    assert gated._gate is not None
    monkeypatch.setattr(gated._gate, "look", lambda view: next(glances))
    monkeypatch.setattr(detector, "name", named)
    monkeypatch.setattr(detector, "find", lambda image, px: seen(-0.4))
    monkeypatch.setattr(detector.stages[0], "look", lambda image, scale: seen(next(shaken), 300.0))
    image = np.zeros((*calibration.image_size[::-1], 3), np.uint8)
    assert [len(gated(image)) for _ in range(3)] == [2, 2, 2]


def test_other_detectors_are_not_gated() -> None:
    calls = []

    def other(image: np.ndarray) -> Detections:
        calls.append(image.shape)
        return Detections.empty((image.shape[1], image.shape[0]))

    detector = TableDetector(other, load(DEMO / "calibration.json"), gate=GateConfig())
    image = np.zeros((*load(DEMO / "calibration.json").image_size[::-1], 3), np.uint8)
    for _ in range(3):
        assert len(detector(image)) == 0
    assert len(calls) == 3


@pytest.mark.parametrize("side", [1, 8, 10, 100])
def test_views_of_any_size(side: int) -> None:
    gate = Gate(9.0)
    assert gate.look(np.zeros((side, side, 3), np.uint8)) is None
    gate.look(np.full((side, side, 3), 200, np.uint8))
