"""The table as seen from straight above: the picture warped to the plane of the tiles' faces.

There every tile has one size whatever the camera's distance and slant, so a finder and a reader of faces
have an easier task than in the picture itself: on slanted views most misreads and merged tiles go away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.vision.calibration import Calibration
from pzvision.vision.detections import Detections
from pzvision.vision.detector import TileDetector
from pzvision.vision.finder import Finds, cut_by
from pzvision.vision.gate import Gate, GateConfig, Glance
from pzvision.vision.obb import overlaps

_FACE: Final = 0.965  # a face's side over the tile's: its edges are rounded
_CUT_COST: Final = 0.4  # most that an outline may differ (sum of log side ratios) from the row it is cut as
_HALF: Final = 0.72  # of a tile's area: a smaller outline may be half of one
_CUT_GAIN: Final = 0.3  # and how much less it must differ from the row than from one tile

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
            seen = self._detector.name(above, self._one_each(found))
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
        parts = []
        for x, y, right, bottom in glance.windows:
            found = self._one_each(finder.look(above[y:bottom, x:right], scale))
            quads = found.quads + np.array([x, y], np.float32)
            cut = cut_by(quads, (x, y, right, bottom), (width, height), near=2.0)
            parts.append(Finds(quads, found.scores, found.classes)[~cut & glance.holds(quads.mean(axis=1))])
        stands = last[~glance.holds(last.polygons.mean(axis=1))]
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
        named = self._detector.name(above, new)
        if len(stands) and len(named):  # a tile on the area's edge may have been seen from both sides
            stands = stands[overlaps(stands.polygons, named.polygons).max(axis=1) < finder.config.overlap]
        return Detections(
            np.concatenate([stands.polygons, named.polygons]),
            np.concatenate([stands.probs, named.probs]),
            np.concatenate([stands.scores, named.scores]),
            named.image_size,
        )

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


def join_halves(finds: Finds, wide: float, tall: float) -> Finds:
    """Two outlines side by side, each of half a tile of ``wide`` × ``tall``, made one."""
    quads = finds.quads
    areas = np.array([cv2.contourArea(q) for q in quads])
    small = np.flatnonzero(areas < _HALF * wide * tall)
    gone: set[int] = set()
    for a in small:
        for b in small:
            if a >= b or a in gone or b in gone or finds.classes[a] != finds.classes[b]:
                continue
            whole = cv2.minAreaRect(np.concatenate([quads[a], quads[b]]))
            sides = sorted(whole[1])
            if abs(np.log(max(sides[0], 1) / wide)) + abs(np.log(max(sides[1], 1) / tall)) < _CUT_COST:
                quads = quads.copy()
                quads[a] = cv2.boxPoints(whole)
                gone.add(int(b))
    keep = np.array([i for i in range(len(quads)) if i not in gone], np.int64)
    return Finds(quads, finds.scores, finds.classes)[keep]


def cut_quad(quad: npt.NDArray[np.float32], wide: float, tall: float) -> list[npt.NDArray[np.float32]]:
    """An outline ``(4, 2)`` as the row of tiles of ``wide`` × ``tall`` it is most like: itself, or 2 to 4."""
    sides = float(np.linalg.norm(quad[1] - quad[0])), float(np.linalg.norm(quad[3] - quad[0]))
    if min(sides) <= 0:
        return [quad]
    best = (np.inf, 1, 0)
    single = np.inf
    for along in (0, 1):
        for step, other in ((wide, tall), (tall, wide)):
            for count in (1, 2, 3, 4):
                cost = abs(np.log(sides[along] / (count * step))) + abs(np.log(sides[1 - along] / other))
                best = min(best, (float(cost), count, along))
                if count == 1:
                    single = min(single, float(cost))
    cost, count, along = best
    if count == 1 or cost > _CUT_COST or cost > single - _CUT_GAIN:
        return [quad]
    corners = quad if along == 0 else np.roll(quad, -1, axis=0)  # so that the row runs from corner 0 to 1
    shares = np.linspace(0.0, 1.0, count + 1)[:, None]
    top = corners[0] + shares * (corners[1] - corners[0])
    bottom = corners[3] + shares * (corners[2] - corners[3])
    return [np.stack([top[k], top[k + 1], bottom[k + 1], bottom[k]]).astype(np.float32) for k in range(count)]
