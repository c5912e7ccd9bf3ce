"""Whether the camera still stands where it was calibrated; and if not, where the table is now.

Points of the first picture (the rim, the felt's edges, floor and furniture, tiles at rest) are followed into
each later one. A bumped camera moves nearly all of them together; an arm, a tile, a player moves a few. A
camera that has come to rest elsewhere is set right by the corner cards, where they lie on the table, else by
the table's picture of before, as long as it moved only a little and what lay there lands on itself
(`pzvision.vision.register`); else a person must do it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image
from pzvision.vision.markers import MarkerConfig, fit_corners
from pzvision.vision.register import (
    FloatArray,
    GreyImage,
    RegisterConfig,
    apply_plane,
    fit_plane,
    flattened,
    follow,
    land,
    matched,
    parts_held,
    points_in,
)

ShiftState: TypeAlias = Literal["steady", "suspect", "moved", "lost"]

_CARDS: Final = MarkerConfig(refuse_share=0.002)  # they were laid out with care when it was calibrated


@dataclass(frozen=True)
class ShiftConfig:
    """Thresholds of noticing a bumped camera. Pixels are those of the picture at ``work_width``.

    Attributes:
        work_width: px the picture is reduced to.
        points: most points followed.
        every_s: seconds between checks while all is well; else every look is checked.
        still_px: a point that moved less has not moved.
        moved_px: a corner of the felt that moved more means a moved camera.
        still_share: share of points at rest above which the camera stands, whatever else moves.
        together_share: share of points that must move as one.
        least_points: fewer followed points say nothing.
        lost_share: share of the points found again under which the view is another one.
        persist_s: seconds a shift must last to be one.
        rest_s: seconds the camera must be at rest, within ``still_px``, before it is set right.
        again_s: seconds between tries to set it right.
        fresh_s: seconds after which a second set of points is taken, for when the first are covered.
        most_share: how far a corner may have moved, as a share of the picture's width, to be set right by the
            scene alone.
        register: when the table of now lies rightly on that of before.
    """

    work_width: int = 640
    points: int = 320
    every_s: float = 0.75
    still_px: float = 0.8
    moved_px: float = 1.3
    still_share: float = 0.35
    together_share: float = 0.5
    least_points: int = 25
    lost_share: float = 0.12
    persist_s: float = 1.0
    rest_s: float = 0.75
    again_s: float = 1.0
    fresh_s: float = 20.0
    most_share: float = 0.15
    register: RegisterConfig = field(default_factory=RegisterConfig)


@dataclass(frozen=True)
class Shift:
    """What a look at the camera's standing says.

    Attributes:
        state: ``steady``; ``suspect``: something is off, not yet for long; ``moved``: the camera looks
            elsewhere; ``lost``: nothing of the old view is found. In all but the first nothing on the table
            is where the calibration says.
        px: how far the felt's corners moved, at most, px of the picture.
        calibration: where the table is now, as soon as that is known; `ShiftWatcher.reset` takes it.
        by: what tells that: ``cards`` or ``scene``.
    """

    state: ShiftState = "steady"
    px: float = 0.0
    calibration: Calibration | None = None
    by: Literal["cards", "scene"] | None = None


@dataclass(frozen=True, eq=False)
class _View:
    """A picture whose points are followed."""

    grey: GreyImage
    points: npt.NDArray[np.float32]
    t: float


@dataclass(frozen=True)
class _Reading:
    """One check: ``moved`` None says nothing can be told; ``plane`` maps the view's px to those of now."""

    moved: bool | None
    corners_px: float = 0.0
    plane: FloatArray | None = None
    view: _View | None = None
    lost: bool = False


class ShiftWatcher:
    """Watches one camera. Feed it every look in order; it works in the picture's own time.

    About 8 ms a check at 1280 × 720 on one core, one check every ``every_s`` while the camera stands.
    """

    def __init__(self, calibration: Calibration, config: ShiftConfig | None = None) -> None:
        self.config = config or ShiftConfig()
        self.calibration = calibration
        self.reset(calibration)

    def reset(self, calibration: Calibration) -> None:
        """The camera has been calibrated anew: the next picture is the one to compare with."""
        self.calibration = calibration
        width, height = calibration.image_size
        self._scale = min(1.0, self.config.work_width / width)
        self._size = (max(1, round(width * self._scale)), max(1, round(height * self._scale)))
        self._corners = np.array(calibration.corners, np.float64) * np.array(self._size)
        self._views: list[_View] = []
        self._checked = float("-inf")
        self._since: float | None = None
        self._rest: tuple[float, GreyImage] | None = None
        self._tried = float("-inf")
        self._shift = Shift()

    def look(self, image: Image, t: float, *, shaken: bool = False) -> Shift:
        """The camera's standing in a picture ``(H, W, 3)`` uint8 BGR taken at ``t`` seconds.

        ``shaken``: much of the table has just changed at once; checked now instead of when it is due.
        """
        due = t - self._checked >= self.config.every_s - 1e-6
        if not (due or shaken or self._shift.state != "steady"):
            return self._shift
        self._checked = t
        grey = flattened(image, self._size)
        if not self._views:
            self._views = [self._view(grey, t)]
            return self._shift
        shift = self._decide(image, grey, t)
        self._shift = replace(shift, calibration=None, by=None)
        return shift

    # ---- deciding -------------------------------------------------------------------------------

    def _decide(self, image: Image, grey: GreyImage, t: float) -> Shift:
        reading = self._read(grey)
        if reading.moved is None and not reading.lost:
            return self._shift  # too little is seen to say anything new
        if not reading.moved and not reading.lost:
            self._since = self._rest = None
            if t - self._views[-1].t >= self.config.fresh_s:
                self._views = [self._views[0], self._view(grey, t)]
            return Shift()
        if self._since is None:
            self._since = t
        px = reading.corners_px / self._scale
        at_rest = self._at_rest(grey, t)
        if t - self._since < self.config.persist_s - 1e-6:
            return Shift("suspect", px)
        if at_rest and t - self._tried >= self.config.again_s - 1e-6:
            self._tried = t
            found = self._by_cards(image) or self._by_scene(reading, grey)
            if found is not None:
                return found
        return Shift("lost" if reading.lost else "moved", px)

    def _read(self, grey: GreyImage) -> _Reading:
        """Against the first picture; where too many of its points are covered, against the last fresh one."""
        reading = _Reading(None)
        for view in self._views:
            reading = self._compare(view, grey)
            if reading.moved is not None:
                return reading
        return reading

    def _compare(self, view: _View, grey: GreyImage) -> _Reading:
        config = self.config
        if len(view.points) < config.least_points:
            return _Reading(None)
        old, new = follow(view.grey, grey, view.points)
        if len(old) < config.lost_share * len(view.points):
            return _Reading(None, lost=True)
        if len(old) < config.least_points:
            return _Reading(None)
        away = np.linalg.norm(new - old, axis=1)
        still = float((away < config.still_px).mean())
        if still >= config.still_share:
            return _Reading(False)
        fit = fit_plane(old, new, 1.5)
        if fit is None or fit[1].mean() < config.together_share or parts_held(old[fit[1]], self._size) < 6:
            return _Reading(None, lost=True)  # hardly anything stands, and nothing moves as one
        corners_px = self._corners_px(fit[0])
        return _Reading(corners_px > config.moved_px, corners_px, fit[0], view)

    def _corners_px(self, plane: FloatArray) -> float:
        return float(np.linalg.norm(apply_plane(plane, self._corners) - self._corners, axis=1).max())

    # ---- setting right --------------------------------------------------------------------------

    def _at_rest(self, grey: GreyImage, t: float) -> bool:
        """Whether the picture, wherever it looks, has not moved for ``rest_s``."""
        if self._rest is not None:
            since, before = self._rest
            points = points_in(before, 120)
            if len(points) >= self.config.least_points:
                old, new = follow(before, grey, points)
                away = np.linalg.norm(new - old, axis=1)
                if len(old) and (away < self.config.still_px).mean() >= self.config.together_share:
                    return t - since >= self.config.rest_s - 1e-6
        self._rest = (t, grey)
        return False

    def _by_cards(self, image: Image) -> Shift | None:
        try:
            fit = fit_corners(
                image,
                table_cm=self.calibration.table_cm,
                camera_matrix=self.calibration.camera_matrix,
                lens=self.calibration.lens,
                least_cards=3,
                config=_CARDS,
            )
        except PzvisionError:
            return None
        corners = _nearest_order(np.array(fit.corners), self._corners / self._scale)
        calibration = _moved(self.calibration, corners)
        away = float(np.linalg.norm(corners - self._corners / self._scale, axis=1).max())
        return None if calibration is None else Shift("moved", away, calibration, "cards")

    def _by_scene(self, reading: _Reading, grey: GreyImage) -> Shift | None:
        """By the table as it was; where it went too far to be followed, begun with what looks alike."""
        views = self._views if reading.view is None else [reading.view]
        for view in views:
            guess = reading.plane
            if guess is None:
                guess = matched(view.grey, grey, self.config.register)
            if guess is None:
                continue
            landing = land(
                view.grey, grey, view.points, guess, self._corners, self.calibration, self.config.register
            )
            if landing is None:
                continue
            far = self._corners_px(landing.plane)
            if far > self.config.most_share * self._size[0]:
                continue
            calibration = _moved(self.calibration, apply_plane(landing.plane, self._corners) / self._scale)
            if calibration is not None:
                return Shift("moved", far / self._scale, calibration, "scene")
        return None

    def _view(self, grey: GreyImage, t: float) -> _View:
        return _View(grey, points_in(grey, self.config.points), t)


def _nearest_order(corners: FloatArray, before: FloatArray) -> FloatArray:
    """The corners begun at the one that was the first before."""
    turns = [np.roll(corners, -k, axis=0) for k in range(4)]
    return min(turns, key=lambda c: float(np.linalg.norm(c - before, axis=1).sum()))


def _moved(calibration: Calibration, corners: Sequence[Sequence[float]] | FloatArray) -> Calibration | None:
    """The same camera with other corners (px); None where they are no view of a table."""
    fractions = np.asarray(corners, np.float64) / np.array(calibration.image_size)
    points = tuple((round(float(x), 5), round(float(y), 5)) for x, y in fractions)
    try:
        return replace(calibration, corners=points)
    except PzvisionError:
        return None
