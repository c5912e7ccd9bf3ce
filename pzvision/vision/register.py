"""Where a picture has gone: one picture of the table laid on another one of it, taken by a moved camera.

Everything works on small grey pictures with light and shadow taken out (`flattened`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.vision.calibration import Calibration

FloatArray: TypeAlias = npt.NDArray[np.float64]
GreyImage: TypeAlias = npt.NDArray[np.uint8]
"""``(H, W)`` uint8."""

_GRID: Final = 4  # the picture in 4 × 4 parts, to see whether points lie all over it


@dataclass(frozen=True)
class RegisterConfig:
    """When a picture of the table is taken to lie rightly on another one.

    Attributes:
        points: most points followed.
        least_points: fewer that agree, on the table, fix nothing.
        together_share: share of the points found again on the table that must agree.
        least_quarters: of the table's four quarters, how many must hold such points; ``quarter_points`` each.
        middle_cm, most_cm: greatest distance from where they should land, of the middle one and of nine in
            ten of the points that agree.
        features: corners compared where the picture went too far for points to be followed.
        least_features: of these must agree.
    """

    points: int = 320
    least_points: int = 25
    together_share: float = 0.5
    least_quarters: int = 3
    quarter_points: int = 4
    middle_cm: float = 0.12
    most_cm: float = 0.35
    features: int = 1500
    least_features: int = 40


@dataclass(frozen=True, eq=False)
class Landing:
    """A picture of the table laid on another.

    Attributes:
        plane: ``(3, 3)``, px of the first picture to px of the second.
        points: how many agree.
        middle_cm, most_cm: how far they land from where they should: the middle one, nine in ten.
    """

    plane: FloatArray
    points: int
    middle_cm: float
    most_cm: float


def flattened(image: npt.NDArray[np.uint8], size: tuple[int, int]) -> GreyImage:
    """A picture ``(H, W, 3)`` BGR made small and grey, so that a lamp does not move anything.

    Light and shadow are taken out. ``size``: width, height of what comes back, px.
    """
    grey = cv2.cvtColor(cv2.resize(image, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    fine = grey.astype(np.float32)
    mean = cv2.boxFilter(fine, -1, (31, 31))
    spread = np.sqrt(np.maximum(cv2.boxFilter(fine * fine, -1, (31, 31)) - mean * mean, 0.0))
    flat = (fine - mean) / (spread + 6.0) * 45.0 + 128.0
    return np.clip(flat, 0, 255).astype(np.uint8)


def points_in(grey: GreyImage, most: int) -> npt.NDArray[np.float32]:
    """``(N, 2)`` px of points worth following, spread over the picture (Shi and Tomasi's corners)."""
    found = cv2.goodFeaturesToTrack(grey, most, 0.02, 9, blockSize=7)
    return np.zeros((0, 2), np.float32) if found is None else np.asarray(found, np.float32).reshape(-1, 2)


def follow(
    before: GreyImage, now: GreyImage, points: npt.NDArray[np.float32]
) -> tuple[FloatArray, FloatArray]:
    """The points found again in both directions: where they were and where they are, ``(N, 2)`` px each.

    ``points``: ``(M, 2)`` px of ``before``. Returns ``(N, 2)`` and ``(N, 2)``.

    Lucas and Kanade's optical flow in a pyramid of scales, there and back.
    """
    good, there = _followed(before, now, points)
    return points[good].astype(np.float64), there[good]


def _followed(
    before: GreyImage, now: GreyImage, points: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.bool_], FloatArray]:
    if not len(points):
        return np.zeros(0, np.bool_), np.zeros((0, 2))
    window = {"winSize": (17, 17), "maxLevel": 4}
    there, ok, error = cv2.calcOpticalFlowPyrLK(before, now, points, None, **window)  # type: ignore[call-overload]
    back, ok_back, _ = cv2.calcOpticalFlowPyrLK(now, before, there, None, **window)  # type: ignore[call-overload]
    good = (np.ravel(ok) > 0) & (np.ravel(ok_back) > 0)
    good &= np.linalg.norm(np.reshape(back, (-1, 2)) - points, axis=1) < 0.7
    good &= np.ravel(error) < 22.0
    return good, np.reshape(there, (-1, 2)).astype(np.float64)


def apply_plane(plane: FloatArray, points: FloatArray) -> FloatArray:
    """``(N, 2)`` px through a homography ``(3, 3)``: ``(N, 2)`` px."""
    return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), plane), np.float64).reshape(-1, 2)


def fit_plane(old: FloatArray, new: FloatArray, px: float) -> tuple[FloatArray, npt.NDArray[np.bool_]] | None:
    """The homography ``(3, 3)`` most points agree on within ``px`` (RANSAC), and which do, ``(N,)``.

    ``old`` and ``new``: where each is in both pictures, ``(N, 2)`` px; both ``(N, 2)``. None: there is none.
    """
    if len(old) < 4:
        return None
    plane, inside = cv2.findHomography(old, new, cv2.RANSAC, px, maxIters=1000, confidence=0.995)
    if plane is None:
        return None
    return np.asarray(plane, np.float64), np.asarray(inside).ravel().astype(bool)


def parts_held(points: FloatArray, size: tuple[int, int]) -> int:
    """In how many of the parts of a picture of ``size`` px the points ``(N, 2)`` px lie."""
    cells = np.floor(points / np.array(size) * _GRID).clip(0, _GRID - 1).astype(int)
    return len({(int(x), int(y)) for x, y in cells})


def matched(before: GreyImage, now: GreyImage, config: RegisterConfig) -> FloatArray | None:
    """Roughly where a picture went that moved too far to be followed, by corners that look alike (ORB).

    A homography ``(3, 3)`` of px; None: nothing certain.
    """
    orb = cv2.ORB_create(config.features, fastThreshold=12)  # type: ignore[attr-defined]
    places, words = zip(*(orb.detectAndCompute(grey, None) for grey in (before, now)), strict=True)
    if any(w is None or len(w) < config.least_features for w in words):
        return None
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(words[0], words[1])
    if len(pairs) < config.least_features:
        return None
    old = np.array([places[0][p.queryIdx].pt for p in pairs], np.float64)
    new = np.array([places[1][p.trainIdx].pt for p in pairs], np.float64)
    fit = fit_plane(old, new, 2.5)
    if fit is None or fit[1].sum() < config.least_features:
        return None
    return fit[0] if _sane(fit[0], (before.shape[1], before.shape[0])) else None


def land(
    before: GreyImage,
    now: GreyImage,
    points: npt.NDArray[np.float32],
    guess: FloatArray,
    corners: FloatArray,
    calibration: Calibration,
    config: RegisterConfig,
) -> Landing | None:
    """Lay the table of one picture exactly on that of another.

    What lies on the table is nearly in its plane, so one homography must take it all along; what moved
    meanwhile, an arm or a tile, disagrees and is left out.

    Args:
        before: the picture of before the camera moved. ``points``: worth following in it, ``(N, 2)`` px.
        now: of the camera at rest.
        guess: roughly the homography ``(3, 3)`` between them.
        corners: ``(4, 2)`` px of the felt in ``before``, in the calibration's order.
        calibration: how large the table is.

    Returns:
        None where too few points agree, they lie in one part of the table only, or they do not land on
        themselves: the new place is not certain then.
    """
    size = (before.shape[1], before.shape[0])
    outline = np.asarray(corners * 1.06 - corners.mean(axis=0) * 0.06, np.float32)
    on_table = [cv2.pointPolygonTest(outline, (float(x), float(y)), False) >= 0 for x, y in points]
    chosen = points[np.array(on_table, np.bool_)]
    plane = guess
    old = new = np.zeros((0, 2))
    for _ in range(2):  # the second time the picture lies nearly right, so every point is found exactly
        if not _sane(plane, size):
            return None
        laid = np.asarray(cv2.warpPerspective(before, plane, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)
        there = apply_plane(plane, chosen.astype(np.float64)).astype(np.float32)
        seen = (there >= 4).all(axis=1) & (there < np.array(size) - 4).all(axis=1)
        good, found = _followed(laid, now, there[seen])
        old, new = chosen[seen][good].astype(np.float64), found[good]
        if len(old) < config.least_points:
            return None
        fit = fit_plane(old, new, 1.0)
        if fit is None:
            return None
        plane, inside = fit
        if inside.sum() < config.least_points or inside.mean() < config.together_share:
            return None
        old, new = old[inside], new[inside]
    half = calibration.half
    square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]], np.float32)
    flat = np.asarray(cv2.getPerspectiveTransform(corners.astype(np.float32), square), np.float64)
    at = apply_plane(flat, old)
    quarters = np.bincount((at[:, 0] > 0) * 2 + (at[:, 1] > 0), minlength=4)
    if (quarters >= config.quarter_points).sum() < config.least_quarters:
        return None
    away = np.linalg.norm(apply_plane(flat @ np.linalg.inv(plane), new) - at, axis=1)
    middle, most = (float(v) for v in np.percentile(away, (50, 90)))
    if middle > config.middle_cm or most > config.most_cm:
        return None
    return Landing(plane, len(old), middle, most)


def _sane(plane: FloatArray, size: Sequence[int]) -> bool:
    """Whether a camera that was bumped can have gone there: no mirror, no other size, not out of sight."""
    w, h = size
    frame = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float64)
    if not np.isfinite(plane).all() or (np.column_stack([frame, np.ones(4)]) @ plane[2] < 1e-6).any():
        return False
    there = apply_plane(plane, frame)
    x, y = there[:, 0], there[:, 1]
    area = float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)
    return 0.4 * w * h < area < 2.5 * w * h
