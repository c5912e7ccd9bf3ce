"""What happens to the face of a training sample, one thing at a time: inks, lamps, fingers, worn paper."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.train.faces import FACE, FACE_HEIGHT, FACE_WIDTH, SCENE, Bytes

Rng = np.random.Generator
Floats = npt.NDArray[np.float32]


def floats(array: object) -> Floats:
    """As float32, in the same shape."""
    return np.asarray(array, np.float32)


def as_bytes(array: object) -> Bytes:
    """As uint8, in the same shape, values cut off behind the point."""
    return np.asarray(array).astype(np.uint8, copy=False)


def restyle(face: Bytes, rng: Rng, *, strength: float) -> Bytes:
    """Other inks and another hand: hue, saturation, ink strength, stroke width.

    ``face``: ``(H, W, 3)`` uint8 BGR, given back in the same shape. ``strength``: factor on the chances.
    """
    if rng.random() < 0.6 * strength:
        hsv = cv2.cvtColor(face, cv2.COLOR_BGR2HSV)
        shift = rng.normal(0, 9) if rng.random() < 0.75 else rng.uniform(-90, 90)
        table = np.arange(256)
        hue = ((table + round(shift)) % 180).astype(np.uint8)
        saturation = np.clip(
            table * (0.0 if rng.random() < 0.08 else rng.uniform(0.35, 1.45)), 0, 255
        ).astype(np.uint8)
        lut = np.stack([hue, saturation, table.astype(np.uint8)], axis=1)[None]
        face = as_bytes(cv2.cvtColor(as_bytes(cv2.LUT(hsv, lut)), cv2.COLOR_HSV2BGR))
    if rng.random() < 0.35 * strength:
        size = (2, 2) if rng.random() < 0.6 else (3, 3)
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE if size[0] == 3 else cv2.MORPH_RECT, size)
        thicker = rng.random() < 0.5
        face = as_bytes(cv2.erode(face, kernel) if thicker else cv2.dilate(face, kernel))
    if rng.random() < 0.3 * strength:  # worn or pale ink
        fade = rng.uniform(0.05, 0.5)
        paper = np.median(face.reshape(-1, 3)[::29], axis=0)
        face = as_bytes(face * (1 - fade) + paper * fade)
    return face


def light_table(rng: Rng) -> Bytes:
    """``(1, 256, 3)`` table: exposure, contrast, gamma, colour cast, sometimes a strongly coloured lamp."""
    ramp = np.arange(256, dtype=np.float64) / 255
    gamma = float(np.exp(rng.normal(0, 0.28)))
    gain = float(np.exp(np.clip(rng.normal(-0.16, 0.26), -1.1, 0.22)))
    lift = rng.uniform(0, 0.18) if rng.random() < 0.25 else 0.0
    spread = 0.32 if rng.random() < 0.06 else 0.08
    cast = np.exp(rng.normal(0, spread, 3))
    curve = lift + (1 - lift) * (ramp[:, None] ** gamma) * gain * cast
    return np.clip(curve * 255, 0, 255).astype(np.uint8)[None]


def motion_kernel(rng: Rng, length: float) -> Floats:
    """A line of ``length`` px in any direction, normalised: ``(n, n)``, ``n`` the odd number after."""
    size = int(np.ceil(length)) | 1
    kernel = np.zeros((size, size), np.float32)
    angle = rng.uniform(0, np.pi)
    dx, dy = np.cos(angle) * length / 2, np.sin(angle) * length / 2
    centre = size // 2
    start = (round(centre - dx), round(centre - dy))
    end = (round(centre + dx), round(centre + dy))
    cv2.line(kernel, start, end, 1.0, 1, cv2.LINE_AA)
    return kernel / max(float(kernel.sum()), 1e-6)


def cover(picture: Bytes, corners: Floats, rng: Rng) -> Bytes:
    """Something lies over a part (under a third) of the face: a finger, another tile, a chip.

    ``picture``: ``(H, W, 3)``; ``corners``: of the face in it, ``(4, 2)`` px. Returned in the same shape.
    """
    a = int(rng.integers(4))
    b = (a + 1) % 4
    depth = rng.uniform(0.08, 0.3)
    p, q = corners[a], corners[b]
    inward = corners.mean(0) - (p + q) / 2
    lean = rng.uniform(0.6, 1.4, 2)
    over = [
        p - 2 * inward,
        q - 2 * inward,
        q + 2 * inward * depth * lean[0],
        p + 2 * inward * depth * lean[1],
    ]
    colour = (
        _SKIN * rng.uniform(0.5, 1.1) if rng.random() < 0.4 else rng.integers(0, 256, 3).astype(np.float64)
    )
    shade = tuple(float(v) for v in np.clip(colour, 0, 255))
    picture = picture.copy()
    cv2.fillConvexPoly(picture, np.round(np.array(over)).astype(np.int32), shade, cv2.LINE_AA)
    return picture


def elastic(rng: Rng) -> tuple[Floats, Floats]:
    """Maps of x ``(H, W)`` and y ``(H, W)`` px for `cv2.remap` that pull a face a little out of shape."""
    coarse = rng.normal(0, 1.3, (2, 4, 3)).astype(np.float32)
    y, x = np.mgrid[0:FACE_HEIGHT, 0:FACE_WIDTH].astype(np.float32)
    dx = cv2.resize(coarse[0], (FACE_WIDTH, FACE_HEIGHT), interpolation=cv2.INTER_CUBIC)
    dy = cv2.resize(coarse[1], (FACE_WIDTH, FACE_HEIGHT), interpolation=cv2.INTER_CUBIC)
    return x + dx, y + dy


def paste(scene: Bytes, piece: Bytes, x: int, y: int) -> None:
    """Put ``piece`` into ``scene``, its top left at ``(x, y)`` px, as far as it lies inside.

    ``scene``: ``(SCENE, SCENE, 3)``; ``piece``: ``(H, W, 3)``.
    """
    x0, y0 = max(x, 0), max(y, 0)
    x1, y1 = min(x + piece.shape[1], SCENE), min(y + piece.shape[0], SCENE)
    if x1 > x0 and y1 > y0:
        scene[y0:y1, x0:x1] = piece[y0 - y : y1 - y, x0 - x : x1 - x]


def tinted(face: Bytes, paper: npt.NDArray[np.floating]) -> Bytes:
    """Ink on white becomes ink on `paper` (BGR 0–255, ``(3,)``); `face`: ``(H, W, 3)``.

    Returned in the same shape.
    """
    table = np.arange(256)[:, None] * np.asarray(paper) / 255
    return as_bytes(cv2.LUT(face, table.astype(np.uint8)[None]))


def _rounded(radius: int) -> Bytes:
    mask = np.zeros((FACE * 2, FACE * 2), np.uint8)
    r, n = radius * 2, FACE * 2 - 1
    cv2.rectangle(mask, (r, 0), (n - r, n), 255, -1)
    cv2.rectangle(mask, (0, r), (n, n - r), 255, -1)
    for x in (r, n - r):
        for y in (r, n - r):
            cv2.circle(mask, (x, y), r, 255, -1, cv2.LINE_AA)
    small = cv2.resize(mask, (FACE, FACE), interpolation=cv2.INTER_AREA)
    return np.asarray(small // 128 * 255, np.uint8)


ROUNDED: Final = tuple(_rounded(r) for r in (3, 5, 8, 11))
_SKIN: Final = np.array([140.0, 170.0, 225.0])
