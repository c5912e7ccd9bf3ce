"""One player's standing tiles in the picture of a camera on his hand: which of all the tiles they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.tiles import BACK
from pzvision.vision.detections import Detections

FloatArray: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class HandRowConfig:
    """What makes tiles neighbours in one row.

    Attributes:
        step: least and greatest distance between two neighbours' middles, in widths; a drawn tile stands a
            little apart, and tiles taken out leave a gap.
        rise: greatest offset across the row, in heights.
        ratio: greatest ratio of two neighbours' heights.
        least_tiles: fewer make no row.
        same: middles nearer than this share of a width are one tile found twice.
    """

    step: tuple[float, float] = (0.55, 3.2)
    rise: float = 0.4
    ratio: float = 1.3
    least_tiles: int = 1
    same: float = 0.4


def hand_row(detections: Detections, config: HandRowConfig | None = None) -> Detections:
    """The faces of the greatest row in a picture, from left to right as the camera sees them.

    Args:
        detections: of the whole picture; backs are left out.

    Returns:
        The tiles of the row with the greatest area: the hand stands nearest to its camera, so other rows
        (melds, the river, other hands) are smaller or shorter. Empty where no face is seen.
    """
    config = config or HandRowConfig()
    faces = np.flatnonzero(detections.probs.argmax(axis=1) != BACK) if len(detections) else np.zeros(0, int)
    if not len(faces):
        return Detections.empty(detections.image_size)
    quads = detections.polygons[faces].astype(np.float64)
    middles = quads.mean(axis=1)
    # A face lying on its side or read upside down still has its neighbours along the picture's row.
    across = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    up = (quads[:, 0] + quads[:, 1] - quads[:, 2] - quads[:, 3]) / 2
    lying = np.abs(across[:, 0]) < np.abs(up[:, 0])
    across[lying], up[lying] = up[lying].copy(), across[lying].copy()
    across = np.where(across[:, :1] < 0, -across, across)
    widths, heights = np.linalg.norm(across, axis=1), np.linalg.norm(up, axis=1)
    once = _once(middles, widths, detections.scores[faces], config.same)
    labels = _chains(middles, across, widths, heights, once, config)
    best = np.zeros(0, int)
    area = 0.0
    for label in np.unique(labels[labels >= 0]):
        members = np.flatnonzero(labels == label)
        size = float((widths[members] * heights[members]).sum())
        if len(members) >= config.least_tiles and size > area:
            best, area = members, size
    along = across[best].mean(axis=0) if len(best) else np.array([1.0, 0.0])
    order = best[np.argsort(middles[best] @ along, kind="stable")]
    return detections[np.asarray(faces[order], np.int64)]


def _once(
    middles: FloatArray, widths: FloatArray, scores: npt.NDArray[np.float32], same: float
) -> npt.NDArray[np.bool_]:
    """Which tiles stay when the same one is found twice: the surer ones."""
    stay = np.ones(len(middles), bool)
    for index in np.argsort(-scores, kind="stable"):
        if stay[index]:
            near = np.linalg.norm(middles - middles[index], axis=1) < same * widths[index]
            near[index] = False
            stay &= ~near
    return stay


def _chains(
    middles: FloatArray,
    across: FloatArray,
    widths: FloatArray,
    heights: FloatArray,
    once: npt.NDArray[np.bool_],
    config: HandRowConfig,
) -> npt.NDArray[np.int64]:
    """``(N,)``: which row each tile is in; -1 for those left out."""
    count = len(middles)
    labels = np.where(once, np.arange(count), -1).astype(np.int64)
    low, high = config.step
    for a in np.flatnonzero(once):
        right = across[a] / max(widths[a], 1e-6)
        down = np.array([-right[1], right[0]])
        offset = middles - middles[a]
        along, off = offset @ right, np.abs(offset @ down)
        mean_width = (widths + widths[a]) / 2
        alike = np.maximum(heights / heights[a], heights[a] / np.maximum(heights, 1e-6)) < config.ratio
        near = (along > low * mean_width) & (along < high * mean_width) & (off < config.rise * heights[a])
        for b in np.flatnonzero(near & alike & once):
            labels[labels == labels[b]] = labels[a]
    return labels
