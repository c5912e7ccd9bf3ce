"""The faces and backs of mahjong tiles, drawn by our own code in many looks.

`draw_face` gives one upright face; a `FaceSource` (`DrawnFaces`, `crop_faces.CropFaces`) hands the renderer
faces of one set. Crops of real tiles are read from a folder the caller names; none are shipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, Protocol

import cv2
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.synth.birds import draw_bird, draw_plant
from pzvision.synth.glyphs import Colour, Image, draw_glyph
from pzvision.synth.looks import LOOKS, Look, random_look
from pzvision.synth.motifs import draw_bamboo, draw_dot, draw_great_dot
from pzvision.tiles import BACK, CLASSES, KINDS, OTHER, rank, suit

__all__ = [
    "LOOKS",
    "OTHER_VARIANTS",
    "DrawnFaces",
    "FaceSource",
    "Look",
    "draw_face",
    "engraved",
    "random_look",
]

ASPECT: Final = 0.75
"""Width of a face in parts of its height."""

OTHER_VARIANTS: Final = 18
"""Drawings of class `OTHER`: 0–6 東南西北中發白, 7–10 flowers, 11–14 seasons, 15 blank, 16 福, 17 中."""

_WINDS: Final = "東南西北中發"
_PLANT_CHARS: Final = "梅春菊竹"
_SEASONS: Final = "春夏秋冬"


class FaceSource(Protocol):
    """Faces of one tile set, all of one size."""

    @property
    def look(self) -> Look:
        """The colours of its bodies and backs."""
        ...

    def face(self, kind: int, copy: int = 0) -> Image:
        """``(H, W, 3)`` uint8 BGR of class ``kind`` (0–28); ``copy`` picks among several pictures."""
        ...


def draw_face(kind: int, look: Look | str, size: int = 256, *, variant: int = 0) -> Image:
    """One face (kinds 0–26 and `OTHER`) or back (`BACK`), upright.

    Args:
        kind: class id 0–28.
        look: a `Look` or the name of one in `LOOKS`.
        size: height in px; the width is three quarters of it.
        variant: which of the `OTHER_VARIANTS` drawings, for `OTHER` only.

    Returns:
        ``(size, round(size * 0.75), 3)`` uint8 BGR.

    Raises:
        PzvisionError: an unknown look.
        ValueError: ``kind`` is not in 0–28.
    """
    if isinstance(look, str):
        if look not in LOOKS:
            raise PzvisionError(f"unknown look {look!r}: expected one of {' '.join(LOOKS)}")
        look = LOOKS[look]
    if not 0 <= kind < CLASSES:
        raise ValueError(f"kind: expected 0..{CLASSES - 1}, got {kind}")
    big = _draw_big(kind, look, variant % OTHER_VARIANTS, min(_LARGEST, max(96, 2 * size)))
    if look.engraving > 0 and kind != BACK:
        big = engraved(big, look)
    return np.asarray(cv2.resize(big, (round(size * ASPECT), size), interpolation=cv2.INTER_AREA), np.uint8)


_LARGEST: Final = 512
"""Height in px of the largest picture that is drawn before it is made smaller."""


@lru_cache(maxsize=64)
def _draw_big(kind: int, look: Look, variant: int, height: int) -> Image:
    if look.index != "none" and kind < KINDS and look.art > 0.9:  # the corner digit needs room
        look = replace(look, art=0.9)
    image = np.empty((height, round(height * ASPECT), 3), np.uint8)
    image[:] = look.back if kind == BACK else look.face
    rng = np.random.default_rng([look.shake, kind, variant])
    if kind == BACK:
        return image
    if kind == OTHER:
        _draw_other(image, look, variant, rng)
        return image
    number = rank(kind)
    (_draw_wan, _draw_bamboos, _draw_dots)[suit(kind)](image, look, number, rng)
    if look.index != "none":
        _draw_index(image, look, str(number))
    return image


def engraved(image: Image, look: Look) -> Image:
    """Cut into the surface: edges towards the light (top left) dark, the others bright."""
    ink = np.abs(image.astype(np.int16) - np.array(look.face, np.int16)).max(axis=2)
    depth = cv2.GaussianBlur(np.minimum(ink, 120).astype(np.float32), (0, 0), image.shape[0] / 300)
    step = max(1, image.shape[0] // 170)
    slope = np.roll(depth, (step, step), (0, 1)) - np.roll(depth, (-step, -step), (0, 1))
    out = image + (slope * 0.35 * look.engraving)[..., None]
    return np.asarray(np.clip(out, 0, 255), np.uint8)


def _draw_index(image: Image, look: Look, text: str) -> None:
    tall, wide = image.shape[:2]
    left = 0.05 * wide if look.index == "left" else 0.83 * wide
    draw_glyph(
        image, text, (left, 0.04 * tall, 0.12 * wide, 0.115 * tall), look.index_ink, brush="hei", weight=20
    )


def _draw_wan(image: Image, look: Look, number: int, rng: np.random.Generator) -> None:
    tall, wide = image.shape[:2]
    char = look.five if number == 5 else "一二三四五六七八九"[number - 1]
    side = 0.58 * wide * look.art
    height = side * (0.5 if number == 1 else 0.68 if number in (2, 3, 4, 8) else 0.8)
    centre = 0.27 * tall
    box = (wide / 2 - side / 2, centre - height / 2, side, height)
    draw_glyph(image, char, box, look.numeral, brush=look.brush, weight=look.weight * 1.12, rng=rng)
    side = 0.6 * wide * look.art
    box = (wide / 2 - side / 2, 0.715 * tall - side / 2, side, side)
    draw_glyph(image, look.wan_char, box, look.wan, brush=look.brush, weight=look.weight, rng=rng)


# Bamboos as (centre x, centre y, length, ink) in parts of the face: g green, r red, m middle column's ink.
_BARS: Final[dict[int, tuple[tuple[float, float, float, str], ...]]] = {
    2: ((0.5, 0.3, 0.35, "g"), (0.5, 0.7, 0.35, "g")),
    3: ((0.5, 0.3, 0.35, "g"), (0.29, 0.7, 0.35, "g"), (0.71, 0.7, 0.35, "g")),
    4: tuple((x, y, 0.35, "g") for x in (0.29, 0.71) for y in (0.3, 0.7)),
    5: (*((x, y, 0.35, "g") for x in (0.24, 0.76) for y in (0.3, 0.7)), (0.5, 0.5, 0.35, "r")),
    6: tuple((x, y, 0.35, "g") for x in (0.24, 0.5, 0.76) for y in (0.3, 0.7)),
    7: ((0.5, 0.19, 0.25, "r"),
        *((x, y, 0.25, "m" if x == 0.5 else "g") for x in (0.24, 0.5, 0.76) for y in (0.5, 0.79))),
    9: tuple((x, y, 0.26, "r" if x == 0.5 else "g") for x in (0.24, 0.5, 0.76) for y in (0.21, 0.5, 0.79)),
}  # fmt: skip


def _draw_bamboos(image: Image, look: Look, number: int, rng: np.random.Generator) -> None:
    tall, wide = image.shape[:2]
    inks: dict[str, Colour] = {"g": look.green, "r": look.red}
    inks["m"] = {"red": look.red, "dark": look.dark, "green": look.green}[look.middle_bar]
    if number == 1:
        unit = 0.0084 * wide * look.art
        at = (wide / 2 - 50 * unit, tall / 2 - 66 * unit)
        draw_bird(image, *at, unit, look.bird, (look.green, look.red, look.dark), look.face)
        return
    width = 0.145 * wide * look.bar * (0.92 if number in (7, 9) else 1.0)

    def bar(x0: float, y0: float, x1: float, y1: float, ink: str) -> None:
        k = look.art
        a = (wide * (0.5 + (x0 - 0.5) * k), tall * (0.5 + (y0 - 0.5) * k))
        b = (wide * (0.5 + (x1 - 0.5) * k), tall * (0.5 + (y1 - 0.5) * k))
        draw_bamboo(image, a, b, width, look.bamboo, inks[ink], look.face)

    if number == 8:  # W above M
        width *= 0.9
        for top, flip in ((0.12, False), (0.54, True)):
            low = top + 0.34
            inner = (low, top + 0.06) if not flip else (top, low - 0.06)
            for x0, x1 in ((0.25, 0.5), (0.75, 0.5)):
                bar(
                    x0 + (0.03 if x0 < 0.5 else -0.03),
                    inner[0],
                    x1 + (-0.04 if x0 < 0.5 else 0.04),
                    inner[1],
                    "g",
                )
            for x in (0.2, 0.8):
                bar(x, top, x, low, "g")
        return
    for x, y, length, ink in _BARS[number]:
        bar(x, y - length / 2, x, y + length / 2, ink)


# Dots as (x, y, ink index) with a radius in parts of the width; ink 0 green, 1 red, 2 dark.
_DOTS: Final[dict[int, tuple[float, tuple[tuple[float, float, int], ...]]]] = {
    2: (0.2, ((0.5, 0.29, 0), (0.5, 0.71, 2))),
    3: (0.155, ((0.26, 0.21, 0), (0.5, 0.5, 1), (0.74, 0.79, 2))),
    4: (0.17, ((0.28, 0.27, 0), (0.72, 0.27, 2), (0.28, 0.73, 2), (0.72, 0.73, 0))),
    5: (0.145, ((0.25, 0.23, 0), (0.75, 0.23, 2), (0.5, 0.5, 1), (0.25, 0.77, 2), (0.75, 0.77, 0))),
    6: (0.155, tuple((x, y, int(y > 0.3)) for y in (0.21, 0.55, 0.8) for x in (0.3, 0.7))),
    7: (0.14, ((0.22, 0.16, 0), (0.5, 0.25, 0), (0.78, 0.34, 0),
               *((x, y, 1) for y in (0.6, 0.83) for x in (0.32, 0.68)))),
    8: (0.128, tuple((x, y, 2) for y in (0.16, 0.39, 0.61, 0.84) for x in (0.33, 0.67))),
    9: (0.135, tuple((x, y, row) for row, y in enumerate((0.2, 0.5, 0.8)) for x in (0.21, 0.5, 0.79))),
}  # fmt: skip


def _draw_dots(image: Image, look: Look, number: int, rng: np.random.Generator) -> None:
    tall, wide = image.shape[:2]
    inks: Sequence[Colour] = (look.green, look.red, look.dark)
    if look.dot_inks == "two":
        inks = (look.dark, look.red, look.dark)
    elif look.dot_inks == "one":
        inks = (look.dark, look.red, look.dark) if number in (3, 5, 6, 7, 9) else (look.dark,) * 3
    if number == 1:
        radius = 0.36 * wide * look.art
        draw_great_dot(
            image, wide / 2, tall / 2, radius, look.dot, (look.green, look.red, look.dark), look.face
        )
        return
    radius, places = _DOTS[number]
    for x, y, ink in places:
        px = wide * (0.5 + (x - 0.5) * look.art)
        py = tall * (0.5 + (y - 0.5) * look.art)
        draw_dot(image, px, py, radius * wide * look.art, look.dot, inks[ink], look.face)


def _draw_other(image: Image, look: Look, variant: int, rng: np.random.Generator) -> None:
    tall, wide = image.shape[:2]
    k = look.art
    inks = (look.green, look.red, look.dark)
    if variant < 6 or variant == 16:
        char = "福" if variant == 16 else _WINDS[variant]
        ink = {4: look.red, 5: look.green, 16: look.red}.get(variant, look.numeral)
        w, h = 0.72 * wide * k, 0.92 * wide * k
        draw_glyph(
            image,
            char,
            ((wide - w) / 2, (tall - h) / 2, w, h),
            ink,
            brush=look.brush,
            weight=look.weight,
            rng=rng,
        )
    elif variant in (6, 17):
        for inset, width in ((0.13, round(0.036 * wide)), (0.2, round(0.016 * wide))):
            a = (round(wide * inset), round(wide * inset))
            b = (round(wide * (1 - inset)), round(tall - wide * inset))
            cv2.rectangle(image, a, b, look.dark, max(1, width), cv2.LINE_AA)
        if variant == 17:
            draw_glyph(
                image,
                "中",
                (wide * 0.3, tall * 0.3, wide * 0.4, tall * 0.4),
                look.red,
                brush=look.brush,
                weight=13,
            )
    elif variant < 15:
        plant = (variant - 7) % 4
        unit = 0.0062 * wide * k
        draw_plant(image, wide / 2 - 50 * unit, 0.28 * tall, unit, plant, inks, look.face)
        char = (_PLANT_CHARS if variant < 11 else _SEASONS)[plant]
        ink = look.dark if variant < 11 else look.red
        draw_glyph(
            image,
            char,
            (0.62 * wide, 0.06 * tall, 0.28 * wide, 0.22 * tall),
            ink,
            brush=look.brush,
            weight=look.weight,
        )
        draw_glyph(
            image,
            str(plant + 1),
            (0.1 * wide, 0.08 * tall, 0.15 * wide, 0.14 * tall),
            look.red,
            brush="hei",
            weight=18,
        )


class DrawnFaces:
    """A set drawn by `draw_face`, ``size`` px high; ``copy`` varies class `OTHER` only.

    Raises `PzvisionError` for a look whose name there is not.
    """

    def __init__(self, look: Look | str, size: int = 256) -> None:
        if isinstance(look, str):
            if look not in LOOKS:
                raise PzvisionError(f"unknown look {look!r}: expected one of {' '.join(LOOKS)}")
            look = LOOKS[look]
        self._look = look
        self._size = size
        self._faces: dict[tuple[int, int], Image] = {}

    @property
    def look(self) -> Look:
        """The look it draws."""
        return self._look

    def face(self, kind: int, copy: int = 0) -> Image:
        """See `FaceSource.face`; the same picture object every time."""
        key = (kind, copy % OTHER_VARIANTS if kind == OTHER else 0)
        if key not in self._faces:
            self._faces[key] = draw_face(kind, self._look, self._size, variant=copy)
        return self._faces[key]
