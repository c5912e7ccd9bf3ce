"""Random tile faces drawn from scratch, every one different: more sets than there are photos of.

Each face is drawn on white at `HEIGHT` × `WIDTH`: layout, colours, the look of dots and bamboo segments,
the fonts of the characters and the small corner figures are all drawn at random within what real sets show
(Chinese, Japanese and American sets; 万 as 萬 or 万, five as 伍 or 五, honours in both scripts). Chinese
characters come from whatever fonts with CJK glyphs are installed on the training machine (Debian:
fonts-noto-cjk, fonts-arphic-ukai, fonts-cwtex-kai, …); none is shipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from pzvision.tiles import OTHER

HEIGHT: Final = 128
WIDTH: Final = 96
Picture = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]
Point = tuple[float, float]

_FONT_ROOTS: Final = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
# Fonts whose names contain one of these draw the characters we need; thin screen fonts are left out.
_FONT_NAMES: Final = (
    "NotoSerifCJK", "NotoSansCJK", "ukai", "uming", "bkai", "bsmi", "gkai", "gbsn", "cwkai", "cwming",
    "cwfs", "cwtex", "TW-Kai", "TW-Sung", "LXGWWenKai", "wqy-", "BabelStoneHan", "SmileySans", "Klee", "Hana",
)  # fmt: skip
_DIGITS: Final = "一二三四五六七八九"
_HONOURS: Final = "東南西北中發东发"
_OTHER_CHARS: Final = (
    "春夏秋冬梅蘭兰竹菊財神财漁渔樵耕讀读琴棋書画王后帝" + "相百搭福祿壽喜聽用總合花公侯將龍鳳"
)
_SUPERSAMPLE: Final = 2


@dataclass(frozen=True)
class Style:
    """What the faces of one invented set share. Colours are BGR; lengths are shares of the face's width."""

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


def random_style(rng: np.random.Generator, fonts: list[tuple[str, int]]) -> Style:
    """One invented set."""

    def near(colour: Colour, spread: int) -> Colour:
        a, b, c = (int(np.clip(v + rng.integers(-spread, spread + 1), 0, 235)) for v in colour)
        return a, b, c

    dark = near((45, 40, 35), 30) if rng.random() < 0.6 else near((150, 60, 30), 45)
    green = near((70, 110, 30), 40) if rng.random() < 0.85 else dark
    red = near((40, 35, 185), 40)
    if rng.random() < 0.08:
        green = red = dark
    path, index = fonts[int(rng.integers(len(fonts)))] if fonts else ("", 0)
    return Style(
        inks=(dark, green, red),
        dot=int(rng.integers(8)),
        bar=int(rng.integers(6)),
        font=path,
        font_index=index,
        corner=int(rng.integers(5)) if rng.random() < 0.4 else 0,
        margin=float(rng.uniform(0.06, 0.17)),
    )


class _Canvas:
    """A white face with drawing in shares of its width (x) and height (y)."""

    def __init__(self, style: Style, rng: np.random.Generator) -> None:
        self.style, self.rng = style, rng
        self.w, self.h = WIDTH * _SUPERSAMPLE, HEIGHT * _SUPERSAMPLE
        self.image: Picture = np.full((self.h, self.w, 3), 255, np.uint8)
        self.aspect = HEIGHT / WIDTH

    def px(self, p: Point) -> tuple[int, int]:
        return round(p[0] * self.w), round(p[1] * self.h)

    def circle(
        self, centre: Point, radius: float, colour: Colour, fill: bool = True, thick: float = 0.02
    ) -> None:
        r = max(1, round(radius * self.w))
        width = -1 if fill else max(1, round(thick * self.w))
        cv2.circle(self.image, self.px(centre), r, colour, width, cv2.LINE_AA)

    def line(self, a: Point, b: Point, colour: Colour, thick: float) -> None:
        cv2.line(self.image, self.px(a), self.px(b), colour, max(1, round(thick * self.w)), cv2.LINE_AA)

    def polygon(self, points: list[Point], colour: Colour, fill: bool = True, thick: float = 0.02) -> None:
        array = np.array([self.px(p) for p in points], np.int32)
        if fill:
            cv2.fillPoly(self.image, [array], colour, cv2.LINE_AA)
        else:
            cv2.polylines(self.image, [array], True, colour, max(1, round(thick * self.w)), cv2.LINE_AA)

    def text(self, text: str, box: tuple[float, float, float, float], colour: Colour, bold: float) -> None:
        """`text` stretched to fill ``box`` (x0, y0, x1, y1 in shares); `bold` thickens its strokes."""
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


def draw_face(kind: int, style: Style, rng: np.random.Generator) -> Picture:
    """``(HEIGHT, WIDTH, 3)`` uint8 BGR: an upright face of `kind` (27: some honour, flower or blank)."""
    canvas = _Canvas(style, rng)
    rank = kind % 9 + 1
    if kind == OTHER:
        _other(canvas)
    elif kind < 9:
        _characters(canvas, rank)
    elif kind == 9:
        _bird(canvas)
    elif kind < 18:
        _bamboo(canvas, rank)
    else:
        _dots(canvas, rank)
    if style.corner and kind != OTHER:
        _corner(canvas, str(rank))
    return canvas.done()


def _corner(c: _Canvas, text: str) -> None:
    rng = c.rng
    colour = c.style.inks[int(rng.integers(3))]
    h = 0.13
    where = {1: [(0.04, 0.02)], 2: [(0.84, 0.02)], 3: [(0.04, 0.02), (0.84, 0.85)], 4: [(0.04, 0.85)]}[
        c.style.corner
    ]
    scale = h * c.h / 22
    for x, y in where:
        at = c.px((x, y + h * 0.85))
        cv2.putText(c.image, text, at, cv2.FONT_HERSHEY_DUPLEX, scale, colour, 2, cv2.LINE_AA)


# ---- 万


def _characters(c: _Canvas, rank: int) -> None:
    rng, style = c.rng, c.style
    digit = _DIGITS[rank - 1]
    if rank == 5 and rng.random() < 0.6:
        digit = "伍"
    wan = "萬" if rng.random() < 0.8 else "万"
    bold = float(rng.choice([0, 0, 0.015, 0.03]))
    top = rng.uniform(0.04, 0.12)
    mid = rng.uniform(0.38, 0.46)
    gap = rng.uniform(0.0, 0.07)
    bottom = rng.uniform(0.88, 0.97)
    half = rng.uniform(0.24, 0.36)
    half2 = rng.uniform(0.26, 0.38)
    cx = 0.5 + rng.uniform(-0.03, 0.03)
    upper = style.inks[0] if rng.random() < 0.85 else style.inks[2]
    if rank == 1:  # a single stroke must not be stretched to the height of a whole character
        y = (top + mid) / 2
        box = (cx - half, y - rng.uniform(0.03, 0.06), cx + half, y + rng.uniform(0.03, 0.06))
    elif rank == 2:
        box = (cx - half, top + 0.08, cx + half, mid - 0.02)
    else:
        box = (cx - half, top, cx + half, mid)
    c.text(digit, box, upper, bold)
    c.text(wan, (cx - half2, mid + gap, cx + half2, bottom), style.inks[2], bold)


# ---- 筒


def _dot(c: _Canvas, at: Point, r: float, colour: Colour, other: Colour) -> None:
    white = (255, 255, 255)
    look = c.style.dot
    if look == 0:  # filled, with light rings inside
        c.circle(at, r, colour)
        c.circle(at, r * 0.68, white, fill=False, thick=r * 0.16)
        c.circle(at, r * 0.3, white, fill=False, thick=r * 0.14)
    elif look == 1:  # thin rings
        for share in (1.0, 0.66, 0.3):
            c.circle(at, r * share * 0.94, colour, fill=False, thick=max(0.012, r * 0.13))
    elif look == 2:  # a wheel
        c.circle(at, r, colour)
        turn = c.rng.uniform(0, np.pi) if c.rng.random() < 0.3 else np.pi / 4
        for k in range(4):
            a = turn + k * np.pi / 2
            c.circle((at[0] + 0.52 * r * np.cos(a), at[1] + 0.52 * r * np.sin(a) / c.aspect), r * 0.3, white)
    elif look == 3:  # flower of petals in a ring
        c.circle(at, r * 0.94, colour, fill=False, thick=max(0.012, r * 0.12))
        for k in range(8):
            a = k * np.pi / 4
            c.circle((at[0] + 0.6 * r * np.cos(a), at[1] + 0.6 * r * np.sin(a) / c.aspect), r * 0.2, colour)
        c.circle(at, r * 0.26, colour)
    elif look == 4:  # plain disc with a light heart
        c.circle(at, r, colour)
        c.circle(at, r * 0.36, white)
        c.circle(at, r * 0.18, other)
    elif look == 5:  # plain disc
        c.circle(at, r, colour)
    elif look == 6:  # ring and heart
        c.circle(at, r * 0.9, colour, fill=False, thick=max(0.014, r * 0.24))
        c.circle(at, r * 0.38, other)
    else:  # ring with a cross
        c.circle(at, r * 0.92, colour, fill=False, thick=max(0.012, r * 0.16))
        for a in (np.pi / 4, 3 * np.pi / 4) if c.rng.random() < 0.5 else (0.0, np.pi / 2):
            dx, dy = 0.85 * r * np.cos(a), 0.85 * r * np.sin(a) / c.aspect
            c.line((at[0] - dx, at[1] - dy), (at[0] + dx, at[1] + dy), colour, max(0.012, r * 0.16))
        c.circle(at, r * 0.3, other)


def _dots(c: _Canvas, rank: int) -> None:
    rng, m = c.rng, c.style.margin
    dark, green, red = c.style.inks
    palette = [c.style.inks[int(i)] for i in rng.permutation(3)]
    if rank == 1:
        _one_dot(c, palette)
        return
    top, bottom = m * 0.8, 1 - m * 0.8
    size = rng.uniform(0.82, 1.06)

    def grid(xs: list[float], ys: list[float]) -> list[Point]:
        return [(x, y) for y in ys for x in xs]

    spread = rng.uniform(0.17, 0.25)
    left, right = 0.5 - spread, 0.5 + spread
    if rank == 2:
        y = rng.uniform(0.22, 0.3)
        points, r = [(0.5, y), (0.5, 1 - y)], rng.uniform(0.16, 0.24)
    elif rank == 3:
        d = rng.uniform(0.2, 0.28)
        e = rng.uniform(0.24, 0.3)
        side = -1 if rng.random() < 0.12 else 1
        points, r = (
            [(0.5 - side * d, 0.5 - e), (0.5, 0.5), (0.5 + side * d, 0.5 + e)],
            rng.uniform(0.12, 0.17),
        )
    elif rank in (4, 5):
        y = rng.uniform(0.2, 0.29)
        points, r = grid([left, right], [y, 1 - y]), rng.uniform(0.12, 0.17)
        if rank == 5:
            points.append((0.5, 0.5))
    elif rank == 6:
        ys = [0.5 - 0.28, 0.5, 0.5 + 0.28] if rng.random() < 0.2 else [rng.uniform(0.15, 0.22), 0.56, 0.81]
        points, r = grid([left, right], ys), rng.uniform(0.105, 0.14)
    elif rank == 7:
        y0, slope = rng.uniform(0.1, 0.16), rng.uniform(0.06, 0.13)
        x0 = rng.uniform(0.2, 0.27)
        points = [(x0, y0), (0.5, y0 + slope), (1 - x0, y0 + 2 * slope)]
        points += grid([left, right], [max(0.57, y0 + 2 * slope + 0.2), 0.83])
        r = rng.uniform(0.1, 0.13)
    elif rank == 8:
        ys = list(np.linspace(top + 0.08, bottom - 0.08, 4))
        points, r = grid([left + 0.02, right - 0.02], [float(y) for y in ys]), rng.uniform(0.1, 0.125)
    else:
        x = rng.uniform(0.2, 0.26)
        y = rng.uniform(0.17, 0.25)
        points, r = grid([x, 0.5, 1 - x], [y, 0.5, 1 - y]), rng.uniform(0.095, 0.125)
    plain = rng.random() < 0.12
    for index, point in enumerate(points):
        colour = _dot_colour(rank, index, dark, green, red, palette)
        other = palette[0] if rng.random() < 0.5 else red
        _dot(c, point, r * size, dark if plain else colour, dark if plain else other)


def _dot_colour(
    rank: int, index: int, dark: Colour, green: Colour, red: Colour, palette: list[Colour]
) -> Colour:
    if rank == 2:
        return palette[index]
    if rank == 3:
        return (palette[0], red, palette[2])[index]
    if rank == 4:
        return palette[0] if index in (0, 3) else palette[1]
    if rank == 5:
        return red if index == 4 else (green if index in (0, 3) else dark)
    if rank == 6:
        return palette[0] if index < 2 else (red if palette[0] != red else dark)
    if rank == 7:
        return palette[0] if index < 3 else (red if palette[0] != red else green)
    if rank == 8:
        return palette[0]
    return palette[index // 3]


def _one_dot(c: _Canvas, palette: list[Colour]) -> None:
    rng = c.rng
    r = rng.uniform(0.26, 0.42)
    at = (0.5, 0.5)
    if rng.random() < 0.5:
        c.circle(at, r, palette[0])
        c.circle(at, r * rng.uniform(0.7, 0.86), (255, 255, 255))
    else:
        for share in (1.0, rng.uniform(0.8, 0.9)):
            c.circle(at, r * share, palette[0], fill=False, thick=0.02)
    count = int(rng.integers(6, 17))
    for k in range(count):
        a = 2 * np.pi * k / count
        p = (0.5 + 0.62 * r * np.cos(a), 0.5 + 0.62 * r * np.sin(a) / c.aspect)
        c.circle(p, r * rng.uniform(0.1, 0.17), palette[1], fill=bool(rng.random() < 0.6), thick=0.015)
    c.circle(at, r * rng.uniform(0.25, 0.45), palette[2], fill=bool(rng.random() < 0.7))
    if rng.random() < 0.5:
        for a in (0.0, np.pi / 2):
            d = 0.2 * r
            end = (d * np.cos(a), d * np.sin(a) / c.aspect)
            c.line((0.5 - end[0], 0.5 - end[1]), (0.5 + end[0], 0.5 + end[1]), (255, 255, 255), 0.02)


# ---- 条


def _segment(c: _Canvas, a: Point, b: Point, thick: float, colour: Colour) -> None:
    """One piece of bamboo from `a` to `b`; `thick` is its width."""
    white = (255, 255, 255)
    look = c.style.bar

    def at(t: float) -> Point:
        return a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t

    if look == 0:  # plain
        c.line(at(0.08), at(0.92), colour, thick)
    elif look == 1:  # dumb-bell: thin stem, three knots
        c.line(a, b, colour, thick * 0.5)
        for t in (0.02, 0.5, 0.98):
            c.circle(at(t), thick * 0.5, colour)
    elif look == 2:  # outline with a light heart
        c.line(at(0.1), at(0.9), colour, thick)
        c.line(at(0.14), at(0.86), white, thick * 0.4)
        c.circle(at(0.5), thick * 0.42, colour)
    elif look == 3:  # two joints with waists
        for t0, t1 in ((0.05, 0.44), (0.56, 0.95)):
            c.line(at(t0), at(t1), colour, thick)
            c.line(at(t0 + 0.08), at(t1 - 0.08), white, thick * 0.3)
        c.line(a, b, colour, thick * 0.35)
    elif look == 4:  # I-beam
        c.line(a, b, colour, thick * 0.55)
        dx, dy = b[0] - a[0], (b[1] - a[1]) * c.aspect
        length = max(1e-6, float(np.hypot(dx, dy)))
        nx, ny = -dy / length * thick * 0.6, dx / length * thick * 0.6 / c.aspect
        for t in (0.0, 0.5, 1.0):
            p = at(t)
            c.line((p[0] - nx, p[1] - ny), (p[0] + nx, p[1] + ny), colour, thick * 0.4)
    else:  # beads
        for t in np.linspace(0.1, 0.9, 4):
            c.circle(at(float(t)), thick * 0.55, colour)
        c.line(a, b, colour, thick * 0.5)


def _bamboo(c: _Canvas, rank: int) -> None:
    rng = c.rng
    dark, green, red = c.style.inks
    main = green if rng.random() < 0.8 else dark
    second = [dark, green, red][int(rng.integers(3))]
    top = c.style.margin * rng.uniform(0.6, 1.0)
    thick = rng.uniform(0.06, 0.145)
    gap = rng.uniform(0.02, 0.06)
    half = (1 - 2 * top - gap) / 2
    upper, lower = (top, top + half), (1 - top - half, 1 - top)
    spread = max(rng.uniform(0.15, 0.26), thick * (0.75 if rank < 6 else 1.3) + 0.01)
    shrink = rng.uniform(0.0, 0.12) if rank < 5 else 0.0
    upper, lower = (upper[0] + shrink, upper[1]), (lower[0], lower[1] - shrink)

    def bar(x: float, y: tuple[float, float], colour: Colour) -> None:
        _segment(c, (x, y[0]), (x, y[1]), thick, colour)

    if rank == 2:
        bar(0.5, upper, main)
        bar(0.5, lower, main if rng.random() < 0.7 else second)
    elif rank == 3:
        bar(0.5, upper, main if rng.random() < 0.7 else second)
        bar(0.5 - spread, lower, main)
        bar(0.5 + spread, lower, main)
    elif rank in (4, 5):
        other = second if rng.random() < 0.3 else main
        wide = spread if rank == 4 else max(spread, thick * 1.9)
        for x, rows in ((0.5 - wide, (upper, lower)), (0.5 + wide, (upper, lower))):
            bar(x, rows[0], main if x < 0.5 else other)
            bar(x, rows[1], other if x < 0.5 else main)
        if rank == 5:
            bar(0.5, (0.5 - half * 0.5, 0.5 + half * 0.5), red if rng.random() < 0.8 else main)
    elif rank == 6:
        below = second if rng.random() < 0.2 else main
        for x in (0.5 - spread - 0.03, 0.5, 0.5 + spread + 0.03):
            bar(x, upper, main)
            bar(x, lower, below)
    elif rank in (7, 9):
        gap = rng.uniform(0.015, 0.045)
        third = (1 - 2 * top - 2 * gap) / 3
        thirds = [(top + k * (third + gap), top + k * (third + gap) + third) for k in range(3)]
        middle = (red if rank == 9 else second) if rng.random() < 0.7 else main
        for column, x in enumerate((0.5 - spread - 0.03, 0.5, 0.5 + spread + 0.03)):
            for k, row in enumerate(thirds):
                if rank == 7 and k == 0:
                    if column == 1:
                        bar(x, row, red if rng.random() < 0.8 else main)
                else:
                    bar(x, row, middle if column == 1 else main)
    else:
        _eight_bamboo(c, main, second if rng.random() < 0.25 else main, upper, lower, thick)


def _eight_bamboo(
    c: _Canvas,
    main: Colour,
    second: Colour,
    upper: tuple[float, float],
    lower: tuple[float, float],
    thick: float,
) -> None:
    rng = c.rng
    x0 = rng.uniform(0.17, 0.25)
    peak_up = rng.random() < 0.8  # upper row W: its inner bars meet at the top
    lean = rng.uniform(0.0, 0.03)
    for row, colour, up in ((upper, main, peak_up), (lower, second, not peak_up)):
        y0, y1 = row
        inner, outer = (y0, y1) if up else (y1, y0)
        for side in (-1, 1):
            x = 0.5 + side * (0.5 - x0)
            _segment(c, (x, y0), (x, y1), thick, colour)
            _segment(
                c,
                (x - side * (thick + lean), outer),
                (0.5 + side * thick * 0.55, inner),
                thick * 0.92,
                colour,
            )


def _bird(c: _Canvas) -> None:
    """1条: some bird, in two to four colours; sets agree on nothing but a beak, a body and a tail."""
    rng = c.rng
    if rng.random() < 0.35:
        _peacock(c)
        return
    side = 1 if rng.random() < 0.5 else -1
    inks = [c.style.inks[int(i)] for i in rng.permutation(3)]
    head = (0.5 + side * rng.uniform(-0.02, 0.16), rng.uniform(0.17, 0.28))
    body = (0.5 + side * rng.uniform(-0.06, 0.06), rng.uniform(0.42, 0.54))
    tail = (0.5 - side * rng.uniform(0.0, 0.28), rng.uniform(0.8, 0.93))
    r = rng.uniform(0.08, 0.13)
    filled = rng.random() < 0.6
    length, breadth = rng.uniform(0.2, 0.3), rng.uniform(0.11, 0.2)
    angle = float(np.degrees(np.arctan2((tail[1] - head[1]) * c.aspect, tail[0] - head[0])))
    axes = (round(length * c.w), round(breadth * c.w))
    cv2.ellipse(
        c.image, c.px(body), axes, angle, 0, 360, inks[0], -1 if filled else round(0.03 * c.w), cv2.LINE_AA
    )
    for _ in range(int(rng.integers(3, 8))):  # tail feathers
        t = (tail[0] + rng.uniform(-0.16, 0.16), tail[1] + rng.uniform(-0.08, 0.04))
        s = (body[0] + rng.uniform(-0.06, 0.06), body[1] + rng.uniform(0.05, 0.14))
        c.line(s, t, inks[int(rng.integers(3))], rng.uniform(0.015, 0.05))
        if rng.random() < 0.3:
            c.circle(t, 0.03, inks[int(rng.integers(3))])
    for _ in range(int(rng.integers(2, 7))):  # wing feathers
        a = rng.uniform(0, 2 * np.pi)
        p = (body[0] + 0.14 * np.cos(a), body[1] + 0.1 * np.sin(a))
        q = (p[0] - side * rng.uniform(0.02, 0.22), p[1] + rng.uniform(-0.05, 0.14))
        colour = (255, 255, 255) if filled and rng.random() < 0.4 else inks[int(rng.integers(3))]
        c.line(p, q, colour, rng.uniform(0.012, 0.035))
    neck = ((head[0] + body[0]) / 2, (head[1] + body[1]) / 2)
    c.line(head, neck, inks[0], r * 1.1)
    c.circle(head, r, inks[int(rng.integers(3))], fill=bool(rng.random() < 0.6), thick=0.03)
    c.circle((head[0] + side * 0.02, head[1]), r * 0.3, (255, 255, 255))
    beak = (head[0] + side * (r + rng.uniform(0.06, 0.12)), head[1] + rng.uniform(-0.02, 0.04))
    c.polygon(
        [(head[0] + side * r * 0.8, head[1] - 0.03), (head[0] + side * r * 0.8, head[1] + 0.03), beak],
        inks[1],
    )
    for dx in (-0.06, 0.06):  # legs
        if rng.random() < 0.6:
            foot = (body[0] + dx + side * 0.04, min(0.94, body[1] + rng.uniform(0.24, 0.36)))
            c.line((body[0] + dx, body[1] + 0.12), foot, inks[2], 0.02)


def _peacock(c: _Canvas) -> None:
    """A bird before the fan of its tail, as on many Japanese sets."""
    rng = c.rng
    side = 1 if rng.random() < 0.5 else -1
    inks = [c.style.inks[int(i)] for i in rng.permutation(3)]
    paper = (255, 255, 255)
    centre = (0.5 + rng.uniform(-0.06, 0.06), rng.uniform(0.34, 0.44))
    wide, high = rng.uniform(0.24, 0.36), rng.uniform(0.24, 0.32)
    axes = (round(wide * c.w), round(high * c.h))
    filled = rng.random() < 0.7
    cv2.ellipse(
        c.image, c.px(centre), axes, 0, 0, 360, inks[0], -1 if filled else round(0.03 * c.w), cv2.LINE_AA
    )
    for _ in range(int(rng.integers(8, 26))):  # the eyes of its feathers
        a, d = rng.uniform(0, 2 * np.pi), np.sqrt(rng.uniform(0, 1)) * 0.82
        p = (centre[0] + d * wide * np.cos(a), centre[1] + d * high * np.sin(a))
        c.circle(p, rng.uniform(0.025, 0.055), paper if filled else inks[1])
        c.circle(p, rng.uniform(0.01, 0.025), inks[int(rng.integers(3))])
    base = (0.5 + side * rng.uniform(-0.05, 0.15), rng.uniform(0.66, 0.76))
    c.line((centre[0], centre[1] + high * 0.4), base, inks[0], rng.uniform(0.12, 0.22))
    for _ in range(int(rng.integers(2, 6))):
        tip = (base[0] + rng.uniform(-0.3, 0.3), base[1] + rng.uniform(-0.1, 0.14))
        c.line(base, tip, inks[int(rng.integers(3))], rng.uniform(0.02, 0.05))
    head = (base[0] - side * rng.uniform(0.15, 0.28), base[1] + rng.uniform(-0.12, 0.03))
    c.line(base, head, inks[1], rng.uniform(0.03, 0.07))
    c.circle(head, rng.uniform(0.04, 0.07), inks[1])
    for dx in (-0.06, 0.07):
        foot = (base[0] + dx, rng.uniform(0.88, 0.95))
        c.line((base[0] + dx * 0.5, base[1] + 0.05), foot, inks[2], 0.025)
        c.line((foot[0] - 0.05, foot[1]), (foot[0] + 0.05, foot[1]), inks[2], 0.02)


# ---- other


def _other(c: _Canvas) -> None:
    rng = c.rng
    what = rng.random()
    ink = c.style.inks[int(rng.integers(3))]
    bold = float(rng.choice([0, 0, 0.02, 0.035]))
    if what < 0.45:  # winds and dragons
        char = _HONOURS[int(rng.integers(len(_HONOURS)))]
        y, x = rng.uniform(0.1, 0.26), rng.uniform(0.12, 0.26)
        c.text(char, (x, y, 1 - x, 1 - y), ink, bold)
        if c.style.corner:
            _corner(c, "ESWNCFBP"[int(rng.integers(8))])
    elif what < 0.58:  # white dragon: a frame, or nothing
        if rng.random() < 0.75:
            m, step = rng.uniform(0.08, 0.2), rng.uniform(0.03, 0.08)
            for k in range(int(rng.integers(1, 4))):
                d = m + k * step
                frame = [(d, d * 0.8), (1 - d, d * 0.8), (1 - d, 1 - d * 0.8), (d, 1 - d * 0.8)]
                c.polygon(frame, ink, fill=False, thick=rng.uniform(0.012, 0.045))
    elif what < 0.7:  # jokers and other characters
        char = _OTHER_CHARS[int(rng.integers(len(_OTHER_CHARS)))]
        second = _OTHER_CHARS[int(rng.integers(len(_OTHER_CHARS)))]
        c.text(char, (0.22, 0.08, 0.78, 0.48), ink, bold)
        c.text(second, (0.22, 0.52, 0.78, 0.92), c.style.inks[int(rng.integers(3))], bold)
    else:
        _flower(c)


def _flower(c: _Canvas) -> None:
    rng = c.rng
    dark, green, red = c.style.inks
    root = (rng.uniform(0.3, 0.7), rng.uniform(0.85, 0.95))
    for _ in range(int(rng.integers(2, 6))):  # stems, leaves, blossoms
        tip = (rng.uniform(0.12, 0.88), rng.uniform(0.25, 0.75))
        c.line(root, tip, green if rng.random() < 0.7 else dark, rng.uniform(0.015, 0.04))
        for _ in range(int(rng.integers(1, 5))):
            t = rng.uniform(0.3, 1)
            p = (root[0] + (tip[0] - root[0]) * t, root[1] + (tip[1] - root[1]) * t)
            q = (p[0] + rng.uniform(-0.2, 0.2), p[1] + rng.uniform(-0.12, 0.08))
            c.line(p, q, green, rng.uniform(0.015, 0.06))
        if rng.random() < 0.6:
            size = rng.uniform(0.05, 0.12)
            for k in range(5):
                a = k * 2 * np.pi / 5
                petal = (tip[0] + size * np.cos(a), tip[1] + size * np.sin(a) / c.aspect)
                c.circle(petal, size * 0.6, red, fill=bool(rng.random() < 0.5), thick=0.02)
            c.circle(tip, size * 0.35, dark if rng.random() < 0.5 else (255, 255, 255))
    char = "春夏秋冬梅蘭竹菊"[int(rng.integers(8))]
    left = rng.random() < 0.5
    a, b = (0.06, 0.62) if left else (0.62, 0.06)
    c.text(char, (a, 0.05, a + 0.3, 0.27), (dark, red)[int(rng.integers(2))], 0.0)
    figure = str(int(rng.integers(1, 5)))
    at = c.px((b + 0.06, 0.22))
    cv2.putText(
        c.image,
        figure,
        at,
        cv2.FONT_HERSHEY_DUPLEX,
        rng.uniform(1.2, 1.9),
        (dark, red)[int(rng.integers(2))],
        2,
    )
