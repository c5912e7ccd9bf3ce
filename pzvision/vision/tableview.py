"""The table as seen from straight above: the picture warped to the plane of the tiles' faces.

There every tile has one size whatever the camera's distance and slant, so a finder and a reader of faces
have an easier task than in the picture itself: on slanted views most misreads and merged tiles go away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections, Detector
from pzvision.vision.detector import TileDetector
from pzvision.vision.finder import Finds, cut_by
from pzvision.vision.fitting import cut_quad, join_halves, make_whole
from pzvision.vision.gate import Gate, GateConfig, Glance
from pzvision.vision.obb import overlaps
from pzvision.vision.standing import standing_share

_FACE: Final = 0.965  # a face's side over the tile's: its edges are rounded

Image: TypeAlias = npt.NDArray[np.uint8]


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

    @property
    def tile_px(self) -> float:
        """Side of a tile's face in the view (root of its area), px."""
        tall, wide, _ = self.calibration.tile_cm
        return float(np.sqrt(tall * wide)) * self.config.px_per_cm * _FACE

    def warp(self, image: Image) -> Image:
        """``(H, W, 3)`` uint8 → ``(side, side, 3)``: the near edge below, as the near player sees it."""
        flat = cv2.remap(
            image, self._maps[0], self._maps[1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(flat, np.uint8)

    def to_picture(self, points: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """``(…, 2)`` px of the view → ``(…, 2)`` px of the picture."""
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

    Where the detector finds and names in two stages (`TileDetector`), what was found is set right between
    them: an outline as large as two or three tiles side by side is cut into them.

    Args:
        detector: finds and names tiles in any picture.
        calibration: of the camera; pictures of another size are refused.
        gate: for pictures that follow each other: parts that stay as they were are not looked at again,
            what was seen there stands. Needs a `TileDetector`; None looks at every picture as a whole.
    """

    def __init__(
        self,
        detector: Detector,
        calibration: Calibration,
        config: TableViewConfig | None = None,
        gate: GateConfig | None = None,
    ) -> None:
        self._detector = detector
        self.view = TableView(calibration, config)
        self._gate: Gate | None = None
        if gate is not None and isinstance(detector, TileDetector):
            self._gate = Gate(self.view.config.px_per_cm, gate)
        self._last: Detections | None = None

    def __call__(self, image: Image) -> Detections:
        """The tiles on the table in ``(H, W, 3)`` uint8 BGR. Raises `PzvisionError` for another size."""
        height, width = image.shape[:2]
        self.view.calibration.check_image_size(width, height)
        above = self.view.warp(image)
        glance = None if self._gate is None else self._gate.look(above)
        if glance is not None and self._last is not None:
            seen = self._look_again(above, glance, self._last)
        elif isinstance(self._detector, TileDetector):
            found = self._detector.find(above, self.view.tile_px)
            seen = self._detector.name(above, self._set_right(above, found))
        else:
            seen = self._detector(above)
        self._last = seen
        polygons = self.view.to_picture(seen.polygons) if len(seen) else seen.polygons
        return Detections(polygons, seen.probs, seen.scores, (width, height))

    def _look_again(self, above: Image, glance: Glance, last: Detections) -> Detections:
        """What lies on the table now: what is seen in the changed area, elsewhere what was seen before."""
        assert isinstance(self._detector, TileDetector)
        finder = self._detector.stages[0]
        scale, (height, width) = finder.scale(above), above.shape[:2]
        held = glance.holds(last.polygons.mean(axis=1))
        stands, before = last[~held], last[held]
        parts = []
        for x, y, right, bottom in glance.windows:
            found = self._one_each(finder.look(above[y:bottom, x:right], scale))
            quads = found.quads + np.array([x, y], np.float32)
            cut = cut_by(quads, (x, y, right, bottom), (width, height), near=2.0)
            wanted = glance.holds(quads.mean(axis=1))
            if len(before) and len(quads):  # a tile on the area's edge may come out just outside it
                wanted |= overlaps(quads, before.polygons).max(axis=1) > finder.config.overlap
            parts.append(Finds(quads, found.scores, found.classes)[~cut & wanted])
        if not parts:
            return stands
        new = parts[0]
        for part in parts[1:]:  # windows may overlap
            fresh = np.ones(len(part), bool)
            if len(new) and len(part):
                fresh = overlaps(part.quads, new.quads).max(axis=1) < finder.config.overlap
            new = Finds(
                np.concatenate([new.quads, part.quads[fresh]]),
                np.concatenate([new.scores, part.scores[fresh]]),
                np.concatenate([new.classes, part.classes[fresh]]),
            )
        named = self._detector.name(above, self._made_whole(above, new, stands.polygons))
        if len(stands) and len(named):  # a tile on the area's edge may have been seen from both sides
            stands = stands[overlaps(stands.polygons, named.polygons).max(axis=1) < finder.config.overlap]
        return Detections(
            np.concatenate([stands.polygons, named.polygons]),
            np.concatenate([stands.probs, named.probs]),
            np.concatenate([stands.scores, named.scores]),
            named.image_size,
        )

    def _set_right(self, above: Image, finds: Finds) -> Finds:
        """Outlines of several tiles cut, of parts of a tile made whole."""
        return self._made_whole(above, self._one_each(finds))

    def _made_whole(self, above: Image, finds: Finds, beside: npt.NDArray[np.float32] | None = None) -> Finds:
        assert isinstance(self._detector, TileDetector)
        reader = self._detector.stages[1]
        if reader is None:
            return finds
        tall, wide, _ = self.view.calibration.tile_cm
        scale = self.view.config.px_per_cm * _FACE
        # Seen from above the standing faces of a row look like lying ones cut short.
        stands = standing_share(self.view.calibration, self.view.to_picture(finds.quads)) > 0.5
        return make_whole(above, finds, reader, wide * scale, tall * scale, beside, stands)

    def _one_each(self, finds: Finds) -> Finds:
        """Outlines of several tiles cut into single ones, unless those have been found as well."""
        tall, wide, _ = self.view.calibration.tile_cm
        scale = self.view.config.px_per_cm * _FACE
        finds = join_halves(finds, wide * scale, tall * scale)
        singles: list[int] = []
        pieces: list[tuple[int, npt.NDArray[np.float32]]] = []
        for index, quad in enumerate(finds.quads):
            cut = cut_quad(quad, wide * scale, tall * scale)
            if len(cut) == 1:
                singles.append(index)
            else:
                pieces.extend((index, piece) for piece in cut)
        if not pieces:
            return finds
        centres = [finds.quads[i].mean(axis=0) for i in singles]
        sources, quads = list(singles), [finds.quads[i] for i in singles]
        for index, piece in pieces:
            centre = piece.mean(axis=0)
            if all(float(np.linalg.norm(centre - c)) > 0.5 * wide * scale for c in centres):
                centres.append(centre)
                sources.append(index)
                quads.append(piece)
        chosen = finds[np.array(sources, np.int64)]
        return Finds(np.stack(quads).astype(np.float32), chosen.scores, chosen.classes)
