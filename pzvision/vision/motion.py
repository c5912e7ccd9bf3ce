"""Where something moves over or covers the table: hands and arms, found without knowing what they are.

The picture is looked at on the plane of the tiles' faces, in cells of under a centimetre, so masks of
several looks can be compared and a tile's place can be asked directly. Three kinds of cell:

- *hidden*: something moves there, or something that is neither the felt nor what lay there before;
- *bare*: the felt is seen, so whatever lay there is gone for certain;
- neither: something lies there at rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.vision.calibration import Calibration

FloatArray: TypeAlias = npt.NDArray[np.float64]
MaskArray: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class MotionConfig:
    """Thresholds of the motion mask."""

    cell_cm: float = 0.75  # side of a cell
    margin_cm: float = 9.0  # how far beyond the felt the mask reaches
    work_width: int = 640  # px the picture is reduced to
    moved: float = 22.0  # grey and colour difference (0–255) between two looks that is a movement
    foreign: float = 26.0  # the same (0–255) against what lay there before
    settle_s: float = 2.5  # a change that stays this long is what lies there now
    felt_colour: float = 14.0  # Lab chroma distance (0–255) within which a cell shows the felt
    felt_shade: float = 70.0  # lightness (0–255) a shadow or a lamp may take or add
    shaken: float = 0.5  # share of the table changed at once that is the camera or the light, not a hand
    join_cm: float = 2.25  # movements no farther apart than twice this may be one arm's,
    joined_worth: float = 0.35  # which counts this much, 0–1, where no whole one is seen
    reach_cm: float = 10.0  # how near to a place a moving arm must be to have been there


@dataclass(frozen=True, eq=False)
class MotionMask:
    """One look's mask on the plane of the tiles' faces.

    Attributes:
        hidden: ``(G, G)`` bool, row = ``y``, column = ``x``, from the lowest table cm up.
        bare: ``(G, G)`` bool, the felt itself is seen.
        moving: ``(G, G)`` bool, changed since the last look.
        low_cm: table ``x`` and ``y`` of the first cell's edge.
        cell_cm: side of a cell.
        shaken: the whole picture changed (camera bumped, light switched): nothing of this look is sure.
        sides: ``(C, 4)`` float 0–1 for each moving patch: how much of it comes in over each side of the table
            (near, right, far, left); `patches` says which cell belongs to which.
        patches: ``(G, G)`` int, 0 = not moving, ``k`` = row ``k - 1`` of `sides`.
        joined: `patches` ``(G, G)`` and `sides` ``(C, 4)`` where bits that are near to one another are one
            patch: of an arm on cloth of its colour only bits are seen to move.
        joined_worth: how much they count, 0–1.
    """

    hidden: MaskArray
    bare: MaskArray
    moving: MaskArray
    low_cm: float
    cell_cm: float
    shaken: bool
    sides: FloatArray
    patches: npt.NDArray[np.int32]
    reach_cm: float = 10.0
    joined: tuple[npt.NDArray[np.int32], FloatArray] | None = None
    joined_worth: float = 0.35
    _blurred: dict[str, FloatArray] = field(default_factory=dict, repr=False)

    def _share(self, name: str, points: npt.ArrayLike) -> FloatArray:
        if name not in self._blurred:
            mask: MaskArray = getattr(self, name)
            size = max(1, round(2.4 / self.cell_cm))
            self._blurred[name] = np.asarray(cv2.blur(mask.astype(np.float64), (size, size)))
        column, row = self._cells(points)
        return np.asarray(self._blurred[name][row, column], np.float64)

    def _cells(self, points: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        at = np.asarray(points, np.float64).reshape(-1, 2)
        cells = np.clip(((at - self.low_cm) / self.cell_cm).astype(np.int64), 0, len(self.hidden) - 1)
        return cells[:, 0], cells[:, 1]

    def hidden_share(self, points: npt.ArrayLike) -> FloatArray:
        """``(N, 2)`` table cm → ``(N,)`` share of a tile lying there that is hidden, 0–1."""
        return self._share("hidden", points)

    def bare_share(self, points: npt.ArrayLike) -> FloatArray:
        """``(N, 2)`` table cm → ``(N,)`` share of a tile's place where the felt is seen, 0–1."""
        return self._share("bare", points)

    def reach(self, point: npt.ArrayLike) -> FloatArray:
        """``(4,)``: from which sides something moving reaches ``point`` ``(2,)`` table cm, 0–1.

        It sums to at most 1; 0 = nothing.
        """
        out = self._reach(point, self.patches, self.sides)
        if self.joined is not None and not out.any():
            out = self.joined_worth * self._reach(point, *self.joined)
        return out

    def _reach(self, point: npt.ArrayLike, patches: npt.NDArray[np.int32], sides: FloatArray) -> FloatArray:
        span = int(self.reach_cm / self.cell_cm)
        column, row = (int(v[0]) for v in self._cells(point))
        window = patches[max(row - span, 0) : row + span + 1, max(column - span, 0) : column + span + 1]
        out = np.zeros(4)
        for patch in np.unique(window):
            if patch:
                out = np.maximum(out, sides[patch - 1])
        total = out.sum()
        return out / total if total > 1 else out


class MotionDetector:
    """Makes a `MotionMask` of each look; keeps what lies on the table, the last look and the felt's colour.

    Feed it every look in order, at any rate of a few a second. About 2 ms a look at 1280 × 720.
    """

    def __init__(self, calibration: Calibration, config: MotionConfig | None = None) -> None:
        self.config = config or MotionConfig()
        self.calibration = calibration
        reach = calibration.half + self.config.margin_cm
        self._count = int(np.ceil(2 * reach / self.config.cell_cm))
        self._low = -self._count * self.config.cell_cm / 2
        centres = self._low + (np.arange(self._count) + 0.5) * self.config.cell_cm
        xs, ys = np.meshgrid(centres, centres)
        height = np.full(xs.size, calibration.tile_cm[2])
        seen = calibration.to_image(np.column_stack([xs.ravel(), ys.ravel(), height]))
        width, tall = calibration.image_size
        self._scale = min(1.0, self.config.work_width / width)
        self._work = (max(1, round(width * self._scale)), max(1, round(tall * self._scale)))
        maps = (seen * self._scale).astype(np.float32).reshape(self._count, self._count, 2)
        self._map_x, self._map_y = np.ascontiguousarray(maps[..., 0]), np.ascontiguousarray(maps[..., 1])
        inside = (seen >= 0).all(axis=1) & (seen[:, 0] < width) & (seen[:, 1] < tall)
        self._inside: MaskArray = inside.reshape(self._count, self._count)
        self._on_felt: MaskArray = (np.abs(xs) < calibration.half) & (np.abs(ys) < calibration.half)
        band = calibration.half - 6.0  # before the felt ends: the far rim may lie outside the picture
        self._bands: list[MaskArray] = [
            (ys < -band) & (np.abs(xs) < band),
            (xs > band) & (np.abs(ys) < band),
            (ys > band) & (np.abs(xs) < band),
            (xs < -band) & (np.abs(ys) < band),
        ]
        self._last: FloatArray | None = None
        self._rest: FloatArray | None = None
        self._since: FloatArray = np.zeros((self._count, self._count))
        self._felt: FloatArray | None = None

    def look(self, image: npt.NDArray[np.uint8], t: float) -> MotionMask:
        """The mask of a picture ``(H, W, 3)`` uint8 BGR taken at ``t`` seconds."""
        config = self.config
        small = cv2.resize(image, self._work, interpolation=cv2.INTER_AREA)
        flat = cv2.remap(small, self._map_x, self._map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        now = cv2.cvtColor(flat, cv2.COLOR_BGR2LAB).astype(np.float64)
        if self._last is None or self._rest is None or self._felt is None:
            self._felt = self._felt_colour(now)
            self._last, self._rest = now, now.copy()
            self._since = np.full(self._since.shape, t)
        bare = self._is_felt(now)
        moving = _differs(now, self._last, config.moved)
        foreign = _differs(now, self._rest, config.foreign)
        table = self._on_felt & self._inside
        shaken = bool(moving[table].mean() > config.shaken)
        self._since[moving] = t
        settled = (t - self._since >= config.settle_s) | shaken
        self._rest[settled] = now[settled]
        self._last = now
        hidden = moving | (foreign & ~bare & ~settled) | ~self._inside
        kernel = np.ones((3, 3), np.uint8)
        moving = cv2.morphologyEx(moving.astype(np.uint8), cv2.MORPH_OPEN, kernel).astype(bool)
        return self.mask(hidden, bare, moving, shaken=shaken)

    @property
    def shape(self) -> tuple[int, int]:
        """Of its masks, cells."""
        return self._count, self._count

    def mask(self, hidden: MaskArray, bare: MaskArray, moving: MaskArray, *, shaken: bool) -> MotionMask:
        """The mask of these cells, ``(G, G)``, ``(G, G)`` and ``(G, G)`` bool: all else follows from them."""
        patches, sides = self._patches(moving, 1)
        apart = max(1, round(self.config.join_cm / self.config.cell_cm))
        return MotionMask(
            hidden,
            bare,
            moving,
            self._low,
            self.config.cell_cm,
            shaken,
            sides,
            patches,
            self.config.reach_cm,
            self._patches(moving, apart),
            self.config.joined_worth,
        )

    def _felt_colour(self, now: FloatArray) -> FloatArray:
        """The table's commonest colour: the median of its cells is felt as long as half of it is bare."""
        cells = now[self._on_felt & self._inside]
        return np.median(cells, axis=0) if len(cells) else np.array([128.0, 128.0, 128.0])

    def _is_felt(self, now: FloatArray) -> MaskArray:
        assert self._felt is not None
        chroma = np.hypot(now[..., 1] - self._felt[1], now[..., 2] - self._felt[2])
        shade = np.abs(now[..., 0] - self._felt[0])
        return np.asarray((chroma < self.config.felt_colour) & (shade < self.config.felt_shade))

    def _patches(self, moving: MaskArray, widened: int) -> tuple[npt.NDArray[np.int32], FloatArray]:
        """`MotionMask.patches` and `MotionMask.sides` of cells that are widened by so many all around."""
        size = 2 * widened + 1
        wide = cv2.dilate(moving.astype(np.uint8), np.ones((size, size), np.uint8))
        count, labels = cv2.connectedComponents(wide, connectivity=8)
        sides = np.zeros((count - 1, 4))
        for side, band in enumerate(self._bands):
            sides[:, side] = np.bincount(labels[band], minlength=count)[1:]
        total = sides.sum(axis=1, keepdims=True)
        return np.asarray(labels, np.int32), np.asarray(sides / np.maximum(total, 1.0), np.float64)


def _differs(a: FloatArray, b: FloatArray, limit: float) -> MaskArray:
    return np.asarray(np.abs(a - b).max(axis=2) > limit)
