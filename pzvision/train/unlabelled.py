"""Faces that photos show but their labels lack: found by an earlier finder, and then not judged in training.

Many photos of whole tables have labels for one player's tiles only. Learnt as they are, they would teach the
finder to overlook tiles.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pzvision.train.boxes import read_photos
from pzvision.train.data import box_quads, read_picture
from pzvision.vision.detections import FloatArray
from pzvision.vision.finder import FACE, TileFinder
from pzvision.vision.obb import side_px

GROW = 1.15
"""The marked outlines are enlarged a little, to cover a find that is not quite in its place."""


def mark_unlabelled(finder: TileFinder, photos: Path, out: Path, least: float = 0.45) -> int:
    """Write ``out`` (npz: name of the photo → quads (M, 4, 2) px) and return how many were marked.

    Marked are finds of faces with a score of at least ``least`` (0–1) that no label covers and are about as
    large as the labelled ones, or smaller (further away).
    """
    marked: dict[str, FloatArray] = {}
    for photo in read_photos(photos):
        image = read_picture(photo.path)
        found = finder(image)
        if not len(found):
            continue
        size = np.array([image.shape[1], image.shape[0]] * 2)
        labels = box_quads(photo.boxes * size)
        centre = found.quads.mean(1)
        low, high = labels.min(1), labels.max(1)
        grace = 0.15 * (high - low)
        inside = ((centre[:, None] >= low - grace) & (centre[:, None] <= high + grace)).all(2).any(1)
        side, usual = side_px(found.quads), float(np.median(side_px(labels))) if len(labels) else np.inf
        lone = ~inside & (found.scores >= least) & (found.classes == FACE) & (side > 6) & (side < 1.5 * usual)
        if lone.any():
            quads = found.quads[lone]
            middle = quads.mean(1, keepdims=True)
            marked[photo.path.stem] = (middle + (quads - middle) * GROW).astype(np.float32)
    np.savez_compressed(out, **marked)  # type: ignore[arg-type]
    return sum(len(quads) for quads in marked.values())
