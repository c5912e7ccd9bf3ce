"""Telling a face that lies from one that stands: a player's own row, seen from behind him, shows faces too.

A lying and a standing tile at one place have outlines of different shape in the picture, and the calibration
says which; where the camera's slant makes them alike, neither is sure.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.tiles import SEATS, Seat
from pzvision.vision.calibration import Calibration

FloatArray: TypeAlias = npt.NDArray[np.float64]

_FACE: Final = 0.965  # a face's side over the tile's: its edges are rounded
_STRIP: Final = 0.62  # of half the table: hands stand farther out than this
_SHARPNESS: Final = 14.0  # how fast a better overlap becomes sureness


def seen_from_behind(calibration: Calibration) -> tuple[Seat, ...]:
    """Seats whose standing tiles show the camera their faces: it looks over the player's shoulder."""
    eye = np.array([calibration.eye[:2]])
    return tuple(s for s in SEATS if float(calibration.to_seat(eye, s)[0, 1]) < -0.8 * calibration.half)


def standing_share(calibration: Calibration, polygons: npt.ArrayLike) -> FloatArray:
    """How likely each outline is a standing face.

    Args:
        calibration: of the camera.
        polygons: ``(N, 4, 2)`` px.

    Returns:
        ``(N,)`` 0–1; 0 for outlines elsewhere than in a row of standing faces the camera can see.
    """
    outlines = np.asarray(polygons, np.float64).reshape(-1, 4, 2)
    out = np.zeros(len(outlines))
    seats = seen_from_behind(calibration)
    if not len(outlines) or not seats:
        return out
    height, width = (side * _FACE for side in calibration.tile_cm[:2])
    centres = outlines.mean(axis=1)
    strip = _STRIP * calibration.half
    for seat in seats:
        upright = calibration.to_seat(calibration.to_table(centres, calibration.tile_cm[0] / 2), seat)
        flat = calibration.to_seat(calibration.to_table(centres, calibration.tile_cm[2]), seat)
        rows = (upright[:, 1] < -strip) & (np.abs(upright[:, 0]) < calibration.half)
        rows &= np.abs(flat[:, 0]) <= -flat[:, 1]  # else it is another player's side
        chosen = np.flatnonzero(rows)
        if not len(chosen):
            continue
        low, high = (calibration.tile_cm[0] - height) / 2, (calibration.tile_cm[0] + height) / 2
        level = calibration.tile_cm[2]
        sides = np.array([-width / 2, width / 2, width / 2, -width / 2])
        stands = _quads(calibration, seat, upright[chosen], sides, np.zeros(4), (high, high, low, low))
        ups = np.array([height / 2, height / 2, -height / 2, -height / 2])
        lies = _quads(calibration, seat, flat[chosen], sides, ups, (level,) * 4)
        turned = _quads(
            calibration, seat, flat[chosen], ups[[3, 0, 1, 2]], -sides[[3, 0, 1, 2]], (level,) * 4
        )
        for k, i in enumerate(chosen):
            mine = outlines[i].astype(np.float32)
            gain = _overlap(mine, stands[k]) - max(_overlap(mine, lies[k]), _overlap(mine, turned[k]))
            out[i] = 1.0 / (1.0 + np.exp(-_SHARPNESS * gain))
    return out


def _quads(
    calibration: Calibration,
    seat: Seat,
    at: FloatArray,
    right: FloatArray,
    away: FloatArray,
    heights: tuple[float, ...],
) -> npt.NDArray[np.float32]:
    """Outlines ``(N, 4, 2)`` px of rectangles at ``at`` (seat's cm) with corners at these offsets."""
    corners = at[:, None, :] + np.stack([right, away], axis=1)[None]
    table = calibration.from_seat(corners.reshape(-1, 2), seat)
    solid = np.column_stack([table, np.tile(np.array(heights), len(at))])
    return calibration.to_image(solid).reshape(len(at), 4, 2).astype(np.float32)


def _overlap(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> float:
    """Intersection over union of two convex outlines, laid on one another's centre."""
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    shared, _ = cv2.intersectConvexConvex(cv2.convexHull(a), cv2.convexHull(b))
    total = abs(cv2.contourArea(a)) + abs(cv2.contourArea(b)) - shared
    return float(shared / total) if total > 0 else 0.0
