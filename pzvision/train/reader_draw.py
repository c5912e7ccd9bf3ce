"""Random tile faces drawn from scratch, every one different: more sets than there are photos of.

Each face is drawn on white: layout, colours, the look of dots and bamboo segments,
the fonts of the characters and the small corner figures are all drawn at random within what real sets show
(Chinese, Japanese and American sets; 万 as 萬 or 万, five as 伍 or 五, honours in both scripts). Chinese
characters come from whatever fonts with CJK glyphs are installed on the training machine (Debian:
fonts-noto-cjk, fonts-arphic-ukai, fonts-cwtex-kai, …); none is shipped.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from pzvision.tiles import OTHER
from pzvision.train.reader_bamboo import draw_bamboo, draw_bird
from pzvision.train.reader_canvas import MADE_UP, Canvas, Colour, Picture, Point, Style

_DIGITS: Final = "一二三四五六七八九"
_HONOURS: Final = "東南西北中發东发"
_OTHER_CHARS: Final = (
    "春夏秋冬梅蘭兰竹菊財神财漁渔樵耕讀读琴棋書画王后帝" + "相百搭福祿壽喜聽用總合花公侯將龍鳳"
)


def draw_face(kind: int, style: Style, rng: np.random.Generator) -> Picture:
    """``(HEIGHT, WIDTH, 3)`` uint8 BGR: an upright face of `kind` (27: some honour, flower or blank)."""
    canvas = Canvas(style, rng)
    rank = kind % 9 + 1
    if kind == OTHER:
        _other(canvas)
    elif kind < 9:
        _characters(canvas, rank)
    elif kind == 9:
        draw_bird(canvas)
    elif kind < 18:
        draw_bamboo(canvas, rank)
    else:
        _dots(canvas, rank)
    if style.corner and kind != OTHER:
        _corner(canvas, str(rank))
    return canvas.done()


def _corner(c: Canvas, text: str) -> None:
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


def _characters(c: Canvas, rank: int) -> None:
    rng, style = c.rng, c.style
    digit = _DIGITS[rank - 1]
    formal = rng.random() < 0.6  # drawn for every rank, so that faces of one seed are laid out alike
    if rank == 5 and formal:
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


def _dot(c: Canvas, at: Point, r: float, colour: Colour, other: Colour) -> None:
    white = (255, 255, 255)
    look = c.style.dot
    if look >= MADE_UP:
        _made_up_dot(c, at, r, colour, other)
    elif look == 0:  # filled, with light rings inside
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


def _made_up_dot(c: Canvas, at: Point, r: float, colour: Colour, other: Colour) -> None:
    """Discs, rings, petals and spokes one within another."""
    rng = np.random.default_rng(c.style.dot)
    inks = (colour, other, (255, 255, 255))
    ink, reach = 0, 1.0
    for layer in range(int(rng.integers(2, 5))):
        if layer:
            ink = (ink + int(rng.integers(1, 3))) % 3
        what, count, turn = rng.random(), int(rng.integers(4, 13)), rng.uniform(0, np.pi)
        size = r * reach
        if what < 0.35:
            c.circle(at, size, inks[ink])
        elif what < 0.65:
            c.circle(at, size * 0.92, inks[ink], fill=False, thick=max(0.012, r * rng.uniform(0.1, 0.25)))
        else:
            petal, thick = size * rng.uniform(0.14, 0.3), max(0.012, r * rng.uniform(0.08, 0.2))
            for a in turn + 2 * np.pi * np.arange(count) / count:
                far = size - petal if what < 0.85 else size
                tip = (at[0] + far * np.cos(a), at[1] + far * np.sin(a) / c.aspect)
                if what < 0.85:
                    c.circle(tip, petal, inks[ink])
                else:
                    c.line(at, tip, inks[ink], thick)
        reach *= rng.uniform(0.45, 0.8)


def _dots(c: Canvas, rank: int) -> None:
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


def _one_dot(c: Canvas, palette: list[Colour]) -> None:
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


# ---- other


def _other(c: Canvas) -> None:
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


def _flower(c: Canvas) -> None:
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
