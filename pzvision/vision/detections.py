"""What the detector saw in one picture, as one struct of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pzvision.tiles import CLASSES

FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Detections:
    """``N`` tiles found in one picture.

    Attributes:
        polygons: ``(N, 4, 2)`` float32, px of the original picture: the outline of each face,
            clockwise from the tile's own top left.
        probs: ``(N, 29)`` float32, each row a distribution over the 27 kinds, `tiles.OTHER` and
            `tiles.BACK`; rows sum to 1.
        scores: ``(N,)`` float32 in 0–1, how sure the finder is that a tile is there at all.
        image_size: ``(width, height)`` of the picture in px.

    Raises:
        ValueError: on construction, when a shape or a dtype is not as above.
    """

    polygons: FloatArray
    probs: FloatArray
    scores: FloatArray
    image_size: tuple[int, int]

    def __post_init__(self) -> None:
        n = len(self.scores)
        for name, shape in (("polygons", (n, 4, 2)), ("probs", (n, CLASSES)), ("scores", (n,))):
            value: FloatArray = getattr(self, name)
            if value.shape != shape or value.dtype != np.float32:
                raise ValueError(
                    f"{name}: expected float32 of shape {shape}, got {value.dtype} {value.shape}"
                )

    @classmethod
    def empty(cls, image_size: tuple[int, int]) -> Detections:
        """A successful look that found nothing."""
        return cls(
            np.zeros((0, 4, 2), np.float32),
            np.zeros((0, CLASSES), np.float32),
            np.zeros(0, np.float32),
            image_size,
        )

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, index: npt.NDArray[np.bool_] | IntArray | slice) -> Detections:
        """The chosen rows (a mask ``(N,)``, indices ``(K,)`` or a slice)."""
        return Detections(self.polygons[index], self.probs[index], self.scores[index], self.image_size)

    @property
    def class_ids(self) -> IntArray:
        """``(N,)`` int64: the likeliest class of each tile."""
        return np.asarray(self.probs.argmax(axis=1), np.int64) if len(self) else np.zeros(0, np.int64)

    @property
    def confidences(self) -> FloatArray:
        """``(N,)`` float32: score × probability of the likeliest class."""
        top = self.probs.max(axis=1) if len(self) else np.zeros(0, np.float32)
        return np.asarray(self.scores * top, np.float32)

    @property
    def boxes(self) -> FloatArray:
        """``(N, 4)`` float32 px: axis-aligned ``x1, y1, x2, y2`` around each polygon."""
        low, high = self.polygons.min(axis=1), self.polygons.max(axis=1)
        return np.concatenate([low, high], axis=1).astype(np.float32)


class Detector(Protocol):
    """Finds the tiles in any picture; raises whatever keeps it from looking."""

    def __call__(self, image: npt.NDArray[np.uint8]) -> Detections:
        """The tiles in ``(H, W, 3)`` uint8 BGR."""
        ...
