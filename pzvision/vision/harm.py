"""A clear picture of a face made such as a table's camera would give: flat, blurred, smeared, pale, noisy."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.vision.rectify import SIZE

Image = npt.NDArray[np.uint8]

_MOVED: Final = 0.25  # share of the harmed pictures that are smeared by a moving camera ...
_MOVED_BY: Final = (0.05, 0.28)  # ... by so much of their side
_FLAT: Final = 0.4  # share that are seen from low down ...
_FLATTEST: Final = 0.5  # ... and have down to this share of their pixels in one direction
_LAMP: Final = 0.06  # standard deviation of each colour's strength
_GAMMA: Final = 0.15
_UNEVEN: Final = 0.3  # share that are lit unevenly


def harm(face: Image, rng: np.random.Generator) -> Image:
    """``(n, n, 3)`` uint8 → ``(SIZE, SIZE, 3)``: spoiled at its own size, then enlarged or reduced."""
    face = _lit(_flattened(face, rng) if rng.random() < _FLAT else face, rng)
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


def _flattened(face: Image, rng: np.random.Generator) -> Image:
    """The face with fewer pixels one way, as from low down, and stretched again."""
    n = len(face)
    less = max(8, round(n * float(rng.uniform(_FLATTEST, 1))))
    size = (n, less) if rng.random() < 0.5 else (less, n)
    few = cv2.resize(face, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(few, (n, n), interpolation=cv2.INTER_LINEAR), np.uint8)


def _lit(face: Image, rng: np.random.Generator) -> Image:
    """The face under another lamp."""
    value = np.clip(face * rng.normal(1, _LAMP, 3), 0, 255)
    value = 255 * (value / 255) ** np.exp(rng.normal(0, _GAMMA))
    if rng.random() < _UNEVEN:
        field = cv2.resize(rng.uniform(0.6, 1.15, (2, 2)).astype(np.float32), (len(face), len(face)))
        value *= field[..., None]
    return np.asarray(np.clip(value, 0, 255), np.uint8)


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
