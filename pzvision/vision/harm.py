"""A clear picture of a face made such as a table's camera would give: blurred, smeared, pale, noisy."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.vision.rectify import SIZE

Image = npt.NDArray[np.uint8]

_MOVED: Final = 0.25  # share of the harmed pictures that are smeared by a moving camera ...
_MOVED_BY: Final = (0.05, 0.28)  # ... by so much of their side


def harm(face: Image, rng: np.random.Generator) -> Image:
    """``(n, n, 3)`` uint8 → ``(SIZE, SIZE, 3)``: spoiled at its own size, then enlarged or reduced."""
    if rng.random() < _MOVED:
        face = _motion(face, float(rng.uniform(*_MOVED_BY)) * len(face), float(rng.uniform(0, np.pi)))
    elif len(face) > 20 and rng.random() < 0.5:
        face = np.asarray(cv2.GaussianBlur(face, (0, 0), float(rng.uniform(0.3, 0.9))), np.uint8)
    value = face.astype(np.float32)
    value = (value - value.mean()) * rng.uniform(0.6, 1.1) + value.mean() * rng.uniform(0.6, 1.15)
    value += rng.normal(0, rng.uniform(0.5, 6.0), value.shape)
    small = np.clip(value, 0, 255).astype(np.uint8)
    if len(small) == SIZE:
        return np.asarray(small, np.uint8)
    return np.asarray(cv2.resize(small, (SIZE, SIZE), interpolation=cv2.INTER_LINEAR), np.uint8)


def _motion(face: Image, length: float, angle: float) -> Image:
    """The face as a camera sees it that moves by ``length`` px while the shutter is open."""
    steps = max(2, round(2 * length))
    along = np.linspace(-length / 2, length / 2, steps)
    size = (face.shape[1], face.shape[0])
    total = np.zeros(face.shape, np.float32)
    for at in along:
        shift = np.array([[1, 0, at * np.cos(angle)], [0, 1, at * np.sin(angle)]], np.float32)
        total += cv2.warpAffine(face, shift, size, borderMode=cv2.BORDER_REPLICATE)
    return np.clip(total / steps, 0, 255).astype(np.uint8)
