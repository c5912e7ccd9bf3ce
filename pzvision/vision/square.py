"""A square seen by a camera: whether four corners can be one, and the plane and focal length they fix.

Points are ``(4, 2)`` float64, near-left, near-right, far-right, far-left: px in pictures, cm on the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.errors import FormatError

FloatArray: TypeAlias = npt.NDArray[np.float64]

_CORNERS: Final = ("near-left", "near-right", "far-right", "far-left")
_OUTSIDE: Final = 0.25  # a corner the picture cuts off may be given by where it would lie
_MIN_AREA: Final = 0.02  # of the picture: less is too small to read tiles from
_MIN_SINE: Final = 0.03  # of a corner's angle: less is three corners in a line
_FOCAL_RANGE: Final = (0.4, 6.0)  # × the picture's longer side
_FOCAL_GUESS: Final = 1.1  # × the longer side, where the corners say nothing (camera straight above)
_FOCAL_PRIOR_PX: Final = 0.3  # px of reprojection error that one e-fold away from the guess is worth


def check_corners(corners: Sequence[tuple[float, float]], image_size: tuple[int, int]) -> None:
    """Raise `FormatError` unless the corners are a usable view of a square from above.

    ``corners``: 0–1 of width and height; ``image_size``: those, px.
    """

    def bad(reason: str) -> FormatError:
        return FormatError(f"corners: {reason}", field="corners")

    if len(corners) != 4:
        raise bad(f"expected four, got {len(corners)}")
    for name, (x, y) in zip(_CORNERS, corners, strict=True):
        if not (-_OUTSIDE <= x <= 1 + _OUTSIDE and -_OUTSIDE <= y <= 1 + _OUTSIDE):
            raise bad(f"{name} at ({x:g}, {y:g}) is outside the picture, expected 0–1 of width and height")
    points = np.array(corners) * np.array(image_size, np.float64)
    edges = np.roll(points, -1, axis=0) - points
    before = np.roll(edges, 1, axis=0)
    lengths = np.linalg.norm(edges, axis=1)
    if lengths.min() < 0.01 * max(image_size):
        raise bad(f"{_CORNERS[int(lengths.argmin())]} and the next one are the same point")
    turns = before[:, 0] * edges[:, 1] - before[:, 1] * edges[:, 0]
    sines = turns / (lengths * np.roll(lengths, 1))
    if (sines > _MIN_SINE).all():
        raise bad(
            "in the wrong order, expected near-left, near-right, far-right, far-left as the camera sees them"
        )
    if (np.abs(sines) <= _MIN_SINE).any():
        raise bad(f"{_CORNERS[int(np.abs(sines).argmin())]} lies on a line with its neighbours")
    if (sines > 0).any():
        crossed = (sines > 0).sum() == 2
        raise bad(
            "the edges cross, expected near-left, near-right, far-right, far-left"
            if crossed
            else f"{_CORNERS[int(sines.argmax())]} is a dent, expected a convex outline"
        )
    area = quad_area(points)
    if area < _MIN_AREA * image_size[0] * image_size[1]:
        raise bad(
            f"the table fills {area / (image_size[0] * image_size[1]):.1%} of the picture, "
            "expected 2 % or more"
        )
    if points[:2, 1].mean() <= points[2:, 1].mean():
        raise bad("the near edge is above the far edge, expected near-left, near-right, far-right, far-left")


def quad_area(points: FloatArray) -> float:
    """The area, px², of the outline ``(4, 2)``."""
    a, b = points[2] - points[0], points[3] - points[1]
    return abs(float(a[0] * b[1] - a[1] * b[0])) / 2


def camera_matrix(focal: float, image_size: tuple[int, int]) -> FloatArray:
    """``(3, 3)``: square pixels, the principal point at the centre of ``image_size``, px; ``focal`` in px."""
    width, height = image_size
    return np.array([[focal, 0.0, width / 2], [0.0, focal, height / 2], [0.0, 0.0, 1.0]])


def refine_plane(plane: FloatArray, square: FloatArray, pixels: FloatArray) -> FloatArray:
    """The exact homography ``(3, 3)`` of four points: eight linear equations.

    OpenCV's, the ``plane`` ``(3, 3)`` given, starts in single precision. ``square``: ``(4, 2)`` cm;
    ``pixels``: ``(4, 2)`` px of them.
    """
    rows = []
    for (x, y), (u, v) in zip(square, pixels, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    try:
        solution = np.linalg.solve(np.array(rows), pixels.reshape(-1))
    except np.linalg.LinAlgError:
        return plane
    return np.append(solution, 1.0).reshape(3, 3)


def find_focal(square: FloatArray, pixels: FloatArray, image_size: tuple[int, int]) -> float:
    """The focal length, px, whose best pose sees the square most nearly where the corners are.

    ``square``: ``(4, 2)`` cm; ``pixels``: ``(4, 2)`` px, in a picture of ``image_size`` px.

    A camera straight above sees a square at any focal length: a weak pull to a usual one decides there. The
    pose is found by IPPE (Collins and Bartoli) and refined by Levenberg and Marquardt's least squares; the
    focal length by a grid and a search by golden section.
    """
    object_points = np.column_stack([square, np.zeros(4)])
    longer = max(image_size)

    def cost(log_focal: float) -> float:
        camera = camera_matrix(math.exp(log_focal), image_size)
        ok, turns, shifts, errors = cv2.solvePnPGeneric(
            object_points, pixels, camera, None, flags=cv2.SOLVEPNP_IPPE
        )
        if not ok:
            return math.inf
        best = math.inf
        for turn, shift in zip(turns, shifts, strict=True):
            turn, shift = cv2.solvePnPRefineLM(object_points, pixels, camera, None, turn, shift)
            seen, _ = cv2.projectPoints(object_points, turn, shift, camera, None)
            best = min(best, float(((seen.reshape(-1, 2) - pixels) ** 2).sum()))
        del errors
        return best + (_FOCAL_PRIOR_PX * (log_focal - math.log(_FOCAL_GUESS * longer))) ** 2

    low, high = (math.log(f * longer) for f in _FOCAL_RANGE)
    grid = np.linspace(low, high, 41)
    costs = [cost(float(g)) for g in grid]
    at = int(np.argmin(costs))
    left, right = float(grid[max(at - 1, 0)]), float(grid[min(at + 1, 40)])
    for _ in range(30):
        a, b = left + (right - left) * 0.382, left + (right - left) * 0.618
        if cost(a) < cost(b):
            right = b
        else:
            left = a
    return math.exp((left + right) / 2)
