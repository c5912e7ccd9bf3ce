"""Printed markers on the table: found in a picture, and the table's corners from the four corner cards.

The cards are those of ``pzvision calibrate --sheet``. Each carries one ArUco marker of `DICTIONARY`; its
black square is `CORNER_CM` (a corner card) or `TOKEN_CM` (a declaration token) wide. A corner card lies in
its corner of the felt with the marker `CORNER_GAP_CM` from both edges and its top away from the near edge.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError
from pzvision.vision.capture import Image

FloatArray: TypeAlias = npt.NDArray[np.float64]

DICTIONARY: Final = cv2.aruco.DICT_4X4_50
MODULES: Final = 6  # 4 × 4 bits and the black border
CORNER_IDS: Final = (0, 1, 2, 3)  # near-left, near-right, far-right, far-left
CORNER_NAMES: Final = ("near-left", "near-right", "far-right", "far-left")
CORNER_CM: Final = 6.0
CORNER_GAP_CM: Final = 1.0
TOKEN_CM: Final = 4.2
_SCALES: Final = (1.0, 1.5, 0.7)
# Where a corner card's gap lies, seen from the table's centre: the marker's outer corner is there.
_OUTWARD: Final = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))


@dataclass(frozen=True)
class MarkerConfig:
    """When a fit to the corner cards is refused.

    Attributes:
        refuse_share: greatest distance of a marker's corner from where the fit sees it, as a share of the
            picture's diagonal (0.0012 is 1.8 px at 1280 × 720; a card shoved by 2 to 3 cm).
        least_refuse_px: and never for less than this: small pictures are coarse.
        bent_share: the same where a lens's distortion explains it: then the corners are still good enough.
        table_share: how far the side of the felt as measured by the markers may be from the one given.
        least_px: a marker's shorter side in the picture under which its corners are too coarse to trust.
    """

    refuse_share: float = 0.0012
    bent_share: float = 0.004
    least_refuse_px: float = 1.2
    table_share: float = 0.06
    least_px: float = 12.0


@dataclass(frozen=True)
class CornerFit:
    """The table's corners by the corner cards.

    Attributes:
        corners: near-left, near-right, far-right, far-left corner of the felt as the camera sees it, px.
        error_px: root mean square distance of the markers' corners from where the fit sees them.
        worst: name of the card farthest off, and its greatest distance in px.
        table_cm: side of the felt as measured by the markers' printed size.
        seen: how many of the four cards were seen.
        bent: the lens bends the picture, and it was not told how.
    """

    corners: tuple[tuple[float, float], ...]
    error_px: float
    worst: tuple[str, float]
    table_cm: float
    seen: int
    bent: bool = False


@cache
def _dictionary() -> cv2.aruco.Dictionary:
    return cv2.aruco.getPredefinedDictionary(DICTIONARY)


def marker_bits(number: int) -> npt.NDArray[np.bool_]:
    """``(MODULES, MODULES)``: which modules of a marker are white, border included, row 0 on top."""
    image = cv2.aruco.generateImageMarker(_dictionary(), number, MODULES)
    return np.asarray(image > 127)


@cache
def _detector(fine: bool) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.minMarkerPerimeterRate = 0.02
    parameters.adaptiveThreshWinSizeMax = 43
    if fine:
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        parameters.relativeCornerRefinmentWinSize = 0.25
    return cv2.aruco.ArucoDetector(_dictionary(), parameters)


def find_markers(
    image: Image, wanted: Collection[int], *, fine: bool = False
) -> list[tuple[int, npt.NDArray[np.float32]]]:
    """The markers of these numbers in ``(H, W, 3)`` or ``(H, W)`` uint8.

    Args:
        fine: corners to a fraction of a pixel, and another try at other sizes for those not seen at first
            (for calibrating).

    Returns:
        Number and ``(4, 2)`` px of each, clockwise from the marker's own top left; by number, then place.
    """
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    found: list[tuple[int, npt.NDArray[np.float32]]] = []
    for scale in _SCALES if fine else (1.0,):
        sized = grey if scale == 1.0 else cv2.resize(grey, None, fx=scale, fy=scale)
        quads, numbers, _ = _detector(fine).detectMarkers(sized)
        known = {number for number, _ in found}
        for number, quad in zip(np.ravel(numbers) if numbers is not None else (), quads, strict=False):
            if int(number) in wanted and int(number) not in known:
                corners = (np.asarray(quad, np.float32).reshape(4, 2) + 0.5) / scale - 0.5
                found.append((int(number), np.asarray(corners, np.float32)))
        if {number for number, _ in found} >= set(wanted):
            break
    return sorted(found, key=lambda f: (f[0], float(f[1][:, 1].mean()), float(f[1][:, 0].mean())))


def corner_places(table_cm: float) -> FloatArray:
    """``(4, 4, 2)`` table cm of the corner cards' marker corners (top left, top right, bottom right, …)."""
    near, far = table_cm / 2 - CORNER_GAP_CM - CORNER_CM, table_cm / 2 - CORNER_GAP_CM
    out = []
    for sx, sy in _OUTWARD:
        xs = sorted((sx * near, sx * far))
        ys = sorted((sy * near, sy * far))
        out.append([(xs[0], ys[1]), (xs[1], ys[1]), (xs[1], ys[0]), (xs[0], ys[0])])
    return np.array(out, np.float64)


def fit_corners(
    image: Image,
    *,
    table_cm: float | None = None,
    camera_matrix: npt.ArrayLike | None = None,
    lens: npt.ArrayLike | None = None,
    least_cards: int = 4,
    config: MarkerConfig | None = None,
) -> CornerFit:
    """The felt's corners in a picture that shows the corner cards.

    Args:
        image: ``(H, W, 3)`` uint8 BGR.
        table_cm: side of the felt; None measures it by the markers' printed size.
        camera_matrix, lens: ``(3, 3)`` and ``(5,)`` of the camera, as in `Lens`, where its lens is known.
        least_cards: how many of the four must be seen (3 is enough where ``table_cm`` is sure).

    Raises:
        PzvisionError: naming the card that is not seen, seen twice or off (by how many px), or the side of
            the felt that does not fit the markers.
    """
    config = config or MarkerConfig()
    marks = _one_each(find_markers(image, CORNER_IDS, fine=True), least_cards, config)
    straight = {k: _undistort(quad, camera_matrix, lens) for k, quad in marks.items()}
    measured = _measure_side(straight) if len(straight) == 4 else table_cm or 0.0
    side = measured if table_cm is None else table_cm
    odd = len(straight) == 4 and table_cm is not None and abs(measured / side - 1) > config.table_share
    diagonal = float(np.hypot(*image.shape[:2]))
    limit = max(config.refuse_share * diagonal, config.least_refuse_px)
    if odd and max(float(e.max()) for e in _fit(straight, measured)[1].values()) < limit:
        raise PzvisionError(
            f"--table-cm {side:g}: by the printed markers the felt measures {measured:.1f} cm:"
            " print the sheet at 100 % (its ruler is 100 mm long), or give the felt's true side"
        )
    plane, errors = _fit(straight, side)
    worst = max(errors, key=lambda k: float(errors[k].max()))
    off = float(errors[worst].max())
    bent = False
    if off > limit:
        centre = np.array([image.shape[1], image.shape[0]]) / 2
        rest = _unbent_error(straight, side, centre) if lens is None and len(straight) == 4 else off
        bent = off < config.bent_share * diagonal and rest < 0.7 * limit
        if not bent:
            raise PzvisionError(_blame(straight, side))
    half = side / 2
    square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    corners = _distort(_apply(plane, square), camera_matrix, lens)
    corners = _from_nearest(corners)
    everything = np.concatenate(list(errors.values()))
    return CornerFit(
        corners=tuple((float(x), float(y)) for x, y in corners),
        error_px=float(np.sqrt((everything**2).mean())),
        worst=(CORNER_NAMES[worst], float(errors[worst].max())),
        table_cm=measured,
        seen=len(straight),
        bent=bent,
    )


def _one_each(
    found: list[tuple[int, npt.NDArray[np.float32]]], least: int, config: MarkerConfig
) -> dict[int, FloatArray]:
    marks: dict[int, FloatArray] = {}
    for number, quad in found:
        name = CORNER_NAMES[number]
        if number in marks:
            raise PzvisionError(f"the {name} card (card {number + 1}) is seen twice: lay out each card once")
        sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
        if sides.min() < config.least_px:
            raise PzvisionError(
                f"the {name} card (card {number + 1}) is only {sides.min():.0f} px wide, expected"
                f" {config.least_px:.0f} or more: move the camera nearer or use a higher resolution"
            )
        marks[number] = quad.astype(np.float64)
    missing = [f"{CORNER_NAMES[k]} (card {k + 1})" for k in CORNER_IDS if k not in marks]
    if len(marks) < least:
        raise PzvisionError(
            f"corner card not seen: {', '.join(missing)}: lay it flat, uncovered, in the picture,"
            " with white paper all round the black square"
        )
    return marks


def _fit(marks: Mapping[int, FloatArray], side: float) -> tuple[FloatArray, dict[int, FloatArray]]:
    """The least-squares homography from table cm to px, and each card's ``(4,)`` distances in px."""
    places = corner_places(side)
    table = np.concatenate([places[k] for k in marks])
    pixels = np.concatenate(list(marks.values()))
    plane, _ = cv2.findHomography(table, pixels, 0)
    if plane is None:
        raise PzvisionError("corner cards: they lie on a line in the picture, no table looks like that")
    matrix = np.asarray(plane, np.float64)
    errors = {k: np.linalg.norm(_apply(matrix, places[k]) - quad, axis=1) for k, quad in marks.items()}
    return matrix, errors


def _measure_side(marks: Mapping[int, FloatArray]) -> float:
    """Side of the felt in cm at which the four cards fit best."""

    def cost(side: float) -> float:
        return float(sum((e**2).sum() for e in _fit(marks, side)[1].values()))

    low, high = 30.0, 200.0
    grid = np.geomspace(low, high, 60)
    at = int(np.argmin([cost(float(g)) for g in grid]))
    left, right = float(grid[max(at - 1, 0)]), float(grid[min(at + 1, 59)])
    for _ in range(40):
        a, b = left + (right - left) * 0.382, left + (right - left) * 0.618
        if cost(a) < cost(b):
            right = b
        else:
            left = a
    return (left + right) / 2


def _unbent_error(marks: Mapping[int, FloatArray], side: float, centre: FloatArray) -> float:
    """The greatest distance in px where the lens's first coefficient is fitted too."""

    def off(bend: float) -> dict[int, FloatArray]:
        straight = {}
        for k, quad in marks.items():
            local = (quad - centre) / (2 * centre[0])
            straight[k] = centre + local * (1 + bend * (local**2).sum(axis=1, keepdims=True)) * 2 * centre[0]
        return _fit(straight, side)[1]

    tries = [off(float(bend)) for bend in np.linspace(-0.4, 1.2, 81)]
    best = min(tries, key=lambda errors: float(sum((e**2).sum() for e in errors.values())))
    return float(max(e.max() for e in best.values()))


def _blame(marks: Mapping[int, FloatArray], side: float) -> str:
    """Which card is off: the one without which the others fit best; by how much, and how it lies."""
    places = corner_places(side)
    if len(marks) < 4:
        off = max(float(errors.max()) for errors in _fit(marks, side)[1].values())
        return f"the corner cards do not fit a felt of {side:g} cm (off by {off:.0f} px): lay out all four"
    best = (np.inf, 0, 0.0, 0)
    for k in marks:
        others = {j: quad for j, quad in marks.items() if j != k}
        plane, errors = _fit(others, side)
        cost = float(sum((e**2).sum() for e in errors.values()))
        if cost < best[0]:
            expected = _apply(plane, places[k])
            turned = [
                float(np.linalg.norm(np.roll(marks[k], -turn, axis=0) - expected, axis=1).max())
                for turn in range(4)
            ]
            best = (cost, k, turned[0], int(np.argmin(turned)))
    _, k, off, turn = best
    name = f"the {CORNER_NAMES[k]} card (card {k + 1})"
    if turn:
        return f"{name} is off by {off:.0f} px: it lies turned; its arrow belongs in the felt's corner"
    return (
        f"{name} is off by {off:.0f} px: lay it flat with its arrow exactly in the felt's corner"
        " (the felt must be square, and a wide lens needs --lens)"
    )


def _from_nearest(corners: FloatArray) -> FloatArray:
    """The four corners in their order, begun at the edge that is nearest as the camera sees it (lowest)."""
    lows = [(corners[k, 1] + corners[(k + 1) % 4, 1]) / 2 for k in range(4)]
    return np.roll(corners, -int(np.argmax(lows)), axis=0)


def _apply(plane: FloatArray, points: FloatArray) -> FloatArray:
    return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), plane), np.float64).reshape(-1, 2)


def _undistort(points: FloatArray, matrix: npt.ArrayLike | None, lens: npt.ArrayLike | None) -> FloatArray:
    if matrix is None or lens is None:
        return points
    camera = np.array(matrix, np.float64)
    out = cv2.undistortPoints(points.reshape(-1, 1, 2), camera, np.array(lens, np.float64), P=camera)
    return np.asarray(out, np.float64).reshape(-1, 2)


def _distort(points: FloatArray, matrix: npt.ArrayLike | None, lens: npt.ArrayLike | None) -> FloatArray:
    if matrix is None or lens is None:
        return points
    camera = np.array(matrix, np.float64)
    rays = np.column_stack([points, np.ones(len(points))]) @ np.linalg.inv(camera).T
    out, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), camera, np.array(lens, np.float64))
    return np.asarray(out, np.float64).reshape(-1, 2)
