"""Whether the camera still stands where it was calibrated; and if not, where the table is now.

Points of the first picture (the rim, the felt's edges, floor and furniture, tiles at rest) are followed into
each later one. A bumped camera moves nearly all of them together; an arm, a tile, a player moves a few. A
camera that has come to rest elsewhere is set right by the corner cards, where they lie on the table, else by
the points on the table themselves, as long as it moved only a little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.vision.calibration import Calibration
from pzvision.vision.capture import Image
from pzvision.vision.markers import MarkerConfig, fit_corners

FloatArray: TypeAlias = npt.NDArray[np.float64]
ShiftState: TypeAlias = Literal["steady", "suspect", "moved", "lost"]

_CARDS: Final = MarkerConfig(refuse_share=0.002)  # they were laid out with care when it was calibrated
_GRID: Final = 4  # the picture in 4 × 4 parts, to see whether points lie all over it


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
        fresh_s: seconds after which a second set of points is taken, for when the first are covered.
        most_share: how far a corner may have moved, as a share of the picture's width, to be set right by the
            scene alone.
        scene_px: greatest root mean square distance of the table's points from that fit.
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
    persist_s: float = 1.5
    rest_s: float = 1.0
    fresh_s: float = 20.0
    most_share: float = 0.15
    scene_px: float = 0.9


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

    grey: npt.NDArray[np.uint8]
    points: npt.NDArray[np.float32]
    t: float


@dataclass(frozen=True)
class _Reading:
    """One check: ``moved`` None says nothing can be told; ``plane`` maps the view's px to those of now."""

    moved: bool | None
    corners_px: float = 0.0
    plane: FloatArray | None = None
    followed: tuple[FloatArray, FloatArray] | None = None
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
        self._rest: tuple[float, FloatArray] | None = None
        self._shift = Shift()

    def look(self, image: Image, t: float, *, shaken: bool = False) -> Shift:
        """The camera's standing in a picture ``(H, W, 3)`` uint8 BGR taken at ``t`` seconds.

        ``shaken``: much of the table has just changed at once; checked now instead of when it is due.
        """
        due = t - self._checked >= self.config.every_s - 1e-6
        if not (due or shaken or self._shift.state != "steady"):
            return self._shift
        self._checked = t
        grey = _flattened(image, self._size)
        if not self._views:
            self._views = [self._view(grey, t)]
            return self._shift
        shift = self._decide(image, grey, t)
        self._shift = replace(shift, calibration=None, by=None)
        return shift

    # ---- deciding -------------------------------------------------------------------------------

    def _decide(self, image: Image, grey: npt.NDArray[np.uint8], t: float) -> Shift:
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
        if t - self._since < self.config.persist_s:
            return Shift("suspect", px)
        if self._at_rest(grey, t):
            self._rest = None  # tried again after as long, should it not be taken
            found = self._by_cards(image) or self._by_scene(reading)
            if found is not None:
                return replace(found, px=px)
        return Shift("lost" if reading.lost else "moved", px)

    def _read(self, grey: npt.NDArray[np.uint8]) -> _Reading:
        """Against the first picture; where too many of its points are covered, against the last fresh one."""
        reading = _Reading(None)
        for view in self._views:
            reading = self._compare(view, grey)
            if reading.moved is not None:
                return reading
        return reading

    def _compare(self, view: _View, grey: npt.NDArray[np.uint8]) -> _Reading:
        config = self.config
        if len(view.points) < config.least_points:
            return _Reading(None)
        old, new = _follow(view.grey, grey, view.points)
        if len(old) < config.lost_share * len(view.points):
            return _Reading(None, lost=True)
        if len(old) < config.least_points:
            return _Reading(None)
        away = np.linalg.norm(new - old, axis=1)
        still = float((away < config.still_px).mean())
        if still >= config.still_share:
            return _Reading(False)
        plane, inside = cv2.findHomography(old, new, cv2.RANSAC, 1.5, maxIters=500, confidence=0.99)
        if plane is None:
            return _Reading(None)
        chosen = np.asarray(inside).ravel().astype(bool)
        matrix = np.asarray(plane, np.float64)
        corners_px = float(np.linalg.norm(_apply(matrix, self._corners) - self._corners, axis=1).max())
        together = chosen.mean() >= config.together_share and _spread(old[chosen], self._size) >= 6
        if not together:
            return _Reading(None)
        return _Reading(corners_px > config.moved_px, corners_px, matrix, (old[chosen], new[chosen]))

    # ---- setting right --------------------------------------------------------------------------

    def _at_rest(self, grey: npt.NDArray[np.uint8], t: float) -> bool:
        """Whether the picture, wherever it looks, has not moved for ``rest_s``."""
        if self._rest is not None:
            since, before = self._rest
            points = _points(np.asarray(before, np.uint8), 120)
            if len(points) >= self.config.least_points:
                old, new = _follow(np.asarray(before, np.uint8), grey, points)
                away = np.linalg.norm(new - old, axis=1)
                if len(old) and (away < self.config.still_px).mean() >= self.config.together_share:
                    return t - since >= self.config.rest_s
        self._rest = (t, np.asarray(grey, np.float64))
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
        return None if calibration is None else Shift("moved", 0.0, calibration, "cards")

    def _by_scene(self, reading: _Reading) -> Shift | None:
        """By the points on the table: they lie in its plane, so one homography must take them all along."""
        if reading.followed is None:
            return None
        old, new = reading.followed
        outline = np.asarray(self._corners * 1.06 - self._corners.mean(axis=0) * 0.06, np.float32)
        on_table = np.array(
            [cv2.pointPolygonTest(outline, (float(x), float(y)), False) >= 0 for x, y in old], np.bool_
        )
        old, new = old[on_table], new[on_table]
        if len(old) < self.config.least_points:
            return None
        plane, inside = cv2.findHomography(old, new, cv2.RANSAC, 1.0, maxIters=1000, confidence=0.995)
        if plane is None:
            return None
        chosen = np.asarray(inside).ravel().astype(bool)
        if chosen.sum() < self.config.least_points or chosen.mean() < self.config.together_share:
            return None
        matrix = np.asarray(plane, np.float64)
        rms = float(np.sqrt(((_apply(matrix, old[chosen]) - new[chosen]) ** 2).sum(axis=1).mean()))
        corners = _apply(matrix, self._corners)
        far = float(np.linalg.norm(corners - self._corners, axis=1).max())
        if rms > self.config.scene_px or far > self.config.most_share * self._size[0]:
            return None
        calibration = _moved(self.calibration, corners / self._scale)
        return None if calibration is None else Shift("moved", 0.0, calibration, "scene")

    def _view(self, grey: npt.NDArray[np.uint8], t: float) -> _View:
        return _View(grey, _points(grey, self.config.points), t)


def _flattened(image: Image, size: tuple[int, int]) -> npt.NDArray[np.uint8]:
    """Small, grey, and with light and shadow taken out, so that a lamp does not move anything."""
    grey = cv2.cvtColor(cv2.resize(image, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    fine = grey.astype(np.float32)
    mean = cv2.boxFilter(fine, -1, (31, 31))
    spread = np.sqrt(np.maximum(cv2.boxFilter(fine * fine, -1, (31, 31)) - mean * mean, 0.0))
    flat = (fine - mean) / (spread + 6.0) * 45.0 + 128.0
    return np.clip(flat, 0, 255).astype(np.uint8)


def _points(grey: npt.NDArray[np.uint8], most: int) -> npt.NDArray[np.float32]:
    """``(N, 2)`` px of points worth following, spread over the picture."""
    found = cv2.goodFeaturesToTrack(grey, most, 0.02, 9, blockSize=7)
    return np.zeros((0, 2), np.float32) if found is None else np.asarray(found, np.float32).reshape(-1, 2)


def _follow(
    before: npt.NDArray[np.uint8], now: npt.NDArray[np.uint8], points: npt.NDArray[np.float32]
) -> tuple[FloatArray, FloatArray]:
    """The points found again in both directions: where they were and where they are, ``(N, 2)`` px each."""
    window = {"winSize": (17, 17), "maxLevel": 4}
    there, ok, error = cv2.calcOpticalFlowPyrLK(before, now, points, None, **window)  # type: ignore[call-overload]
    back, ok_back, _ = cv2.calcOpticalFlowPyrLK(now, before, there, None, **window)  # type: ignore[call-overload]
    good = (np.ravel(ok) > 0) & (np.ravel(ok_back) > 0)
    good &= np.linalg.norm(np.reshape(back, (-1, 2)) - points, axis=1) < 0.7
    good &= np.ravel(error) < 22.0
    return points[good].astype(np.float64), np.reshape(there, (-1, 2))[good].astype(np.float64)


def _spread(points: FloatArray, size: tuple[int, int]) -> int:
    """In how many of the picture's parts the points lie."""
    cells = np.floor(points / np.array(size) * _GRID).clip(0, _GRID - 1).astype(int)
    return len({(int(x), int(y)) for x, y in cells})


def _apply(plane: FloatArray, points: FloatArray) -> FloatArray:
    return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), plane), np.float64).reshape(-1, 2)


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
