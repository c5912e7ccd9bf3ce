"""How good a calibration is, in figures and in a picture a person can judge."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.live.picture import SEAT_COLOURS, put_text, text_width
from pzvision.live.translating import chinese, patterns
from pzvision.messages.bad_fits import MESSAGES as BAD_FITS
from pzvision.vision.calibration import SIDES, Calibration
from pzvision.vision.capture import Image

_REFUSALS: Final = patterns(BAD_FITS)
_CORNERS: Final = {"near-left": "近左", "near-right": "近右", "far-right": "远右", "far-left": "远左"}


def refusal_zh(text: str) -> str:
    """Why a calibration was refused, in Chinese; empty where there are no words for it.

    ``text``: of the `PzvisionError` that a calibration, `judge_fit` or the corner cards raised.
    """
    return chinese(text, _REFUSALS, _field_zh) or ""


def _field_zh(name: str, value: str) -> str:
    if name in ("corner", "cards"):
        for en, zh in _CORNERS.items():
            value = value.replace(en, zh)
        value = value.replace(", ", "、").replace("(card ", "(")
    return value


@dataclass(frozen=True)
class FitLimits:
    """When a fit is refused or questioned.

    Attributes:
        refuse_share, warn_share: reprojection error as a share of the picture's diagonal.
        small_px: a tile's shorter side in the picture under which faces are hard to read.
        low_deg: a camera lower than this above the far edge sees tiles hide behind tiles.
    """

    refuse_share: float = 0.02
    warn_share: float = 0.008
    small_px: float = 14.0
    low_deg: float = 25.0


@dataclass(frozen=True)
class Fit:
    """Figures of a calibration.

    Attributes:
        error_px: greatest distance between a corner as given and as a camera would see a true square, px.
        focal_px: focal length, px.
        eye_cm: height of the camera above the table, and its distance from the table's centre, cm.
        angle_deg: how steeply the camera looks down at the table's centre.
        near_px, far_px: a tile's width and height in the picture at the near and the far edge, px.
        warnings: keys of messages.
    """

    error_px: float
    focal_px: float
    eye_cm: tuple[float, float]
    angle_deg: float
    near_px: tuple[float, float]
    far_px: tuple[float, float]
    warnings: tuple[str, ...]


def judge_fit(calibration: Calibration, limits: FitLimits | None = None) -> Fit:
    """The figures: how far the best pose (IPPE, refined by least squares) is from the corners, and the like.

    Raises `PzvisionError` when no camera can see a square table like that.
    """
    limits = limits or FitLimits()
    size = np.array(calibration.image_size, np.float64)
    half = calibration.half
    square = np.array([[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0]], np.float64)
    pixels = np.array(calibration.corners) * size
    if calibration.camera_matrix is not None:
        camera = np.array(calibration.camera_matrix, np.float64)
        lens = np.array(calibration.lens, np.float64)
    else:
        focal = calibration.focal_px
        camera = np.array([[focal, 0, size[0] / 2], [0, focal, size[1] / 2], [0, 0, 1]])
        lens = np.zeros(5)
    error = math.inf
    ok, turns, shifts, _ = cv2.solvePnPGeneric(square, pixels, camera, lens, flags=cv2.SOLVEPNP_IPPE)
    for turn, shift in zip(turns, shifts, strict=True) if ok else ():
        turn, shift = cv2.solvePnPRefineLM(square, pixels, camera, lens, turn, shift)
        seen = cv2.projectPoints(square, turn, shift, camera, lens)[0].reshape(-1, 2)
        error = min(error, float(np.linalg.norm(seen - pixels, axis=1).max()))
    diagonal = float(np.linalg.norm(size))
    if error > limits.refuse_share * diagonal:
        raise PzvisionError(
            f"corners: no camera sees a square table like that (off by {error:.0f} px):"
            " check the order near-left, near-right, far-right, far-left and that the felt is square"
        )
    x, y, z = calibration.eye
    distance = math.sqrt(x * x + y * y + z * z)
    angle = math.degrees(math.asin(min(1.0, abs(z) / distance)))
    near, far = (_tile_px(calibration, -half * 0.8), _tile_px(calibration, half * 0.8))
    warnings = []
    if error > limits.warn_share * diagonal:
        warnings.append("calibrate.warn_error")
    if min(*near, *far) < limits.small_px:
        warnings.append("calibrate.warn_small")
    if angle < limits.low_deg:
        warnings.append("calibrate.warn_low")
    return Fit(error, calibration.focal_px, (abs(z), distance), angle, near, far, tuple(warnings))


def _tile_px(calibration: Calibration, y: float) -> tuple[float, float]:
    height, width, thick = calibration.tile_cm
    corners = [[0.0, y, thick], [width, y, thick], [0.0, y + height, thick]]
    a, b, c = calibration.to_image(corners)
    return float(np.linalg.norm(b - a)), float(np.linalg.norm(c - a))


def draw_grid(image: Image, calibration: Calibration) -> Image:
    """A copy of the picture with the felt's edge, a tile-sized grid on it, corner numbers and seats."""
    out = image.copy()
    half = calibration.half
    tall, wide = calibration.tile_cm[0], calibration.tile_cm[1]
    thin = max(1, round(image.shape[1] / 1280))

    def line(
        a: tuple[float, float], b: tuple[float, float], colour: tuple[int, int, int], thick: int
    ) -> None:
        ends = np.linspace(a, b, 24)
        points = calibration.to_image(np.column_stack([ends, np.zeros(len(ends))]))
        cv2.polylines(out, [np.round(points * 8).astype(np.int32)], False, colour, thick, cv2.LINE_AA, 3)

    for step in np.arange(-half, half + 1e-6, wide):
        line((step, -half), (step, half), (200, 220, 120), thin)
    for step in np.arange(-half, half + 1e-6, tall):
        line((-half, step), (half, step), (200, 220, 120), thin)
    square = [(-half, -half), (half, -half), (half, half), (-half, half)]
    for a, b in zip(square, square[1:] + square[:1], strict=True):
        line(a, b, (60, 220, 255), 2 * thin)
    size = max(18, round(image.shape[1] / 50))
    for number, corner in enumerate(calibration.corners, 1):
        x, y = (round(c * s) for c, s in zip(corner, calibration.image_size, strict=True))
        cv2.circle(out, (x, y), size * 2 // 3, (20, 20, 20), -1, cv2.LINE_AA)
        cv2.circle(out, (x, y), size * 2 // 3, (60, 220, 255), thin + 1, cv2.LINE_AA)
        put_text(
            out,
            str(number),
            (x - text_width(str(number), size, 700) // 2, y + size // 3),
            (255, 255, 255),
            size,
            700,
        )
    for side in SIDES:
        seat = calibration.seat_at(side)
        place = calibration.from_seat([[0.0, -half * 0.86]], seat)
        x, y = np.round(calibration.to_image(place)[0]).astype(int)
        cv2.circle(out, (int(x), int(y)), size, (20, 20, 20), -1, cv2.LINE_AA)
        colour = SEAT_COLOURS[seat]
        put_text(
            out, seat, (int(x) - text_width(seat, size, 700) // 2, int(y) + size // 3), colour, size, 700
        )
    return out
