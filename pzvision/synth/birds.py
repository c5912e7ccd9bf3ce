"""The living things on tiles, in several styles: the bird of 一条 and the plants of flower tiles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pzvision.synth.glyphs import Colour, Image, brush_line, smooth
from pzvision.synth.pen import circle, ellipse, polygon


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
        polygon(self.image, smooth(closed) * self.unit + (self.left, self.top), colour)

    def disc(self, x: float, y: float, r: float, colour: Colour, ring: float = 0.0) -> None:
        thickness = ring * self.unit if ring else -1.0
        circle(
            self.image, self.left + x * self.unit, self.top + y * self.unit, r * self.unit, colour, thickness
        )

    def oval(
        self, x: float, y: float, a: float, b: float, angle: float, colour: Colour, ring: float = 0.0
    ) -> None:
        u = self.unit
        thickness = ring * u if ring else -1.0
        ellipse(self.image, self.left + x * u, self.top + y * u, a * u, b * u, angle, colour, thickness)


def draw_bird(
    image: Image, left: float, top: float, unit: float, bird: str, inks: Sequence[Colour], paper: Colour
) -> None:
    """一条's bird in a box of 100 × 133 units of ``unit`` px, its corner at ``left``, ``top`` px.

    ``inks`` = (green, red, blue).
    """
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
    """A flower tile's plant (0 plum, 1 orchid, 2 chrysanthemum, 3 bamboo), in a box as for `draw_bird`."""
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
