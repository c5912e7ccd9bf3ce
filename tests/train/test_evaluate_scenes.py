"""What is counted on rendered tables, and the report's plots."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("yaml")

from pzvision.synth.faces import DrawnFaces
from pzvision.synth.looks import HELD_OUT
from pzvision.synth.scenes import Scene
from pzvision.tiles import BACK, CLASSES, OTHER
from pzvision.train.evaluate_scenes import counts, judge_table, mark_errors, table_figures, table_scene
from pzvision.train.plots import draw_confusion, draw_reliability, reliability
from pzvision.vision.detections import Detections


def square(x: float, y: float, w: float = 24.0, h: float = 32.0) -> np.ndarray:
    return np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], np.float32)


def scene(polygons: list[np.ndarray], classes: list[int], visible: list[float]) -> Scene:
    return Scene(
        np.zeros((200, 400, 3), np.uint8),
        np.array(polygons, np.float32),
        np.array(classes, np.int64),
        np.array(visible, np.float32),
    )


def found(polygons: list[np.ndarray], classes: list[int], score: float = 0.8) -> Detections:
    probs = np.zeros((len(classes), CLASSES), np.float32)
    probs[np.arange(len(classes)), classes] = 1.0
    scores = np.full(len(classes), score, np.float32)
    return Detections(np.array(polygons, np.float32).reshape(-1, 4, 2), probs, scores, (400, 200))


def test_hidden_tiny_and_flat_tiles_do_not_count() -> None:
    tiles = scene(
        [square(0, 0), square(50, 0), square(100, 0, 6, 8), square(150, 0, 5, 60)], [0] * 4, [1, 0.5, 1, 1]
    )
    assert counts(tiles).tolist() == [True, False, False, False]


def test_right_misnamed_missed_stray_and_excused() -> None:
    places = [square(60 * k, 10) for k in range(5)]
    truth = scene(places, [0, 1, 2, OTHER, 3], [1, 1, 1, 1, 0.4])
    seen = found([places[0], places[1], square(300, 100), places[3], places[4]], [0, 9, 5, OTHER, 3])
    result = judge_table(truth, seen, "harbour", (0, 0))
    assert result.truth.tolist() == [0, 1, 2, OTHER]
    assert result.named.tolist() == [True, False, False, True]
    assert result.called.tolist() == [0, 9, -1, OTHER]
    # the misnamed and the stray find are wrong; the one on the half hidden tile is neither
    assert sorted(result.right.tolist()) == [False, False, True]
    assert result.errors == 4
    f = table_figures([result])
    assert (f.tiles, f.recall, f.precision, f.exact) == (3, pytest.approx(1 / 3), pytest.approx(1 / 3), 0.0)
    marked = mark_errors(truth, seen)
    assert marked[10, 70].any() and not marked[10, 10].any()


def test_nothing_found_and_nothing_there() -> None:
    truth = scene([square(0, 0)], [4], [1.0])
    assert judge_table(truth, found([], []), "x", (0, 0)).errors == 1
    nothing = scene([], [], [])
    nothing = Scene(nothing.image, np.zeros((0, 4, 2), np.float32), nothing.classes, nothing.visible)
    assert judge_table(nothing, found([square(0, 0)], [4]), "x", (0, 0)).errors == 1
    assert judge_table(nothing, found([square(0, 0)], [BACK]), "x", (0, 0)).errors == 0


def test_a_table_of_a_held_out_look_has_at_least_sixty_faces() -> None:
    faces = DrawnFaces(HELD_OUT["harbour"], 96)
    scenes = [table_scene(faces, (1, k)) for k in range(6)]
    some = [s for s in scenes if s is not None]
    assert some and all((counts(s) & (s.classes != BACK)).sum() >= 60 for s in some)


def test_reliability_of_a_detector_that_knows_itself_and_of_one_that_boasts(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sure = rng.uniform(0, 1, 20_000)
    honest = reliability(sure, rng.uniform(0, 1, 20_000) < sure)
    boasting = reliability(sure, rng.uniform(0, 1, 20_000) < sure / 2)
    assert honest.error < 0.02 < 0.2 < boasting.error
    assert int(honest.counts.sum()) == 20_000
    out = tmp_path / "r.png"
    draw_reliability({"honest": honest, "boasting": boasting}, out)
    picture = cv2.imread(str(out))
    assert picture is not None and picture.shape[1] > 600
    assert reliability(np.zeros(0), np.zeros(0, bool)).error == 0.0


def test_a_confusion_matrix_marks_the_diagonal_and_errors_differently(tmp_path: Path) -> None:
    out = tmp_path / "c.png"
    draw_confusion({(0, 0): 40, (0, 5): 3, (1, -1): 2}, out)
    picture = cv2.imread(str(out)).astype(int)
    right, wrong = picture[34 + 3, 34 + 14], picture[34 + 3, 34 + 5 * 17 + 14]
    assert right[0] > right[2] + 30 and wrong[2] > wrong[0] + 30  # blue and red
