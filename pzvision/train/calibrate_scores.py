"""How often a find of a given score is a tile: measured on rendered scenes and stored with the finder.

The finder's scores order its finds well and say little about how often they are right, since they also learn
how well an outline fits. ``python -m pzvision.train.calibrate_scores --models models`` fits, for faces and
for backs, ``P(tile) = sigmoid(slope · logit(score) + offset)`` and writes it into the model's metadata, where
`pzvision.vision.finder` reads it. Which finds are kept does not change.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from pzvision.synth.scenes import SceneConfig, random_scene
from pzvision.tiles import BACK, OTHER
from pzvision.train.evaluate_scenes import EXCUSED_IOU, counts
from pzvision.train.matching import match, polygon_iou
from pzvision.vision.detector import FINDER_FILE, TileDetector, find_model
from pzvision.vision.finder import BACK as BACK_FOUND
from pzvision.vision.finder import CALIBRATION, format_calibration, logit

Floats = npt.NDArray[np.floating[Any]]
_SEED: Final = 880_001


def logistic(
    x: Floats, y: npt.NDArray[np.bool_], *, steps: int = 60, ridge: float = 1.0
) -> tuple[float, float]:
    """Slope and offset of the likeliest ``P(y) = sigmoid(slope · x + offset)`` (Newton's method).

    ``x`` (logits) and ``y``: ``(N,)``. ``ridge`` pulls towards slope 1 and offset 0, as that number of finds
    of that calibration would; few finds say little.
    """
    a = np.stack([np.asarray(x, np.float64), np.ones(len(x))], 1)
    start = np.array([1.0, 0.0])
    w = start.copy()
    for _ in range(steps):
        p = 1 / (1 + np.exp(-np.clip(a @ w, -40, 40)))
        slope = a.T @ (p - y) + ridge * (w - start)
        curve = (a * (p * (1 - p))[:, None]).T @ a + ridge * np.eye(2)
        step = np.linalg.solve(curve, slope)
        w = w - np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-9:
            break
    return float(w[0]), float(w[1])


def gather(
    detector: TileDetector, scenes: int, seed: int = _SEED
) -> list[tuple[Floats, npt.NDArray[np.bool_]]]:
    """For faces and for backs: scores ``(N,)`` of finds on rendered scenes, and which are tiles ``(N,)``.

    A tile is what has an IoU ≥ 0.5 with one.
    Faces are those that the reader does not refuse: what it calls *other* asks for no belief.
    """
    parts: list[list[tuple[Floats, npt.NDArray[np.bool_]]]] = [[], []]
    config = SceneConfig(tile_px=(18.0, 90.0), hard=0.7, decoys=1.0)
    for index in tqdm(range(scenes), desc="scenes", unit="scene", leave=False):
        scene = random_scene(np.random.default_rng([seed, index]), size=(1280, 720), config=config)
        finds = detector.find(scene.image)
        reader = detector.stages[1]
        if reader is not None and len(finds):
            refused = reader.read_quads(scene.image, finds.quads)[0].kinds == OTHER
            finds = finds[~refused | (finds.classes == BACK_FOUND)]
        iou = polygon_iou(scene.polygons, finds.quads)
        plain = counts(scene)
        for kind in (0, 1):
            ours = finds.classes == kind
            true = plain & ((scene.classes == BACK) == bool(kind))
            paired = match(iou[np.ix_(true, ours)])
            right = np.zeros(int(ours.sum()), bool)
            right[paired[paired >= 0]] = True
            excused = np.asarray((iou[:, ours] >= EXCUSED_IOU)[~plain].any(axis=0), bool).reshape(-1)
            judged = right | ~excused
            parts[kind].append((finds.scores[ours][judged], right[judged]))
    return [(np.concatenate([s for s, _ in p]), np.concatenate([r for _, r in p])) for p in parts]


def calibrate(models: Path, scenes: int) -> dict[str, tuple[float, float]]:
    """Fit and store the calibration of ``finder.onnx``; slope and offset (of logits) of faces and of backs.

    Raises `PzvisionError` where a model is missing.
    """
    import onnx

    path = find_model(FINDER_FILE, models)
    measured = gather(TileDetector(models, threads=1, backend="onnxruntime"), scenes)
    lines = [logistic(logit(scores), right) for scores, right in measured]
    model = onnx.load(str(path))
    kept = [entry for entry in model.metadata_props if entry.key != CALIBRATION]
    del model.metadata_props[:]
    model.metadata_props.extend(kept)
    entry = model.metadata_props.add()
    entry.key, entry.value = CALIBRATION, format_calibration(lines)
    partial = path.with_suffix(".partial")
    onnx.save(model, str(partial))
    partial.replace(path)
    return dict(zip(("face", "back"), lines, strict=True))


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=Path, required=True, help="folder with finder.onnx")
    parser.add_argument("--scenes", type=int, default=80)
    args = parser.parse_args()
    for name, (slope, offset) in calibrate(args.models, args.scenes).items():
        print(f"{name}: P(tile) = sigmoid({slope:.3f} * logit(score) + {offset:.3f})")


if __name__ == "__main__":
    main()
