"""Pairing what was found with what is there, by overlap."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

IOU = 0.5
Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]


def box_iou(a: Floats, b: Floats) -> Floats:
    """``(N, M)`` IoU of boxes ``x1 y1 x2 y2``, ``(N, 4)`` and ``(M, 4)``."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    both = np.prod(np.clip(high - low, 0, None), axis=2)
    area_a, area_b = np.prod(a[:, 2:] - a[:, :2], axis=1), np.prod(b[:, 2:] - b[:, :2], axis=1)
    return np.asarray(both / np.maximum(area_a[:, None] + area_b - both, 1e-9))


def match(iou: Floats, least: float = IOU) -> Ints:
    """``(N,)``: for each row the column it is paired with, one to one, best overlaps first; -1 for none.

    ``iou``: ``(N, M)``. ``least``: paired are overlaps from this on, 0–1.
    """
    paired = np.full(len(iou), -1, np.int64)
    free = np.ones(iou.shape[1], bool)
    rows, columns = np.nonzero(iou >= least)
    for k in np.argsort(-iou[rows, columns], kind="stable"):
        if paired[rows[k]] < 0 and free[columns[k]]:
            paired[rows[k]], free[columns[k]] = columns[k], False
    return paired


def polygon_iou(a: Floats, b: Floats) -> Floats:
    """``(N, M)`` IoU of convex outlines ``(N, 4, 2)`` px and ``(M, 4, 2)`` px."""
    out = np.zeros((len(a), len(b)))
    if not len(a) or not len(b):
        return out
    near = box_iou(np.concatenate([a.min(1), a.max(1)], 1), np.concatenate([b.min(1), b.max(1)], 1))
    for i, j in zip(*np.nonzero(near > 0.05), strict=True):
        p, q = a[i].astype(np.float32), b[j].astype(np.float32)
        both = cv2.intersectConvexConvex(p, q)[0]
        out[i, j] = both / max(cv2.contourArea(p) + cv2.contourArea(q) - both, 1e-9)
    return out
