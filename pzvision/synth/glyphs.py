"""Chinese characters and digits as brush strokes, so that no font is needed.

A glyph is a list of strokes in a 100 × 100 box (x right, y down). Each stroke is a kind and a
polyline; the kind says how a brush swells along it:

``h`` 横, ``s`` 竖, ``p`` 撇, ``n`` 捺, ``d`` 点, ``z`` a turning stroke (折, 钩).
"""

# ruff: noqa: E501  (tables of data)

from __future__ import annotations

from itertools import pairwise
from typing import Final, Literal, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

Brush: TypeAlias = Literal["kai", "hei", "song", "bold"]
Stroke: TypeAlias = tuple[str, tuple[tuple[float, float], ...]]
Image: TypeAlias = npt.NDArray[np.uint8]
"""A picture: ``(H, W, 3)`` uint8 BGR."""
Colour: TypeAlias = tuple[int, int, int]


def _parse(text: str) -> tuple[Stroke, ...]:
    """``"h 8,52 92,48; s 20,32 20,94"`` → strokes."""
    strokes: list[Stroke] = []
    for part in text.split(";"):
        kind, *points = part.split()
        strokes.append((kind, tuple((float(p.split(",")[0]), float(p.split(",")[1])) for p in points)))
    return tuple(strokes)


_TEXT: Final[dict[str, str]] = {
    "一": "h 6,54 94,47",
    "二": "h 22,27 78,23; h 5,79 95,75",
    "三": "h 18,18 80,14; h 25,49 74,46; h 4,84 96,80",
    "四": "s 14,24 20,84; z 14,24 86,20 80,82; p 40,24 38,46 27,60; z 59,23 58,46 62,53 76,52; h 20,79 80,77",
    "五": "h 14,14 84,11; s 46,14 35,84; z 20,47 74,43 68,83; h 4,87 96,84",
    "伍": "p 30,4 22,26 5,48; s 20,34 20,96; h 40,17 92,13; s 64,16 54,84; z 43,50 86,46 81,84; h 33,88 99,85",
    "六": "d 44,4 57,20; h 5,41 95,36; p 40,54 32,74 10,95; n 58,54 70,70 91,94",
    "七": "h 6,50 94,34; z 42,6 41,66 47,82 60,86 82,86 91,80 92,64",
    "八": "p 38,20 32,52 5,90; n 52,14 66,52 96,90",
    "九": "p 42,4 39,40 27,70 5,94; z 10,36 68,31 64,66 65,84 74,91 88,90 95,82 94,66",
    "萬": "h 6,15 94,12; s 33,2 35,25; s 68,1 65,25; s 24,31 27,57; z 24,31 77,30 74,56; h 27,44 74,43;"
    "h 27,57 74,56; s 50,31 50,84; s 13,67 14,98; z 13,68 88,66 86,93 82,97 74,92; h 31,87 65,82; d 60,75 71,89",
    "萬b": "p 34,2 32,14 26,26; d 36,8 44,22; h 6,19 94,10; s 70,0 62,24; s 25,32 30,58; z 25,32 80,28 73,56; h 29,45 74,42;"
    "h 30,58 73,56; z 50,31 50,72 46,80; p 36,62 24,78 2,90; z 20,74 90,64 92,82 86,97 74,94; p 50,74 38,90 24,98;"
    "h 40,90 66,82; d 60,74 72,90",
    "万": "h 6,16 94,13; p 46,16 41,54 8,94; z 42,44 82,41 76,88 70,92 58,84",
    "東": "h 10,18 90,15; s 50,1 50,99; s 22,30 25,63; z 22,30 79,29 76,62; h 25,46 76,45; h 25,62 76,61;"
    "p 48,63 35,80 7,93; n 52,63 68,79 95,92",
    "南": "h 12,17 88,14; s 50,1 50,32; s 13,34 13,97; z 13,34 88,32 86,93 82,97 73,91; d 35,40 42,51;"
    "p 66,39 60,48 56,53; h 29,57 71,56; h 25,72 75,71; s 50,56 50,93",
    "西": "h 5,13 95,10; s 12,36 17,95; z 12,36 88,33 84,94; p 40,13 38,42 25,63; z 60,12 60,52 64,59 80,57; h 17,89 84,87",
    "北": "s 37,6 37,96; h 8,34 37,31; p 37,64 22,74 4,82; p 90,24 78,36 62,44; z 61,5 61,80 66,89 88,90 95,84 95,68",
    "中": "s 14,28 17,66; z 14,28 86,25 83,65; h 17,63 83,61; s 50,1 50,99",
    "發": "z 15,15 39,12 26,32 5,46; d 13,25 24,34; n 56,5 69,26 95,43; p 75,6 67,14 60,18; p 86,17 80,24 72,29;"
    "z 13,52 41,51 40,62 15,64 13,77 42,76 38,94 27,93; p 62,49 60,59 51,68; z 61,50 83,49 82,62 94,62;"
    "z 53,73 85,71 72,87 47,99; n 58,78 72,89 97,99",
    "春": "h 18,12 82,10; h 24,26 76,24; h 6,42 94,40; p 48,2 44,36 6,66; n 54,34 68,50 96,64; s 30,58 30,98;"
    "z 30,58 70,57 70,98; h 30,77 70,76; h 30,96 70,95",
    "夏": "h 8,10 92,8; s 30,22 30,58; z 30,22 70,21 70,58; h 30,34 70,33; h 30,46 70,45; h 30,58 70,57;"
    "p 40,62 30,76 10,84; z 38,66 74,64 56,84 14,98; n 36,72 60,88 96,98",
    "秋": "p 40,6 26,12 10,16; h 4,34 48,31; s 27,14 27,98; p 26,38 18,56 4,68; n 28,40 38,50 48,58; d 56,30 62,46;"
    "p 92,26 86,40 80,46; p 74,6 72,52 48,96; n 74,50 82,76 98,96",
    "冬": "p 44,2 34,22 12,42; z 38,18 74,16 52,42 8,62; n 34,26 58,44 96,58; d 44,62 56,72; d 40,82 58,96",
    "竹": "p 24,4 20,24 4,40; h 12,26 46,22; s 30,26 30,96; p 66,4 62,24 52,38; h 58,24 96,20; z 76,24 76,90 70,96 62,88",
    "菊": "h 6,14 94,12; s 34,2 35,24; s 66,2 64,24; p 30,26 22,44 6,58; z 24,40 88,38 84,90 76,96; h 24,64 74,62;"
    "s 49,46 49,92; p 48,66 40,80 26,88; n 50,66 60,78 72,86; d 34,50 40,58; p 64,48 58,58 56,60",
    "梅": "h 4,30 44,27; s 24,4 24,98; p 23,32 16,52 2,66; d 28,42 40,54; p 60,2 56,18 46,30; h 56,16 96,13;"
    "s 58,34 52,82; z 58,34 88,33 84,88 78,94; h 46,58 98,56; h 50,82 90,80; d 68,40 72,48; d 66,64 70,73",
    "福": "d 20,2 28,12; z 6,24 40,22 24,48 4,62; s 24,46 24,98; d 30,50 40,60; h 50,8 96,6; s 56,18 58,40;"
    "z 56,18 90,17 88,38; h 58,39 88,38; s 52,52 52,98; z 52,52 94,51 94,98; h 52,74 94,73; h 52,96 94,95; s 73,52 73,96",
    "1": "z 34,22 52,6; s 52,6 52,94; h 32,94 72,94",
    "2": "z 22,26 34,8 62,6 78,22 74,42 20,92; h 20,92 80,92",
    "3": "z 22,14 48,5 74,16 74,34 46,46; z 46,46 78,60 78,80 52,95 20,86",
    "4": "z 62,94 62,6 16,66 84,66",
    "5": "z 74,8 28,8 24,44 52,38 78,54 78,78 52,95 20,86",
    "6": "z 70,10 44,12 24,44 22,72 44,95 70,90 80,68 64,50 40,50 24,64",
    "7": "h 20,8 80,8; z 80,8 52,50 42,94",
    "8": "z 50,48 24,36 26,14 50,5 74,14 76,34 50,48 22,62 22,84 50,95 78,84 78,62 50,48",
    "9": "z 76,36 60,50 36,50 20,32 30,10 56,5 78,28 76,58 56,88 30,92",
}
GLYPHS: Final[dict[str, tuple[Stroke, ...]]] = {char: _parse(text) for char, text in _TEXT.items()}

# Crowded characters are written with a finer brush.
_FINENESS: Final[dict[str, float]] = {
    "萬": 0.72, "萬b": 0.74, "發": 0.68, "東": 0.75, "南": 0.74, "伍": 0.88, "四": 0.92, "五": 0.95, "春": 0.68, "夏": 0.66,
    "秋": 0.72, "竹": 0.8, "菊": 0.62, "梅": 0.66, "福": 0.62, "西": 0.9,
}  # fmt: skip

# Width along a stroke, at five points from its start to its end, in parts of the brush's width.
_KAI: Final[dict[str, tuple[float, ...]]] = {
    "h": (0.85, 0.66, 0.62, 0.72, 1.1),
    "s": (1.15, 0.95, 0.9, 0.95, 0.85),
    "p": (1.2, 1.0, 0.85, 0.6, 0.14),
    "n": (0.35, 0.7, 1.0, 1.4, 0.3),
    "d": (0.35, 0.8, 1.15, 1.3, 0.9),
    "z": (0.9, 0.85, 0.95, 0.95, 0.6),
}
_SONG: Final[dict[str, tuple[float, ...]]] = {
    "h": (0.55, 0.42, 0.42, 0.46, 0.95),
    "s": (1.2, 1.1, 1.1, 1.1, 1.0),
    "p": (1.2, 1.05, 0.85, 0.55, 0.14),
    "n": (0.3, 0.65, 1.0, 1.3, 0.2),
    "d": (0.3, 0.8, 1.2, 1.25, 0.6),
    "z": (0.7, 0.8, 1.0, 0.95, 0.45),
}
_PROFILES: Final[dict[str, dict[str, tuple[float, ...]]]] = {"kai": _KAI, "song": _SONG, "bold": _KAI}


def smooth(points: npt.NDArray[np.float64], steps: int = 8) -> npt.NDArray[np.float64]:
    """Catmull–Rom curve ``(M, 2)`` through ``(N, 2)`` points in their units; two stay a straight line."""
    if len(points) < 3:
        t = np.linspace(0.0, 1.0, steps + 1)[:, None]
        return np.asarray(points[0] * (1 - t) + points[-1] * t, np.float64)
    padded = np.vstack([2 * points[0] - points[1], points, 2 * points[-1] - points[-2]])
    t = np.linspace(0.0, 1.0, steps, endpoint=False)[:, None]
    out = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        out.append(
            0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
        )
    return np.vstack([*out, points[-1:]])


def brush_line(
    image: Image, points: npt.NDArray[np.float64], widths: npt.NDArray[np.float64], colour: Colour
) -> None:
    """Paint a line whose width (px, ``(N,)``) changes along ``(N, 2)`` px points, with round joints."""
    last = None
    for (x, y), width in zip(points, widths, strict=True):
        radius = max(width / 2, 0.4)
        cv2.circle(image, (round(x * 16), round(y * 16)), round(radius * 16), colour, -1, cv2.LINE_AA, 4)
        if last is not None:
            (lx, ly), lr = last
            dx, dy = x - lx, y - ly
            length = float(np.hypot(dx, dy))
            if length > 1e-6:
                nx, ny = -dy / length, dx / length
                quad = [
                    (lx + nx * lr, ly + ny * lr),
                    (x + nx * radius, y + ny * radius),
                    (x - nx * radius, y - ny * radius),
                    (lx - nx * lr, ly - ny * lr),
                ]
                cv2.fillConvexPoly(
                    image, np.round(np.array(quad) * 16).astype(np.int32), colour, cv2.LINE_AA, 4
                )
        last = ((x, y), radius)


def draw_glyph(
    image: Image,
    char: str,
    box: tuple[float, float, float, float],
    colour: Colour,
    *,
    brush: Brush = "kai",
    weight: float = 13.0,
    rng: np.random.Generator | None = None,
) -> None:
    """Write one character into ``box`` = (left, top, width, height) in px.

    ``weight`` is the brush's width in hundredths, parts of the box. ``rng`` shakes the strokes a little, so
    that two sets written with one brush still differ. Raises `KeyError` for a character not in `GLYPHS`.
    """
    left, top, width, height = box
    scale = np.array([width / 100, height / 100])
    unit = min(width, height) / 100 * weight * _FINENESS.get(char, 1.0)
    for kind, path in GLYPHS[char]:
        points = np.array(path, np.float64)
        if rng is not None:
            points = points + rng.normal(0.0, 1.1, points.shape)
        if kind in ("p", "n", "d") or char.isdigit():
            curve = smooth(points)
        elif kind == "z":
            curve = _turning(points)
        else:
            curve = smooth(points)
            if brush in ("kai", "bold") and kind == "h":
                bow = np.sin(np.linspace(0, np.pi, len(curve))) * -2.0
                curve = curve + np.stack([np.zeros_like(bow), bow], 1)
        if brush == "hei" or char.isdigit():
            profile = np.ones(len(curve))
        else:
            keys = _PROFILES[brush][kind]
            profile = np.interp(np.linspace(0, 4, len(curve)), np.arange(5), keys)
        brush_line(image, curve * scale + (left, top), profile * unit, colour)


def _turning(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A turning stroke: its sharp corners stay, its shallow bends become round."""
    cuts = [0]
    for i in range(1, len(points) - 1):
        a, b = points[i] - points[i - 1], points[i + 1] - points[i]
        cosine = float(a @ b) / (float(np.linalg.norm(a) * np.linalg.norm(b)) + 1e-9)
        if cosine < 0.35:
            cuts.append(i)
    cuts.append(len(points) - 1)
    return np.vstack([smooth(points[a : b + 1]) for a, b in pairwise(cuts)])
