"""Samples for the outliner, its network and its file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("ultralytics")

from pzvision.errors import PzvisionError  # noqa: E402
from pzvision.train.clock import ClockRun, slim  # noqa: E402
from pzvision.train.data import Recipe, Source  # noqa: E402
from pzvision.train.outline import OutlineNet, export, outline_loss, train  # noqa: E402
from pzvision.train.outline_data import OutlineStream, nearest_turn, wrong_outlines  # noqa: E402
from pzvision.vision.detector import find_model  # noqa: E402
from pzvision.vision.obb import overlaps  # noqa: E402
from pzvision.vision.outliner import CORNERS, SIZE, WIDE, Outliner  # noqa: E402


@pytest.fixture
def pool(tmp_path: Path) -> Recipe:
    """Two pictures of white tiles on dark cloth."""
    folder = tmp_path / "built" / "scenes-t"
    (folder / "pictures").mkdir(parents=True)
    truth: dict[str, np.ndarray] = {}
    for index in range(2):
        image = np.full((300, 400, 3), 40, np.uint8)
        quads = []
        for k in range(12):
            x, y = 30 + 90 * (k % 4), 30 + 90 * (k // 4)
            quad = np.array([[x, y], [x + 40, y + 5 * index], [x + 38, y + 50], [x - 2, y + 45]], np.float32)
            cv2.fillConvexPoly(image, quad.astype(np.int32), (230, 240, 240))
            quads.append(quad)
        cv2.imwrite(str(folder / "pictures" / f"{index:06d}.jpg"), image)
        truth[f"{index:06d}.quads"] = np.array(quads)
        truth[f"{index:06d}.classes"] = np.array([0] * 11 + [1])
        truth[f"{index:06d}.ignore"] = np.zeros((0, 4, 2), np.float32)
    np.savez(folder / "truth.npz", **truth)
    return Recipe("t", tmp_path, (Source("scenes-t", "scenes", 1.0),))


def stream(pool: Recipe, batch: int = 16, seed: int = 3) -> OutlineStream:
    return OutlineStream(pool, pool.base / "built", batch, seed)


def test_samples_show_where_the_tile_is(pool: Recipe) -> None:
    it = iter(stream(pool))
    inside, outside = [], []
    for _ in range(4):
        pictures, truth = next(it)
        assert pictures.shape == (16, SIZE, SIZE, 3) and truth.shape == (16, 4, 2)
        for picture, corners in zip(pictures, truth, strict=True):
            mask = np.zeros((SIZE, SIZE), np.uint8)
            cv2.fillConvexPoly(mask, ((corners / WIDE + 1) / 2 * SIZE - 0.5).round().astype(np.int32), 1)
            core = cv2.erode(mask, np.ones((7, 7), np.uint8), borderValue=0) > 0
            rim = (cv2.dilate(mask, np.ones((11, 11), np.uint8)) > 0) & (
                cv2.dilate(mask, np.ones((5, 5), np.uint8)) == 0
            )
            if core.sum() > 20 and rim.sum() > 20:
                inside.append(float(picture[core].mean()))
                outside.append(float(picture[rim].mean()))
    assert len(inside) > 40
    assert np.mean(np.array(inside) > np.array(outside) + 40) > 0.95


def test_samples_are_the_same_for_a_seed_and_differ_between_seeds(pool: Recipe) -> None:
    (a, ta), (b, tb), (c, _) = (next(iter(stream(pool, seed=s))) for s in (3, 3, 4))
    assert (a == b).all() and (ta == tb).all() and not np.array_equal(a, c)


def test_wrong_outlines_are_mostly_near_and_sometimes_far() -> None:
    rng = np.random.default_rng(5)
    truth = np.tile(np.array([[100, 100], [130, 100], [130, 140], [100, 140]], np.float32), (2000, 1, 1))
    alike = np.diag(overlaps(wrong_outlines(truth, rng), truth))
    assert 0.55 < np.median(alike) < 0.9
    assert (alike < 0.6).mean() > 0.05 and (alike > 0.85).mean() > 0.05


def test_the_nearest_turn_keeps_the_outline() -> None:
    for k in range(4):
        assert np.allclose(nearest_turn(np.roll(CORNERS, k, axis=0)[None]), CORNERS)


def test_the_loss_falls_towards_the_truth_and_learns_its_distance() -> None:
    truth = torch.full((8, 8), 0.3)
    near, far = (outline_loss(torch.full((8, 8), v), torch.zeros(8), truth) for v in (0.28, 0.0))
    assert near < far
    sure, unsure = (outline_loss(torch.full((8, 8), 0.2), torch.full((8,), s), truth) for s in (-2.3, 1.0))
    assert sure < unsure


def test_a_run_goes_on_and_its_file_is_used(pool: Recipe, tmp_path: Path) -> None:
    config = ClockRun(minutes=0.02, batch=16)
    path = train(stream(pool), tmp_path / "run", config)
    first = torch.load(path, weights_only=True)
    assert first["step"] >= 1
    train(stream(pool), tmp_path / "run", ClockRun(minutes=0.04, batch=16))
    assert torch.load(path, weights_only=True)["step"] > first["step"]
    outliner = Outliner(export(path, tmp_path / "outliner.onnx"), threads=1, backend="onnxruntime")
    pictures, _ = next(iter(stream(pool)))
    net = OutlineNet()
    net.load_state_dict(torch.load(path, weights_only=True)["average"])
    with torch.no_grad():
        moves, spread = net.eval()(torch.from_numpy(pictures).permute(0, 3, 1, 2).float())
    answer = outliner.network.run(pictures)
    assert np.allclose(answer[0], moves.numpy(), atol=1e-3)
    assert np.allclose(answer[1], spread.exp().numpy(), atol=1e-3)


def test_the_command_looks_with_the_finder_and_then_trains(pool: Recipe, tmp_path: Path) -> None:
    """What looked at pictures before must not hold up the process that makes samples."""
    recipe = tmp_path / "t.yaml"
    recipe.write_text("name: t\nsources:\n  - {name: scenes-t, kind: scenes, share: 1}\n", encoding="utf-8")
    words = ["--recipe", recipe, "--built", pool.base / "built", "--finder", find_model("finder.onnx")]
    command = [sys.executable, "-m", "pzvision.train.outline", *words, "--minutes", "0.02"]
    subprocess.run([*command, "--out", tmp_path / "run", "--export", tmp_path], timeout=240, check=True)
    assert (tmp_path / "run" / "found.npz").exists() and (tmp_path / "outliner.onnx").exists()


def test_a_run_begins_with_the_weights_of_another(pool: Recipe, tmp_path: Path) -> None:
    first = train(stream(pool), tmp_path / "a", ClockRun(minutes=0.01, batch=16))
    kept = slim(first, tmp_path / "outliner.pt")
    assert "optimiser" not in torch.load(kept, weights_only=True)
    still = ClockRun(minutes=0.001, batch=16, rate=0.0, decay=0.0)
    second = torch.load(train(stream(pool), tmp_path / "b", still, kept), weights_only=True)
    name = "out.weight"
    assert torch.allclose(second["model"][name], torch.load(kept, weights_only=True)["average"][name])
    (tmp_path / "broken.pt").write_bytes(b"no checkpoint")
    for path, why in ((tmp_path / "none.pt", "no such file"), (tmp_path / "broken.pt", "cannot be read")):
        with pytest.raises(PzvisionError, match=why):
            train(stream(pool), tmp_path / "c", still, path)
