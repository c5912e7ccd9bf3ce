"""Cut tiles out of a picture: every quadrilateral becomes one small square picture of its face."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.vision.detections import FloatArray

SIZE: Final = 48
"""Side of a rectified face in px; the reader's input."""

GROW: Final = 0.09
"""Share of its size by which an outline is enlarged before its face is cut out for the reader."""

_MAX_OVERSAMPLING: Final = 6


@lru_cache(maxsize=32)
def corners_of(size: int) -> FloatArray:
    """``(4, 2)`` float32 px: outer corners of a `size` px square, clockwise from the top left."""
    low, high = -0.5, size - 0.5
    corners = np.array([[low, low], [high, low], [high, high], [low, high]], np.float32)
    corners.flags.writeable = False
    return corners


def rectify(
    image: npt.NDArray[np.uint8], quads: npt.NDArray[np.floating], size: int = SIZE
) -> npt.NDArray[np.uint8]:
    """Warp each quadrilateral of the picture to a square.

    Large faces are sampled at a multiple of `size` and averaged down, so that fine strokes do not alias.
    Outside the picture its edge is repeated.

    Args:
        image: ``(H, W, 3)`` uint8 BGR.
        quads: ``(N, 4, 2)`` px, clockwise; the first corner becomes the top left.
        size: side of the results in px.

    Returns:
        ``(N, size, size, 3)`` uint8 BGR; a degenerate quadrilateral gives some picture, never an error.

    Raises:
        ValueError: when `quads` is not ``(N, 4, 2)`` or `image` not ``(H, W, 3)`` uint8.
    """
    quads = np.asarray(quads, np.float32)
    if quads.ndim != 3 or quads.shape[1:] != (4, 2):
        raise ValueError(f"quads: expected (N, 4, 2), got {quads.shape}")
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
        raise ValueError(f"image: expected uint8 (H, W, 3), got {image.dtype} {image.shape}")
    out = np.zeros((len(quads), size, size, 3), np.uint8)
    edges = quads[:, [1, 2, 3, 0]] - quads
    sides = np.sqrt((edges**2).sum(axis=2)).max(axis=1, initial=0.0)
    for index in np.flatnonzero(np.isfinite(sides)).tolist():
        k = min(max(math.ceil(sides[index] / size / 1.25), 1), _MAX_OVERSAMPLING)
        homography = cv2.getPerspectiveTransform(quads[index], corners_of(size * k))
        # Where the four corners lie on a line there is no such map.
        if not abs(cv2.determinant(homography)) >= 1e-12 or not np.isfinite(homography).all():
            continue
        face = cv2.warpPerspective(
            image, homography, (size * k, size * k), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        out[index] = face if k == 1 else cv2.resize(face, (size, size), interpolation=cv2.INTER_AREA)
    return out
