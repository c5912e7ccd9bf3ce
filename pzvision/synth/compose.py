"""Small things every painter needs: colours made lighter or darker, pictures laid over each other."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.synth.glyphs import Colour, Image

Mask = npt.NDArray[np.uint8]
"""``(H, W)`` uint8, 0–255: how much of a picture counts."""


def shaded(colour: Colour, amount: float) -> Colour:
    """The colour times ``amount``, kept in 0–255."""
    b, g, r = (int(min(255, max(0, v * amount))) for v in colour)
    return b, g, r


def any_colour(rng: np.random.Generator, low: int, high: int) -> Colour:
    """Three independent channels in ``low`` .. ``high - 1``."""
    b, g, r = (int(v) for v in rng.integers(low, high, 3))
    return b, g, r


def blend(top: Image, bottom: Image, mask: Mask) -> Image:
    """``top`` where ``mask`` (``(H, W)``) is 255, ``bottom`` where it is 0; all of one size."""
    share = cv2.merge([mask] * 3)
    return np.asarray(
        cv2.add(
            cv2.multiply(top, share, scale=1 / 255),
            cv2.multiply(bottom, cv2.bitwise_not(share), scale=1 / 255),
        ),
        np.uint8,
    )


def darken(image: Image, keep: Mask) -> Image:
    """The picture times ``keep`` / 255."""
    return np.asarray(cv2.multiply(image, cv2.merge([keep] * 3), scale=1 / 255), np.uint8)
