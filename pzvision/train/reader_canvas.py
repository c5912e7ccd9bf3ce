"""What drawn faces share: fonts at hand, the style of one invented set, a canvas in shares of the face.

Chinese characters come from whatever fonts with CJK glyphs are installed on the training machine (Debian:
fonts-noto-cjk, fonts-arphic-ukai, fonts-cwtex-kai, …); none is shipped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

HEIGHT: Final = 128
WIDTH: Final = 96
Picture = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]
Point = tuple[float, float]
"""x and y as shares of the face's width and height."""

_FONT_ROOTS: Final = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
# Fonts whose names contain one of these draw the characters we need; thin screen fonts are left out.
_FONT_NAMES: Final = (
    "NotoSerifCJK", "NotoSansCJK", "ukai", "uming", "bkai", "bsmi", "gkai", "gbsn", "cwkai", "cwming",
    "cwfs", "cwtex", "TW-Kai", "TW-Sung", "LXGWWenKai", "wqy-", "BabelStoneHan", "SmileySans", "Klee", "Hana",
    "cwheib", "ipam.", "kouzan-mouhitsu", "aoyagi-soseki",
)  # fmt: skip
_SUPERSAMPLE: Final = 2
MADE_UP: Final = 100
"""`Style.dot` and `Style.bar` from here on are seeds of makes that nobody drew."""


@dataclass(frozen=True)
class Style:
    """What the faces of one invented set share. Colours are BGR; lengths are shares of the face's width.

    ``dot`` and ``bar`` are makes of circles and bamboo: those of `random_style`, or from `MADE_UP` on others
    that are put together anew for each number.
    """

    inks: tuple[Colour, Colour, Colour]
    dot: int
    bar: int
    font: str
    font_index: int
    corner: int
    margin: float


def font_files() -> list[tuple[str, int]]:
    """``(path, index)`` of every usable CJK face installed here; empty where there is none."""
    found: list[tuple[str, int]] = []
    for root in _FONT_ROOTS:
        for path in sorted(root.rglob("*")) if root.is_dir() else ():
            if path.suffix.lower() not in (".ttf", ".ttc", ".otf") or not any(
                n in path.name for n in _FONT_NAMES
            ):
                continue
            if "Thin" in path.name or "ExtraLight" in path.name or "pixmap" in path.name:
                continue
            for index in (0, 2) if path.suffix == ".ttc" else (0,):
                try:
                    font = ImageFont.truetype(str(path), 40, index=index)
                except OSError:
                    continue
                if all(_has(font, c) for c in "萬伍七發"):
                    found.append((str(path), index))
    return found


def _has(font: ImageFont.FreeTypeFont, char: str) -> bool:
    mask = font.getmask(char)
    missing = font.getmask("\U0010fffe")
    return mask.getbbox() is not None and bytes(mask) != bytes(missing)


def random_style(rng: np.random.Generator, fonts: list[tuple[str, int]], *, made_up: bool = False) -> Style:
    """One invented set.

    ``made_up``: half of the circles and four in ten bamboos are of makes put together anew.
    """

    def near(colour: Colour, spread: int) -> Colour:
        a, b, c = (int(np.clip(v + rng.integers(-spread, spread + 1), 0, 235)) for v in colour)
        return a, b, c

    dark = near((45, 40, 35), 30) if rng.random() < 0.6 else near((150, 60, 30), 45)
    green = near((70, 110, 30), 40) if rng.random() < 0.85 else dark
    red = near((40, 35, 185), 40)
    if rng.random() < 0.08:
        green = red = dark
    path, index = fonts[int(rng.integers(len(fonts)))] if fonts else ("", 0)
    style = Style(
        inks=(dark, green, red),
        dot=int(rng.integers(8)),
        bar=int(rng.integers(6)),
        font=path,
        font_index=index,
        corner=int(rng.integers(5)) if rng.random() < 0.4 else 0,
        margin=float(rng.uniform(0.06, 0.17)),
    )
    if made_up and rng.random() < 0.5:
        style = replace(style, dot=MADE_UP + int(rng.integers(1 << 30)))
    if made_up and rng.random() < 0.4:
        style = replace(style, bar=MADE_UP + int(rng.integers(1 << 30)))
    return style


class Canvas:
    """A white face with drawing in shares of its width (x) and height (y)."""

    def __init__(self, style: Style, rng: np.random.Generator) -> None:
        self.style, self.rng = style, rng
        self.w, self.h = WIDTH * _SUPERSAMPLE, HEIGHT * _SUPERSAMPLE
        self.image: Picture = np.full((self.h, self.w, 3), 255, np.uint8)
        self.aspect = HEIGHT / WIDTH

    def px(self, p: Point) -> tuple[int, int]:
        """A point of the face, 0–1 along its width and height, in whole pixels."""
        return round(p[0] * self.w), round(p[1] * self.h)

    def circle(
        self, centre: Point, radius: float, colour: Colour, fill: bool = True, thick: float = 0.02
    ) -> None:
        """A disc or a ring; lengths are shares of the face's width."""
        r = max(1, round(radius * self.w))
        width = -1 if fill else max(1, round(thick * self.w))
        cv2.circle(self.image, self.px(centre), r, colour, width, cv2.LINE_AA)

    def line(self, a: Point, b: Point, colour: Colour, thick: float) -> None:
        """A straight line; ``thick`` is a share of the face's width."""
        cv2.line(self.image, self.px(a), self.px(b), colour, max(1, round(thick * self.w)), cv2.LINE_AA)

    def polygon(self, points: list[Point], colour: Colour, fill: bool = True, thick: float = 0.02) -> None:
        """A filled or an outlined polygon; ``thick`` is a share of the face's width."""
        array = np.array([self.px(p) for p in points], np.int32)
        if fill:
            cv2.fillPoly(self.image, [array], colour, cv2.LINE_AA)
        else:
            cv2.polylines(self.image, [array], True, colour, max(1, round(thick * self.w)), cv2.LINE_AA)

    def text(self, text: str, box: tuple[float, float, float, float], colour: Colour, bold: float) -> None:
        """`text` stretched to fill ``box`` (x0, y0, x1, y1 in shares).

        `bold`: share of its size by which its strokes are made thicker on either side.
        """
        if not self.style.font:
            return
        size = 120
        font = _font(self.style.font, self.style.font_index, size)
        stroke = max(0, round(bold * size))
        left, top, right, bottom = font.getbbox(text, stroke_width=stroke)
        mask = Image.new("L", (int(right - left) + 4, int(bottom - top) + 4), 0)
        ImageDraw.Draw(mask).text((2 - left, 2 - top), text, 255, font=font, stroke_width=stroke)
        x0, y0 = self.px((box[0], box[1]))
        x1, y1 = self.px((box[2], box[3]))
        x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, self.w), min(y1, self.h)
        if x1 - x0 < 4 or y1 - y0 < 3:
            return
        glyph = np.asarray(mask, np.uint8)
        if self.rng.random() < 0.7:
            glyph = _another_hand(glyph, self.rng)
        alpha = cv2.resize(glyph, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)[..., None] / 255.0
        area = self.image[y0:y1, x0:x1]
        area[:] = (area * (1 - alpha) + np.array(colour) * alpha).astype(np.uint8)

    def done(self) -> Picture:
        """The face at the reader's size, ``(HEIGHT, WIDTH, 3)`` uint8."""
        return np.asarray(cv2.resize(self.image, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)


def _another_hand(glyph: npt.NDArray[np.uint8], rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """The same character as another carver would cut it: sheared, bent, its parts a little shifted."""
    h, w = glyph.shape
    pad = 10
    glyph = np.asarray(cv2.copyMakeBorder(glyph, pad, pad, pad, pad, cv2.BORDER_CONSTANT), np.uint8)
    h, w = glyph.shape
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    bend = rng.normal(0, 0.035, (2, 3, 3)).astype(np.float32) * min(h, w)
    dx = cv2.resize(bend[0], (w, h), interpolation=cv2.INTER_CUBIC) + rng.normal(0, 0.1) * (y - h / 2)
    dy = cv2.resize(bend[1], (w, h), interpolation=cv2.INTER_CUBIC) + rng.normal(0, 0.06) * (x - w / 2)
    bent = cv2.remap(glyph, (x + dx).astype(np.float32), (y + dy).astype(np.float32), cv2.INTER_LINEAR)
    inked = np.argwhere(bent > 60)
    if len(inked) < 20:
        return glyph
    (y0, x0), (y1, x1) = inked.min(0), inked.max(0) + 1
    return np.asarray(bent[y0:y1, x0:x1], np.uint8)


_fonts: dict[tuple[str, int, int], Any] = {}


def _font(path: str, index: int, size: int) -> Any:
    key = (path, index, size)
    if key not in _fonts:
        _fonts[key] = ImageFont.truetype(path, size, index=index)
    return _fonts[key]
