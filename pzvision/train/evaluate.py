"""How well the detector does on labelled photos and on rendered scenes it has not learnt from."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.tiles import BACK, KINDS, OTHER
from pzvision.train.boxes import read_photos
from pzvision.train.data import read_picture
from pzvision.vision.detections import Detections
from pzvision.vision.detector import TileDetector

IOU = 0.5
Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PhotoResult:
    """One photo: the truth, what was found and how they match.

    Attributes:
        path: the photo.
        truth: (N,) classes 0–27.
        match: (N,) index of the find that covers each true tile (IoU ≥ 0.5, any name), -1 for none.
        named: (N,) index of the find with that place and name, -1 for none.
        found: the detections.
        wrong: (D,) suited finds that are no suited tile of that name.
        ms: time of the detector.
    """

    path: Path
    truth: Ints
    match: Ints
    named: Ints
    found: Detections
    wrong: npt.NDArray[np.bool_]
    ms: float

    @property
    def suited(self) -> npt.NDArray[np.bool_]:
        """Which true tiles are of the 27 kinds."""
        return self.truth < KINDS

    @property
    def exact(self) -> bool:
        """Every suited tile found and rightly named, and no other suited find."""
        return bool((self.named[self.suited] >= 0).all() and not self.wrong.any())


def box_iou(a: Floats, b: Floats) -> Floats:
    """``(N, M)`` IoU of boxes ``x1 y1 x2 y2``."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    both = np.prod(np.clip(high - low, 0, None), axis=2)
    area_a, area_b = np.prod(a[:, 2:] - a[:, :2], axis=1), np.prod(b[:, 2:] - b[:, :2], axis=1)
    return np.asarray(both / np.maximum(area_a[:, None] + area_b - both, 1e-9))


def match(iou: Floats, least: float = IOU) -> Ints:
    """``(N,)``: for each row the column it is paired with, one to one, best overlaps first; -1 for none."""
    paired = np.full(len(iou), -1, np.int64)
    free = np.ones(iou.shape[1], bool)
    rows, columns = np.nonzero(iou >= least)
    for k in np.argsort(-iou[rows, columns], kind="stable"):
        if paired[rows[k]] < 0 and free[columns[k]]:
            paired[rows[k]], free[columns[k]] = columns[k], False
    return paired


def evaluate_photos(detector: TileDetector, folder: Path) -> list[PhotoResult]:
    """Run the detector over labelled photos. A find of a back or of another face is never wrong."""
    results = []
    for photo in read_photos(folder):
        image = read_picture(photo.path)
        detector(image)
        start = time.perf_counter()
        found = detector(image)
        ms = (time.perf_counter() - start) * 1e3
        height, width = image.shape[:2]
        iou = box_iou(photo.boxes * np.array([width, height, width, height]), found.boxes)
        same = photo.classes[:, None] == found.class_ids[None]
        named = match(np.where(same, iou, 0))
        wrong = found.class_ids < KINDS
        wrong[named[named >= 0]] = False
        results.append(PhotoResult(photo.path, photo.classes, match(iou), named, found, wrong, ms))
    return results


@dataclass(frozen=True)
class Figures:
    """Recall, precision, mAP50, exact photos, recall of the place alone, median ms."""

    tiles: int
    recall: float
    precision: float
    map50: float
    exact: int
    photos: int
    placed: float
    ms: float


def figures(results: list[PhotoResult]) -> Figures:
    """The figures over all photos, suited tiles only."""
    tiles = sum(int(r.suited.sum()) for r in results)
    right = sum(int((r.named[r.suited] >= 0).sum()) for r in results)
    wrong = sum(int(r.wrong.sum()) for r in results)
    placed = sum(int((r.match[r.suited] >= 0).sum()) for r in results)
    return Figures(
        tiles,
        right / max(tiles, 1),
        right / max(right + wrong, 1),
        _map50(results),
        sum(r.exact for r in results),
        len(results),
        placed / max(tiles, 1),
        float(np.median([r.ms for r in results])) if results else 0.0,
    )


def _map50(results: list[PhotoResult]) -> float:
    """Mean over the kinds that occur of the area under precision over recall (all points, IoU 0.5)."""
    scores = []
    for kind in range(KINDS):
        total = sum(int((r.truth == kind).sum()) for r in results)
        if not total:
            continue
        finds = []
        for r in results:
            good = set(r.named[r.truth == kind].tolist())
            for i in np.flatnonzero(r.found.class_ids == kind):
                finds.append((float(r.found.confidences[i]), int(i) in good))
        finds.sort(reverse=True)
        hits = np.cumsum([hit for _, hit in finds]) if finds else np.zeros(0)
        precision = hits / np.arange(1, len(hits) + 1)
        precision = np.maximum.accumulate(precision[::-1])[::-1]
        recall = np.concatenate([[0], hits / total])
        scores.append(float(((recall[1:] - recall[:-1]) * precision).sum()))
    return float(np.mean(scores)) if scores else 0.0


def confusions(results: list[PhotoResult]) -> Counter[tuple[int, int]]:
    """How often a true class (first) was called another (second); -1 for one that was not found at all."""
    counts: Counter[tuple[int, int]] = Counter()
    for r in results:
        for true, at in zip(r.truth, r.match, strict=True):
            called = int(r.found.class_ids[at]) if at >= 0 else -1
            if called != true and (true < KINDS or called < KINDS) and not (true == OTHER and called < 0):
                counts[int(true), called] += 1
    return counts


@dataclass(frozen=True)
class SceneFigures:
    """On rendered scenes.

    Attributes:
        faces, backs: (recall, precision) of outlines at polygon IoU ≥ 0.5.
        fit: mean IoU of the matched faces.
        rectangle: mean IoU of the best oriented rectangle round each true face, for comparison.
        small: recall of faces under 20 px (root of area).
    """

    scenes: int
    faces: tuple[float, float]
    backs: tuple[float, float]
    fit: float
    rectangle: float
    small: float


def polygon_iou(a: Floats, b: Floats) -> Floats:
    """``(N, M)`` IoU of convex outlines ``(N, 4, 2)`` and ``(M, 4, 2)``."""
    out = np.zeros((len(a), len(b)))
    if not len(a) or not len(b):
        return out
    near = box_iou(np.concatenate([a.min(1), a.max(1)], 1), np.concatenate([b.min(1), b.max(1)], 1))
    for i, j in zip(*np.nonzero(near > 0.05), strict=True):
        p, q = a[i].astype(np.float32), b[j].astype(np.float32)
        both = cv2.intersectConvexConvex(p, q)[0]
        out[i, j] = both / max(cv2.contourArea(p) + cv2.contourArea(q) - both, 1e-9)
    return out


def evaluate_scenes(detector: TileDetector, count: int, seed: int = 990_001) -> SceneFigures:
    """Stage 1 on ``count`` rendered scenes of drawn faces. Finds on tiles that hardly show do not count."""
    from pzvision.synth.scenes import SceneConfig, random_scene

    hits, seen, good, said = np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2)
    fits: list[float] = []
    rectangles: list[float] = []
    small = [0, 0]
    for index in range(count):
        rng = np.random.default_rng([seed, index])
        scene = random_scene(rng, size=(1280, 720), config=SceneConfig(tile_px=(18.0, 110.0), hard=0.7))
        finds = detector.find(scene.image)
        iou = polygon_iou(scene.polygons, finds.quads)
        plain = scene.visible >= 0.55
        kinds = (scene.classes == BACK).astype(np.int64)
        for kind in (0, 1):
            ours = finds.classes == kind
            true = plain & (kinds == kind)
            paired = match(iou[np.ix_(true, ours)])
            hits[kind] += (paired >= 0).sum()
            seen[kind] += true.sum()
            excused = np.asarray((iou[:, ours] >= 0.3)[~plain].any(axis=0), bool).reshape(-1)
            excused[paired[paired >= 0]] = False
            good[kind] += (paired >= 0).sum()
            said[kind] += (~excused).sum()
            if kind == 0:
                for polygon, at in zip(scene.polygons[true], paired, strict=True):
                    tiny = np.sqrt(cv2.contourArea(polygon)) < 20
                    small[0] += int(tiny and at >= 0)
                    small[1] += int(tiny)
                fits += [float(iou[np.ix_(true, ours)][i, p]) for i, p in enumerate(paired) if p >= 0]
                for polygon in scene.polygons[true]:
                    box = np.asarray(cv2.boxPoints(cv2.minAreaRect(polygon)), np.float32)
                    rectangles.append(float(polygon_iou(polygon[None], box[None])[0, 0]))
    recall, precision = hits / np.maximum(seen, 1), good / np.maximum(said, 1)
    return SceneFigures(
        count,
        (float(recall[0]), float(precision[0])),
        (float(recall[1]), float(precision[1])),
        float(np.mean(fits)) if fits else 0.0,
        float(np.mean(rectangles)) if rectangles else 0.0,
        small[0] / max(small[1], 1),
    )
