"""Dots, bamboos, birds and plants, each in several styles, drawn from circles, polygons and brush lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from pzvision.synth.glyphs import Colour, Image, brush_line, smooth

DOT_STYLES: Final = ("rings", "bold", "wheel", "cross", "flower", "thin", "disc", "coin")
BAMBOO_STYLES: Final = ("capsule", "bone", "beads", "segments", "outline", "stick")
BIRDS: Final = ("sparrow", "peacock", "crane", "robin", "phoenix", "parrot")
# Of the looks that no model is trained on (`looks.HELD_OUT`); in no list above: chance never picks them.
HELD_OUT_DOTS: Final = ("sun", "square")
HELD_OUT_BAMBOOS: Final = ("twin", "spindle")
HELD_OUT_BIRDS: Final = ("swallow", "hen")


def _circle(image: Image, x: float, y: float, r: float, colour: Colour, thickness: float = -1.0) -> None:
    """Disc, or with ``thickness`` > 0 a ring whose outer radius is ``r``; all in px."""
    if thickness > 0:
        r = r - thickness / 2
        width = max(1, round(thickness))
    else:
        width = -1
    cv2.circle(image, (round(x * 16), round(y * 16)), max(1, round(r * 16)), colour, width, cv2.LINE_AA, 4)


def _poly(image: Image, points: Sequence[tuple[float, float]] | np.ndarray, colour: Colour) -> None:
    corners = np.round(np.asarray(points, np.float64) * 16).astype(np.int32)
    cv2.fillPoly(image, [corners], colour, cv2.LINE_AA, 4)


def _ellipse(
    image: Image,
    x: float,
    y: float,
    a: float,
    b: float,
    angle: float,
    colour: Colour,
    thickness: float = -1.0,
) -> None:
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


def draw_dot(image: Image, x: float, y: float, r: float, style: str, ink: Colour, paper: Colour) -> None:
    """One 筒 of radius ``r`` px around (x, y)."""
    if style == "rings":
        _circle(image, x, y, r, ink, r * 0.2)
        _circle(image, x, y, r * 0.62, ink, r * 0.16)
        _circle(image, x, y, r * 0.24, ink)
    elif style == "bold":
        _circle(image, x, y, r, ink, r * 0.36)
        _circle(image, x, y, r * 0.36, ink)
    elif style == "thin":
        for k in (1.0, 0.72, 0.46):
            _circle(image, x, y, r * k, ink, r * 0.12)
        _circle(image, x, y, r * 0.15, ink)
    elif style == "wheel":
        _circle(image, x, y, r, ink, r * 0.16)
        for k in range(8):
            angle = k * np.pi / 4 + 0.2
            _ellipse(
                image,
                x + np.cos(angle) * r * 0.55,
                y + np.sin(angle) * r * 0.55,
                r * 0.26,
                r * 0.1,
                np.degrees(angle),
                ink,
            )
        _circle(image, x, y, r * 0.24, ink, r * 0.13)
    elif style == "cross":
        _circle(image, x, y, r, ink)
        for k in range(4):
            angle = k * np.pi / 2
            _ellipse(
                image,
                x + np.cos(angle) * r * 0.53,
                y + np.sin(angle) * r * 0.53,
                r * 0.2,
                r * 0.3,
                np.degrees(angle),
                paper,
            )
        _circle(image, x, y, r * 0.12, paper)
    elif style == "flower":
        for k in range(8):
            angle = k * np.pi / 4
            _circle(image, x + np.cos(angle) * r * 0.74, y + np.sin(angle) * r * 0.74, r * 0.27, ink)
        _circle(image, x, y, r * 0.68, paper)
        _circle(image, x, y, r * 0.52, ink, r * 0.16)
        _circle(image, x, y, r * 0.2, ink)
    elif style == "disc":
        _circle(image, x, y, r, ink)
        _circle(image, x, y, r * 0.7, paper, r * 0.14)
        _circle(image, x, y, r * 0.22, paper)
    elif style == "sun":
        for k in range(12):
            angle = k * np.pi / 6
            tip = (x + np.cos(angle) * r, y + np.sin(angle) * r)
            foot = [
                (x + np.cos(angle + d) * r * 0.66, y + np.sin(angle + d) * r * 0.66) for d in (-0.24, 0.24)
            ]
            _poly(image, [tip, *foot], ink)
        _circle(image, x, y, r * 0.62, ink, r * 0.14)
        _circle(image, x, y, r * 0.3, ink)
    elif style == "square":  # a cash coin: a square hole
        _circle(image, x, y, r, ink)
        _circle(image, x, y, r * 0.84, paper, r * 0.09)
        hole = r * 0.3
        _poly(
            image,
            [(x - hole, y - hole), (x + hole, y - hole), (x + hole, y + hole), (x - hole, y + hole)],
            paper,
        )
    else:  # coin
        _circle(image, x, y, r, ink, r * 0.3)
        _circle(image, x, y, r * 0.5, ink)
        _circle(image, x, y, r * 0.2, paper)


def draw_great_dot(
    image: Image, x: float, y: float, r: float, style: str, inks: Sequence[Colour], paper: Colour
) -> None:
    """The big ornate 一筒; ``inks`` = (outer, inner, third)."""
    outer, inner, third = inks
    if style in ("bold", "coin", "rings"):
        _circle(image, x, y, r, third, r * 0.22)
        _circle(image, x, y, r * 0.76, outer, r * 0.16)
        _circle(image, x, y, r * 0.52, inner, r * 0.2)
        if style != "bold":
            _circle(image, x, y, r * 0.2, inner)
        return
    petals = 16 if style in ("wheel", "thin") else 12
    filled = style in ("cross", "disc")
    if filled:
        _circle(image, x, y, r, outer)
    elif style != "flower":
        _circle(image, x, y, r, outer, r * 0.07)
    for k in range(petals):
        angle = 2 * np.pi * k / petals
        px, py = x + np.cos(angle) * r * 0.74, y + np.sin(angle) * r * 0.74
        if filled:
            _ellipse(image, px, py, r * 0.17, r * 0.1, np.degrees(angle), paper)
        elif style == "flower":
            _ellipse(image, px, py, r * 0.26, r * 0.13, np.degrees(angle), outer)
        else:
            _ellipse(image, px, py, r * 0.15, r * 0.06, np.degrees(angle), outer)
    _circle(image, x, y, r * 0.54, paper)
    _circle(image, x, y, r * 0.5, outer if filled else inner, r * 0.1)
    for k in range(4):
        angle = np.pi / 4 + k * np.pi / 2
        _circle(image, x + np.cos(angle) * r * 0.2, y + np.sin(angle) * r * 0.2, r * 0.13, inner)
    _circle(image, x, y, r * 0.1, inner)


def draw_bamboo(
    image: Image,
    a: tuple[float, float],
    b: tuple[float, float],
    width: float,
    style: str,
    ink: Colour,
    paper: Colour,
) -> None:
    """One 条 from ``a`` to ``b``, ``width`` px wide."""
    start, end = np.array(a, np.float64), np.array(b, np.float64)
    axis = end - start
    length = float(np.hypot(*axis))
    axis = axis / length
    side = np.array([-axis[1], axis[0]])
    half = width / 2
    light = _mix(ink, paper, 0.75)

    def shape(profile: Sequence[tuple[float, float]], colour: Colour) -> None:
        left = [start + axis * t * length + side * w * half for t, w in profile]
        right = [start + axis * t * length - side * w * half for t, w in reversed(profile)]
        _poly(image, np.array(left + right), colour)

    def line(t0: float, t1: float, thick: float, colour: Colour, offset: float = 0.0) -> None:
        points = np.array([start + axis * t * length + side * offset * half for t in (t0, t1)])
        brush_line(image, points, np.full(2, thick), colour)

    cap = min(0.12, half / length)
    if style == "capsule":
        shape([(0, 0.6), (cap, 1), (0.42, 0.85), (0.5, 0.55), (0.58, 0.85), (1 - cap, 1), (1, 0.6)], ink)
        line(0.16, 0.4, width * 0.22, paper)
        line(0.6, 0.84, width * 0.22, paper)
    elif style == "bone":
        shape(
            [
                (0, 0.9),
                (0.1, 1),
                (0.2, 0.55),
                (0.42, 0.5),
                (0.46, 0.95),
                (0.54, 0.95),
                (0.58, 0.5),
                (0.8, 0.55),
                (0.9, 1),
                (1, 0.9),
            ],
            ink,
        )
        line(0.24, 0.4, width * 0.16, paper)
        line(0.6, 0.76, width * 0.16, paper)
    elif style == "beads":
        for t in (0.125, 0.375, 0.625, 0.875):
            centre = start + axis * t * length
            degrees = float(np.degrees(np.arctan2(axis[1], axis[0])))
            _ellipse(image, centre[0], centre[1], length * 0.135, half, degrees, ink)
            _ellipse(image, centre[0], centre[1], length * 0.045, half * 0.4, degrees, paper)
    elif style == "segments":
        shape([(0, 0.7), (0.06, 1), (0.4, 0.8), (0.47, 0.95), (0.47, 0.3)], ink)
        shape([(0.53, 0.3), (0.53, 0.95), (0.6, 0.8), (0.94, 1), (1, 0.7)], ink)
        line(0.14, 0.36, width * 0.14, light, 0.25)
        line(0.64, 0.86, width * 0.14, light, 0.25)
    elif style == "outline":
        shape([(0, 0.6), (cap, 1), (0.44, 0.9), (0.5, 0.7), (0.56, 0.9), (1 - cap, 1), (1, 0.6)], ink)
        shape([(0.1, 0.3), (0.14, 0.55), (0.4, 0.5), (0.44, 0.3)], light)
        shape([(0.56, 0.3), (0.6, 0.5), (0.86, 0.55), (0.9, 0.3)], light)
    elif style == "twin":  # two thin canes side by side, bound in the middle
        for offset in (-0.6, 0.6):
            line(0.02, 0.98, width * 0.34, ink, offset)
        shape([(0.42, 1), (0.58, 1)], ink)
        line(0.5, 0.501, width * 0.2, paper)
    elif style == "spindle":
        shape([(0, 0.15), (0.12, 0.6), (0.28, 1), (0.5, 0.45), (0.72, 1), (0.88, 0.6), (1, 0.15)], ink)
        for t in (0.28, 0.72):
            p = start + axis * t * length
            _circle(image, p[0], p[1], half * 0.4, paper)
    else:  # stick
        shape([(0, 0.8), (cap * 0.6, 1), (1 - cap * 0.6, 1), (1, 0.8)], ink)
        for t in (0.33, 0.66):
            p = start + axis * t * length
            brush_line(
                image,
                np.array([p - side * half * 0.8, p + side * half * 0.8]),
                np.full(2, width * 0.16),
                paper,
            )


def _mix(a: Colour, b: Colour, share: float) -> Colour:
    """``share`` of ``b`` in ``a``."""
    return (
        round(a[0] + (b[0] - a[0]) * share),
        round(a[1] + (b[1] - a[1]) * share),
        round(a[2] + (b[2] - a[2]) * share),
    )


class _Canvas:
    """Drawing in a box of 100 × 133 units on the face."""

    def __init__(self, image: Image, left: float, top: float, unit: float) -> None:
        self.image, self.left, self.top, self.unit = image, left, top, unit

    def line(self, points: Sequence[tuple[float, float]], widths: Sequence[float], colour: Colour) -> None:
        curve = smooth(np.array(points, np.float64))
        profile = np.interp(np.linspace(0, 1, len(curve)), np.linspace(0, 1, len(widths)), widths)
        brush_line(self.image, curve * self.unit + (self.left, self.top), profile * self.unit, colour)

    def blob(self, points: Sequence[tuple[float, float]], colour: Colour) -> None:
        closed = np.array([*points, points[0]], np.float64)
        _poly(self.image, smooth(closed) * self.unit + (self.left, self.top), colour)

    def disc(self, x: float, y: float, r: float, colour: Colour, ring: float = 0.0) -> None:
        thickness = ring * self.unit if ring else -1.0
        _circle(
            self.image, self.left + x * self.unit, self.top + y * self.unit, r * self.unit, colour, thickness
        )

    def oval(
        self, x: float, y: float, a: float, b: float, angle: float, colour: Colour, ring: float = 0.0
    ) -> None:
        u = self.unit
        thickness = ring * u if ring else -1.0
        _ellipse(self.image, self.left + x * u, self.top + y * u, a * u, b * u, angle, colour, thickness)


def draw_bird(
    image: Image, left: float, top: float, unit: float, bird: str, inks: Sequence[Colour], paper: Colour
) -> None:
    """一条's bird in a box of 100 × 133 units of ``unit`` px; ``inks`` = (green, red, blue)."""
    green, red, blue = inks
    c = _Canvas(image, left, top, unit)
    if bird == "sparrow":
        c.line([(50, 62), (44, 92), (40, 124)], (14, 9, 4), green)
        c.line([(54, 62), (52, 92), (51, 126)], (12, 8, 4), red)
        c.blob([(40, 34), (64, 30), (74, 50), (60, 80), (44, 74), (34, 52)], green)
        c.line([(64, 40), (72, 56), (62, 76)], (3, 9, 3), blue)
        c.line([(58, 42), (64, 56), (56, 72)], (2, 4, 2), paper)
        c.disc(50, 24, 15, green)
        c.disc(46, 22, 4.5, paper)
        c.disc(46, 22, 2.4, blue)
        c.blob([(37, 20), (22, 26), (37, 30)], red)
        c.line([(52, 10), (60, 4), (70, 6)], (5, 4, 1), red)
        c.line([(18, 92), (44, 84), (84, 88)], (3, 5, 3), green)
    elif bird == "peacock":
        for k, angle in enumerate(np.linspace(-2.75, -0.4, 7)):
            x, y = 50 + 44 * np.cos(angle), 62 + 52 * np.sin(angle)
            c.line([(50, 76), ((50 + x) / 2 + 3, (70 + y) / 2), (x, y)], (3, 4, 3), green)
            c.disc(x, y, 8, green if k % 2 else blue)
            c.disc(x, y, 4, red)
        c.blob([(42, 60), (58, 60), (64, 84), (50, 108), (36, 84)], blue)
        c.line([(50, 66), (46, 48), (51, 36)], (13, 9, 8), blue)
        c.disc(50, 33, 8, blue)
        c.disc(48, 32, 2.4, paper)
        c.blob([(43, 33), (34, 38), (44, 38)], red)
        c.line([(46, 106), (44, 124)], (4, 3), red)
        c.line([(55, 106), (57, 124)], (4, 3), red)
    elif bird == "crane":
        for k in range(5):
            c.line([(36 + 4 * k, 78), (58 + 5 * k, 48 - 3 * k), (70 + 5 * k, 22 + 11 * k)], (4, 6, 2), green)
        for k in range(4):
            c.line(
                [(40, 80), (22 + 4 * k, 98 + 3 * k), (16 + 13 * k, 124)], (7, 5, 2), red if k % 2 else green
            )
        c.line([(54, 80), (34, 66), (28, 40), (40, 22)], (16, 10, 7, 6), green)
        c.disc(41, 20, 9, green)
        c.disc(39, 19, 2.6, paper)
        c.blob([(34, 17), (16, 20), (34, 25)], red)
        c.line([(44, 12), (52, 4)], (5, 2), red)
    elif bird == "robin":
        c.line([(64, 78), (76, 100), (74, 126)], (12, 10, 4), red)
        c.disc(48, 60, 26, red)
        c.disc(48, 60, 20.5, paper)
        for k in range(3):
            c.line([(40 + 8 * k, 50), (50 + 7 * k, 60), (46 + 8 * k, 74)], (3, 5, 2), red)
        c.disc(42, 28, 17, red)
        c.disc(42, 28, 12, paper)
        c.disc(39, 26, 4.5, red)
        c.blob([(27, 26), (12, 32), (28, 36)], green)
        c.line([(44, 12), (54, 4), (66, 8)], (5, 4, 2), red)
        c.line([(12, 96), (44, 88), (90, 92)], (4, 6, 3), green)
        c.line([(42, 84), (40, 94)], (4, 4), green)
    elif bird == "phoenix":
        for k, colour in enumerate((green, red, blue)):
            c.line([(56, 60), (76 - 14 * k, 88), (82 - 26 * k, 126)], (9, 8, 3), colour)
            c.disc(80 - 26 * k, 114, 6, colour)
            c.disc(80 - 26 * k, 114, 2.6, paper)
        c.blob([(34, 44), (56, 36), (70, 54), (58, 74), (38, 66)], red)
        c.line([(52, 52), (78, 36), (92, 16)], (14, 10, 2), green)
        c.line([(54, 58), (84, 52), (97, 38)], (10, 7, 2), blue)
        c.line([(42, 52), (32, 36), (36, 22)], (13, 9, 9), red)
        c.disc(36, 20, 9.5, red)
        c.disc(34, 19, 2.8, paper)
        c.blob([(28, 18), (14, 24), (29, 26)], green)
        for k in range(3):
            c.line([(38 + 4 * k, 13), (42 + 8 * k, 3 + 3 * k)], (3, 2), green)
    elif bird == "swallow":
        c.line([(50, 70), (30, 96), (16, 128)], (10, 6, 2), blue)
        c.line([(52, 70), (60, 98), (74, 130)], (10, 6, 2), blue)
        c.blob([(50, 30), (64, 48), (58, 78), (42, 78), (36, 48)], blue)
        c.line([(40, 50), (16, 40), (4, 60)], (12, 9, 2), green)
        c.line([(60, 50), (84, 40), (96, 60)], (12, 9, 2), green)
        c.disc(50, 24, 12, blue)
        c.disc(50, 34, 7, red)
        c.disc(45, 21, 3, paper)
        c.disc(55, 21, 3, paper)
        c.blob([(46, 14), (50, 2), (54, 14)], red)
    elif bird == "hen":
        c.blob([(20, 70), (44, 56), (78, 52), (92, 30), (90, 76), (66, 104), (36, 102)], green)
        c.line([(40, 68), (58, 84), (80, 70)], (4, 7, 3), paper)
        c.line([(36, 74), (26, 50), (30, 34)], (20, 14, 12), green)
        c.disc(30, 30, 13, green)
        c.disc(27, 28, 3.4, paper)
        for k in range(3):
            c.disc(24 + 7 * k, 15, 5, red)
        c.blob([(18, 30), (4, 35), (18, 38)], red)
        c.line([(46, 102), (44, 126)], (4, 4), red)
        c.line([(60, 102), (62, 126)], (4, 4), red)
        c.line([(34, 127), (74, 127)], (4, 4), red)
    else:  # parrot
        c.line([(46, 76), (42, 104), (46, 130)], (15, 11, 4), red)
        c.line([(56, 74), (58, 100), (60, 122)], (9, 7, 3), green)
        c.blob([(34, 32), (60, 26), (72, 48), (62, 86), (42, 84), (30, 56)], green)
        c.blob([(52, 40), (72, 46), (66, 84), (54, 70)], blue)
        for k in range(3):
            c.line([(40, 50 + 11 * k), (46, 54 + 11 * k), (52, 50 + 11 * k)], (2.4, 3, 2.4), paper)
        c.disc(46, 24, 16, red)
        c.disc(41, 22, 5, paper)
        c.disc(41, 22, 2.6, green)
        c.blob([(32, 20), (18, 30), (30, 36), (34, 30)], green)
        c.line([(6, 86), (34, 94), (94, 84)], (4, 6, 4), blue)
        c.disc(10, 92, 6, blue, 3)
        c.disc(90, 94, 6, blue, 3)


def draw_plant(
    image: Image, left: float, top: float, unit: float, plant: int, inks: Sequence[Colour], paper: Colour
) -> None:
    """A flower tile's plant (0 plum, 1 orchid, 2 chrysanthemum, 3 bamboo), box of 100 × 133 units."""
    green, red, blue = inks
    c = _Canvas(image, left, top, unit)
    if plant == 0:
        c.line([(20, 126), (40, 96), (34, 70), (62, 40)], (9, 7, 5, 2), blue)
        c.line([(38, 84), (60, 78), (78, 60)], (5, 4, 2), blue)
        for x, y, r in ((62, 40, 9), (80, 58, 8), (34, 62, 7), (52, 84, 7)):
            for k in range(5):
                angle = 2 * np.pi * k / 5 - 1.57
                c.disc(x + np.cos(angle) * r * 0.85, y + np.sin(angle) * r * 0.85, r * 0.62, red)
            c.disc(x, y, r * 0.35, paper)
    elif plant == 1:
        for k in range(6):
            c.line(
                [(50, 124), (50 + (k - 2.5) * 8, 84), (50 + (k - 2.5) * 18, 56 + abs(k - 2.5) * 9)],
                (4, 7, 1),
                green,
            )
        for x, y in ((46, 46), (66, 36)):
            for k in range(5):
                c.oval(x + 8 * np.cos(k * 1.26), y + 8 * np.sin(k * 1.26), 8, 3.4, k * 72, red)
    elif plant == 2:
        c.line([(50, 128), (46, 98), (50, 66)], (6, 5, 4), green)
        c.blob([(46, 100), (20, 90), (12, 104), (30, 110)], green)
        c.blob([(50, 94), (76, 84), (88, 96), (68, 106)], green)
        for ring, count in ((20, 14), (11, 9)):
            for k in range(count):
                angle = 2 * np.pi * k / count
                c.oval(50 + ring * np.cos(angle), 50 + ring * np.sin(angle), 9, 3.6, np.degrees(angle), red)
        c.disc(50, 50, 5, blue)
    else:
        for x in (36, 58):
            for k in range(4):
                c.line([(x + k, 126 - 24 * k), (x + 1 + k, 106 - 24 * k)], (7, 6), green)
        for x, y, dx, dy in (
            (38, 72, -26, 12),
            (40, 50, -24, 8),
            (62, 62, 28, 12),
            (62, 44, 26, 6),
            (60, 92, 26, 14),
        ):
            c.line([(x, y), (x + dx * 0.5, y + dy * 0.2), (x + dx, y + dy)], (2, 8, 1), green)
