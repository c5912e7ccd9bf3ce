"""Discs, polygons and ellipses with smooth edges, placed to a sixteenth of a pixel; drawn in place."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from pzvision.synth.glyphs import Colour, Image


def circle(image: Image, x: float, y: float, r: float, colour: Colour, thickness: float = -1.0) -> None:
    """Disc, or with ``thickness`` > 0 px a ring, round ``(x, y)`` px, of outer radius ``r`` px."""
    if thickness > 0:
        r = r - thickness / 2
        width = max(1, round(thickness))
    else:
        width = -1
    cv2.circle(image, (round(x * 16), round(y * 16)), max(1, round(r * 16)), colour, width, cv2.LINE_AA, 4)


def polygon(image: Image, points: Sequence[tuple[float, float]] | np.ndarray, colour: Colour) -> None:
    """Filled; ``points`` ``(n, 2)`` in px."""
    corners = np.round(np.asarray(points, np.float64) * 16).astype(np.int32)
    cv2.fillPoly(image, [corners], colour, cv2.LINE_AA, 4)


def ellipse(
    image: Image,
    x: float,
    y: float,
    a: float,
    b: float,
    angle: float,
    colour: Colour,
    thickness: float = -1.0,
) -> None:
    """Middle ``(x, y)`` px, half axes ``a`` and ``b`` px, ``angle`` in degrees.

    Filled, or with ``thickness`` > 0 px a ring.
    """
    width = max(1, round(thickness)) if thickness > 0 else -1
    cv2.ellipse(
        image,
        (round(x * 16), round(y * 16)),
        (max(1, round(a * 16)), max(1, round(b * 16))),
        angle,
        0,
        360,
        colour,
        width,
        cv2.LINE_AA,
        4,
    )
