"""What tiles lie on: felt, wood, cloth, mats, stone, glass, leather, paper; made of noise and lines."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from pzvision.synth.camera import Camera
from pzvision.synth.glyphs import Image

SURFACES: Final = (
    "felt",
    "wood",
    "cloth",
    "mat",
    "stone",
    "glass",
    "plain",
    "leather",
    "plaid",
    "floral",
    "tiles",
)
HELD_OUT_SURFACES: Final = ("baize", "weave", "ribbed")
"""Table tops that no model is trained on; chance never picks them."""

_SIDE: Final = 512
Noise = npt.NDArray[np.float32]

# Hue, saturation, value of usual felts (OpenCV's 0–180, 0–255, 0–255), with their spread.
_FELTS: Final = (
    (65, 170, 95),
    (80, 150, 90),
    (90, 160, 90),
    (2, 190, 150),
    (108, 170, 110),
    (12, 120, 110),
    (0, 5, 70),
    (150, 90, 90),
)


def noise(rng: np.random.Generator, size: tuple[int, int], scale: float, *, stretch: float = 1.0) -> Noise:
    """``(H, W)`` smooth noise, mean 0, deviation about 1; features of ``scale`` px, ``stretch`` × in x.

    ``size``: width, height, px.
    """
    h, w = size
    grid = (max(2, round(h / scale) + 1), max(2, round(w / (scale * stretch)) + 1))
    coarse = rng.standard_normal(grid).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (w, h), interpolation=cv2.INTER_CUBIC), np.float32)


def _hsv(h: float, s: float, v: float) -> npt.NDArray[np.float32]:
    pixel = np.array([[[h % 180, np.clip(s, 0, 255), np.clip(v, 0, 255)]]], np.uint8)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0], np.float32)


def _any_colour(
    rng: np.random.Generator, value: tuple[float, float] = (60, 230), saturation: float = 150
) -> npt.NDArray[np.float32]:
    return _hsv(rng.uniform(0, 180), rng.uniform(0, saturation), rng.uniform(*value))


def _shaded(base: Noise, light: npt.NDArray[np.floating]) -> Noise:
    """A colour with its brightness multiplied by 1 + ``light``."""
    return np.asarray(base[None, None] * (1.0 + light[..., None]), np.float32)


@lru_cache(maxsize=64)
def surface(kind: str, seed: int) -> Image:
    """``(512, 512, 3)`` uint8 BGR picture of a surface; the same for the same kind and seed.

    Raises `ValueError` for a kind not in `SURFACES`.
    """
    known = (*SURFACES, *HELD_OUT_SURFACES)
    if kind not in known:
        raise ValueError(f"surface: expected one of {' '.join(known)}, got {kind!r}")
    rng = np.random.default_rng([seed, known.index(kind)])
    n = (_SIDE, _SIDE)
    rough = noise(rng, n, 2) * 0.035 + noise(rng, n, 60) * 0.03
    if kind == "felt":
        h, s, v = _FELTS[int(rng.integers(len(_FELTS)))]
        base = _hsv(h + rng.normal(0, 5), s + rng.normal(0, 25), v + rng.normal(0, 22))
        out = _shaded(base, rough * rng.uniform(0.6, 1.6) + noise(rng, n, 1.2) * 0.03)
    elif kind == "baize":  # colours no usual felt has
        h, s, v = ((26, 120, 120), (135, 90, 100), (48, 120, 85), (100, 60, 70))[int(rng.integers(4))]
        out = _shaded(_hsv(h + rng.normal(0, 2), s, v), rough * 1.5 + noise(rng, n, 1.2) * 0.04)
    elif kind == "weave":
        y, x = np.mgrid[0:_SIDE, 0:_SIDE].astype(np.float32)
        threads = np.sin((x + y) * 2 * np.pi / 16) * 0.05 + np.sin((x - y) * 2 * np.pi / 16) * 0.05
        base = _hsv(rng.uniform(85, 125), rng.uniform(60, 110), rng.uniform(70, 110))
        out = _shaded(base, threads + rough)
    elif kind == "ribbed":
        y = np.mgrid[0:_SIDE, 0:_SIDE][0].astype(np.float32)
        base = _hsv(rng.uniform(55, 75), rng.uniform(90, 140), rng.uniform(60, 100))
        out = _shaded(base, np.abs(np.sin(y * np.pi / 16)) * 0.12 - 0.06 + rough)
    elif kind == "wood":
        base = _hsv(rng.uniform(5, 22), rng.uniform(50, 170), rng.uniform(60, 210))
        grain = noise(rng, n, 3, stretch=30) * 0.06 + noise(rng, n, 12, stretch=12) * 0.07
        out = _shaded(base, grain)
        if rng.random() < 0.6:
            step = int(rng.integers(50, 140))
            for y in range(int(rng.integers(step)), _SIDE, step):
                out[y : y + step] *= rng.uniform(0.86, 1.1)
                cv2.line(out, (0, y), (_SIDE, y), tuple(float(c) * 0.45 for c in base), 2)
    elif kind == "cloth":
        a, b = _any_colour(rng), _any_colour(rng)
        y, x = np.mgrid[0:_SIDE, 0:_SIDE].astype(np.float32)
        period = float(rng.choice([16, 32, 64, 128]))
        along = x if rng.random() < 0.5 else x + y
        stripes = np.sin(2 * np.pi * along / period) > rng.uniform(-0.5, 0.5)
        out = np.where(stripes[..., None], a, b) * (1 + rough[..., None])
    elif kind == "plaid":
        a, b = _any_colour(rng), _any_colour(rng)
        y, x = np.mgrid[0:_SIDE, 0:_SIDE].astype(np.float32)
        period = float(rng.choice([32, 64, 128]))
        mix = (
            (np.sin(2 * np.pi * x / period) > 0.2).astype(np.float32) + (np.sin(2 * np.pi * y / period) > 0.2)
        ) / 2
        out = (a * (1 - mix[..., None]) + b * mix[..., None]) * (1 + rough[..., None])
    elif kind == "mat":
        base = _hsv(rng.uniform(8, 25), rng.uniform(80, 190), rng.uniform(110, 220))
        out = _shaded(base, noise(rng, n, 4, stretch=8) * 0.08)
        step, wide = int(rng.choice([16, 32])), int(rng.choice([32, 64]))
        for y in range(0, _SIDE, step):
            cv2.line(out, (0, y), (_SIDE, y), tuple(float(c) * 0.4 for c in base), 2)
        for x in range(0, _SIDE, wide):
            cv2.line(out, (x, 0), (x, _SIDE), tuple(float(c) * 0.5 for c in base), 2)
    elif kind == "stone":
        base = _any_colour(rng, (120, 235), 40)
        vein = np.abs(noise(rng, n, 90) + 0.4 * noise(rng, n, 20))
        out = _shaded(base, noise(rng, n, 50) * 0.06 - np.exp(-vein * 14) * rng.uniform(0.1, 0.5))
    elif kind == "glass":
        base = _any_colour(rng, (25, 200), 90)
        out = _shaded(base, noise(rng, n, 200) * 0.25)
        for _ in range(int(rng.integers(1, 4))):
            x = int(rng.integers(_SIDE))
            band = np.zeros(n, np.float32)
            cv2.line(band, (x, 0), (x + int(rng.integers(-200, 200)), _SIDE), 1.0, int(rng.integers(10, 90)))
            out += cv2.GaussianBlur(band, (0, 0), 12)[..., None] * rng.uniform(20, 90)
    elif kind == "leather":
        base = _any_colour(rng, (30, 130), 160)
        cells = np.abs(noise(rng, n, 7)) * np.abs(noise(rng, n, 11))
        out = _shaded(base, np.minimum(cells, 1.2) * 0.28 + rough)
        if rng.random() < 0.4:  # woven
            y, x = np.mgrid[0:_SIDE, 0:_SIDE].astype(np.float32)
            out *= 1 + 0.35 * (np.sin(x * 2 * np.pi / 24) * np.sin(y * 2 * np.pi / 24))[..., None]
    elif kind == "floral":
        out = _shaded(_any_colour(rng, (110, 235)), rough)
        inks = [_any_colour(rng) for _ in range(4)]
        for _ in range(int(rng.integers(30, 120))):
            x, y = (int(v) for v in rng.integers(0, _SIDE, 2))
            r = int(rng.integers(4, 26))
            ink = tuple(float(v) for v in inks[int(rng.integers(4))])
            if rng.random() < 0.5:
                for k in range(5):
                    cv2.circle(
                        out,
                        (round(x + r * np.cos(k * 1.26)), round(y + r * np.sin(k * 1.26))),
                        r // 2,
                        ink,
                        -1,
                        cv2.LINE_AA,
                    )
            else:
                cv2.ellipse(
                    out, (x, y), (r, r // 3), float(rng.uniform(0, 180)), 0, 360, ink, -1, cv2.LINE_AA
                )
    elif kind == "tiles":
        base = _any_colour(rng, (120, 230), 60)
        out = _shaded(base, noise(rng, n, 30) * 0.04 + rough)
        step = int(rng.choice([64, 128, 256]))
        for v in range(0, _SIDE, step):
            cv2.line(out, (0, v), (_SIDE, v), tuple(float(c) * 0.6 for c in base), 3)
            cv2.line(out, (v, 0), (v, _SIDE), tuple(float(c) * 0.6 for c in base), 3)
    else:
        out = _shaded(_any_colour(rng, (70, 250), 60), rough * rng.uniform(0.2, 1.0))
    return np.clip(out, 0, 255).astype(np.uint8)


def lay(
    image: Image,
    camera: Camera,
    texture: Image,
    cm: float,
    *,
    z: float = 0.0,
    turn: float = 0.0,
    origin: tuple[float, float] = (0.0, 0.0),
) -> None:
    """Cover the whole picture with the texture spread on the plane at height ``z`` cm, ``cm`` wide a copy.

    ``turn``: radians. ``origin``: x, y by which the texture is moved, cm.
    What lies above the horizon gets the texture's mean colour.
    """
    h, w = image.shape[:2]
    scale = texture.shape[0] / cm
    c, s = np.cos(turn) * scale, np.sin(turn) * scale
    to_texture = np.array([[c, -s, origin[0] * scale], [s, c, origin[1] * scale], [0, 0, 1.0]])
    matrix = to_texture @ np.linalg.inv(camera.homography(z))
    far = camera.focal / max(float(np.median(camera.eye[2] - z)), 1.0)
    if far * cm / texture.shape[0] < 0.5:  # a copy is drawn much smaller than it is stored
        factor = max(0.08, far * cm / texture.shape[0] * 1.5)
        texture = np.asarray(
            cv2.resize(texture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8
        )
        matrix = np.diag([texture.shape[1] / (_SIDE), texture.shape[0] / (_SIDE), 1.0]) @ matrix
    cv2.warpPerspective(
        texture,
        matrix,
        (w, h),
        dst=image,
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REFLECT,
    )
    slope = camera.rotation[2, 2]
    across = camera.rotation[0, 2]
    if abs(slope) < 0.95:  # rays that never meet the plane
        y, x = np.mgrid[0:h:8, 0:w:8].astype(np.float32)
        rise = ((x - w / 2) * across + (y - h / 2) * camera.rotation[1, 2]) / camera.focal + slope
        sky = cv2.resize((rise > -0.015).astype(np.uint8), (w, h), interpolation=cv2.INTER_NEAREST)
        if sky.any():
            image[sky > 0] = np.asarray(texture.reshape(-1, 3).mean(0) * 0.7 + 40, np.uint8)
