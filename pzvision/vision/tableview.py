"""The table as seen from straight above: the picture warped to the plane of the tiles' faces.

There every tile has one size whatever the camera's distance and slant, so a finder and a reader of faces
have an easier task than in the picture itself: on slanted views most misreads and merged tiles go away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections

Image: TypeAlias = npt.NDArray[np.uint8]


class Detector(Protocol):
    """What is wrapped: finds the tiles in any picture."""

    def __call__(self, image: Image) -> Detections:
        """The tiles in ``(H, W, 3)`` uint8 BGR."""
        ...


@dataclass(frozen=True)
class TableViewConfig:
    """How the view from above is made."""

    px_per_cm: float = 9.0  # a tile is then about 24 × 32 px; the finder enlarges the view
    margin_cm: float = 3.0  # how far beyond the felt it reaches


class TableView:
    """Warps pictures of one camera to the view from above, and outlines back."""

    def __init__(self, calibration: Calibration, config: TableViewConfig | None = None) -> None:
        self.config = config or TableViewConfig()
        self.calibration = calibration
        self._half = calibration.half + self.config.margin_cm
        self.side = round(2 * self._half * self.config.px_per_cm)
        steps = (np.arange(self.side) + 0.5) / self.config.px_per_cm - self._half
        xs, ys = np.meshgrid(steps, steps[::-1])
        height = np.full(xs.size, calibration.tile_cm[2])
        seen = calibration.to_image(np.column_stack([xs.ravel(), ys.ravel(), height]))
        maps = seen.reshape(self.side, self.side, 2).astype(np.float32)
        self._maps = cv2.convertMaps(maps[..., 0], maps[..., 1], cv2.CV_16SC2)

    def warp(self, image: Image) -> Image:
        """``(H, W, 3)`` uint8 → ``(side, side, 3)``: the near edge below, as the near player sees it."""
        flat = cv2.remap(
            image, self._maps[0], self._maps[1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(flat, np.uint8)

    def to_picture(self, points: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """``(…, 2)`` px of the view → px of the picture."""
        at = np.asarray(points, np.float64)
        flat = at.reshape(-1, 2)
        table = np.column_stack(
            [
                flat[:, 0] / self.config.px_per_cm - self._half,
                self._half - flat[:, 1] / self.config.px_per_cm,
                np.full(len(flat), self.calibration.tile_cm[2]),
            ]
        )
        return self.calibration.to_image(table).reshape(at.shape).astype(np.float32)


class TableDetector:
    """A detector that looks at the table from above. Outlines are px of the picture, as from any detector.

    Args:
        detector: finds and names tiles in any picture.
        calibration: of the camera; pictures of another size are refused.
    """

    def __init__(
        self, detector: Detector, calibration: Calibration, config: TableViewConfig | None = None
    ) -> None:
        self._detector = detector
        self.view = TableView(calibration, config)

    def __call__(self, image: Image) -> Detections:
        """The tiles on the table in ``(H, W, 3)`` uint8 BGR. Raises `PzvisionError` for another size."""
        height, width = image.shape[:2]
        self.view.calibration.check_image_size(width, height)
        seen = self._detector(self.view.warp(image))
        polygons = self.view.to_picture(seen.polygons) if len(seen) else seen.polygons
        return Detections(polygons, seen.probs, seen.scores, (width, height))
