"""The outliner's geometry, and what it does to outlines that are a little wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.synth.scenes import SceneConfig, random_scene
from pzvision.vision.detector import OUTLINER_FILE, DetectorConfig, TileDetector, find_model
from pzvision.vision.finder import Finds
from pzvision.vision.obb import overlaps
from pzvision.vision.outliner import CORNERS, Outliner, OutlinerConfig, from_unit, parallelograms, to_unit


def quads(count: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    turn = rng.uniform(-np.pi, np.pi, count)
    u = np.stack([np.cos(turn), np.sin(turn)], 1) * rng.uniform(6, 30, (count, 1))
    v = np.stack([-np.sin(turn), np.cos(turn)], 1) * rng.uniform(6, 30, (count, 1)) + 0.3 * u
    centre = rng.uniform(100, 500, (count, 2))
    return np.stack([centre - u - v, centre + u - v, centre + u + v, centre - u + v], 1).astype(np.float32)


def test_units_are_those_of_the_outline_and_lead_back() -> None:
    base = quads(40)
    assert np.allclose(to_unit(base, base), CORNERS, atol=1e-4)
    moved = base + np.random.default_rng(2).normal(0, 3, base.shape)
    assert np.allclose(from_unit(to_unit(moved, base), base), moved, atol=1e-2)
    twice = base.mean(axis=1, keepdims=True) + 2 * (base - base.mean(axis=1, keepdims=True))
    assert np.allclose(to_unit(twice, base), 2 * CORNERS, atol=1e-3)


def test_the_nearest_parallelogram_of_one_is_itself() -> None:
    base = quads(20, 3)
    assert np.allclose(parallelograms(base), base, atol=1e-3)
    slanted = base.copy()
    slanted[:, 2] += 4  # one corner pulled out
    near = parallelograms(slanted)
    assert np.allclose(near[:, 0] + near[:, 2], near[:, 1] + near[:, 3], atol=1e-2)
    assert np.abs(near - slanted).max() < 2.1


def test_units_of_a_line_are_finite() -> None:
    flat = np.zeros((2, 4, 2), np.float32)
    assert np.isfinite(to_unit(quads(2), flat)).all()


def test_another_model_is_refused() -> None:
    with pytest.raises(PzvisionError, match=r"finder\.onnx: does not set outlines right"):
        Outliner(find_model("finder.onnx"), threads=1, backend="onnxruntime")


def test_without_its_model_outlines_stay_as_they_were_found(tmp_path: Path) -> None:
    for name in ("finder.onnx", "reader.onnx"):
        (tmp_path / name).write_bytes(find_model(name).read_bytes())
    config = DetectorConfig(outliner=OutlinerConfig())
    detector = TileDetector(tmp_path, config=config, threads=1, backend="onnxruntime")
    assert len(detector.networks) == 2
    finds = Finds(quads(3), np.array([0.9, 0.8, 0.7], np.float32), np.zeros(3, np.int64))
    assert detector.set_right(np.zeros((600, 600, 3), np.uint8), finds) is finds


@pytest.fixture(scope="module")
def outliner() -> Outliner:
    return Outliner(find_model(OUTLINER_FILE), threads=1, backend="onnxruntime")


def test_wrong_outlines_come_nearer_to_the_tiles(outliner: Outliner) -> None:
    config = SceneConfig(layouts=(("game", 1.0),), tile_px=(24.0, 40.0), no_tiles=0.0, arms=0.0, hard=0.4)
    before, after = [], []
    for index in range(3):
        rng = np.random.default_rng([4, index])
        scene = random_scene(rng, size=(1280, 720), config=config)
        clear = (scene.visible > 0.9) & (scene.classes < 27)
        truth = parallelograms(scene.polygons[clear])
        edges = truth - np.roll(truth, 1, axis=1)
        side = np.linalg.norm(edges, axis=2).mean(axis=1)
        wrong = truth + rng.normal(0, 0.15, (len(truth), 1, 2)) * side[:, None, None]
        right, spread = outliner(scene.image, wrong)
        assert right.shape == wrong.shape and spread.shape == (len(wrong),) and (spread > 0).all()
        before.append(np.diag(overlaps(wrong.astype(np.float32), truth)))
        after.append(np.diag(overlaps(right, truth)))
    assert np.concatenate(before).size > 100
    assert np.concatenate(after).mean() > np.concatenate(before).mean() + 0.05


def test_no_outlines_and_a_plain_picture_are_no_trouble(outliner: Outliner) -> None:
    image = np.full((64, 80, 3), 90, np.uint8)
    none, spread = outliner(image, np.zeros((0, 4, 2), np.float32))
    assert none.shape == (0, 4, 2) and spread.shape == (0,)
    out, _ = outliner(image, quads(300))  # far outside, and more than one batch
    assert out.shape == (300, 4, 2) and np.isfinite(out).all()


def test_two_outlines_of_one_tile_become_one(outliner: Outliner) -> None:
    detector = TileDetector(threads=1, backend="onnxruntime")
    base = quads(1)
    both = Finds(np.concatenate([base, base + 1]), np.array([0.6, 0.9], np.float32), np.zeros(2, np.int64))
    once = detector.stages[0].once(both)
    assert len(once) == 1 and once.scores[0] == np.float32(0.9)
