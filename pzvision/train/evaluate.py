"""How well the detector does on labelled photos it has not learnt from."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pzvision.tiles import KINDS, OTHER
from pzvision.train.boxes import read_photos
from pzvision.train.data import read_picture
from pzvision.train.matching import Ints
from pzvision.train.matching import box_iou as box_iou
from pzvision.train.matching import match as match
from pzvision.vision.detections import Detections


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
        ms: time of the detector; ``cpu_ms``: processor time, all threads together.
    """

    path: Path
    truth: Ints
    match: Ints
    named: Ints
    found: Detections
    wrong: npt.NDArray[np.bool_]
    ms: float
    cpu_ms: float = 0.0

    @property
    def suited(self) -> npt.NDArray[np.bool_]:
        """``(N,)``: which true tiles are of the 27 kinds."""
        return self.truth < KINDS

    @property
    def exact(self) -> bool:
        """Every suited tile found and rightly named, and no other suited find."""
        return bool((self.named[self.suited] >= 0).all() and not self.wrong.any())


def evaluate_photos(
    detector: Callable[[npt.NDArray[Any]], Detections], folder: Path, only: tuple[str, ...] = ()
) -> list[PhotoResult]:
    """Run the detector over labelled photos. A find of a back or of another face is never wrong.

    ``detector``: given ``(H, W, 3)`` uint8 BGR. ``only``: beginnings of the file names to look at; all where
    empty.
    """
    results = []
    for photo in read_photos(folder):
        if only and not photo.path.name.startswith(only):
            continue
        image = read_picture(photo.path)
        detector(image)
        start, used = time.perf_counter(), time.process_time()
        found = detector(image)
        ms, cpu_ms = (time.perf_counter() - start) * 1e3, (time.process_time() - used) * 1e3
        height, width = image.shape[:2]
        iou = box_iou(photo.boxes * np.array([width, height, width, height]), found.boxes)
        same = photo.classes[:, None] == found.class_ids[None]
        named = match(np.where(same, iou, 0))
        wrong = found.class_ids < KINDS
        wrong[named[named >= 0]] = False
        results.append(PhotoResult(photo.path, photo.classes, match(iou), named, found, wrong, ms, cpu_ms))
    return results


@dataclass(frozen=True)
class Figures:
    """Recall, precision, mAP50, exact photos, recall of the place alone, median ms (clock and processor)."""

    tiles: int
    recall: float
    precision: float
    map50: float
    exact: int
    photos: int
    placed: float
    ms: float
    cpu_ms: float = 0.0


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
        float(np.median([r.cpu_ms for r in results])) if results else 0.0,
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
