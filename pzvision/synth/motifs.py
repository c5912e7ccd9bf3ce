"""Dots and bamboos, each in several styles, drawn from circles, polygons and brush lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from pzvision.synth.glyphs import Colour, Image, brush_line
from pzvision.synth.pen import circle, ellipse, polygon

DOT_STYLES: Final = ("rings", "bold", "wheel", "cross", "flower", "thin", "disc", "coin")
BAMBOO_STYLES: Final = ("capsule", "bone", "beads", "segments", "outline", "stick")
BIRDS: Final = ("sparrow", "peacock", "crane", "robin", "phoenix", "parrot")
# Of the looks that no model is trained on (`looks.HELD_OUT`); in no list above: chance never picks them.
HELD_OUT_DOTS: Final = ("sun", "square")
HELD_OUT_BAMBOOS: Final = ("twin", "spindle")
HELD_OUT_BIRDS: Final = ("swallow", "hen")


def draw_dot(image: Image, x: float, y: float, r: float, style: str, ink: Colour, paper: Colour) -> None:
    """One 筒 of radius ``r`` px around ``(x, y)`` px."""
    if style == "rings":
        circle(image, x, y, r, ink, r * 0.2)
        circle(image, x, y, r * 0.62, ink, r * 0.16)
        circle(image, x, y, r * 0.24, ink)
    elif style == "bold":
        circle(image, x, y, r, ink, r * 0.36)
        circle(image, x, y, r * 0.36, ink)
    elif style == "thin":
        for k in (1.0, 0.72, 0.46):
            circle(image, x, y, r * k, ink, r * 0.12)
        circle(image, x, y, r * 0.15, ink)
    elif style == "wheel":
        circle(image, x, y, r, ink, r * 0.16)
        for k in range(8):
            angle = k * np.pi / 4 + 0.2
            ellipse(
                image,
                x + np.cos(angle) * r * 0.55,
                y + np.sin(angle) * r * 0.55,
                r * 0.26,
                r * 0.1,
                np.degrees(angle),
                ink,
            )
        circle(image, x, y, r * 0.24, ink, r * 0.13)
    elif style == "cross":
        circle(image, x, y, r, ink)
        for k in range(4):
            angle = k * np.pi / 2
            ellipse(
                image,
                x + np.cos(angle) * r * 0.53,
                y + np.sin(angle) * r * 0.53,
                r * 0.2,
                r * 0.3,
                np.degrees(angle),
                paper,
            )
        circle(image, x, y, r * 0.12, paper)
    elif style == "flower":
        for k in range(8):
            angle = k * np.pi / 4
            circle(image, x + np.cos(angle) * r * 0.74, y + np.sin(angle) * r * 0.74, r * 0.27, ink)
        circle(image, x, y, r * 0.68, paper)
        circle(image, x, y, r * 0.52, ink, r * 0.16)
        circle(image, x, y, r * 0.2, ink)
    elif style == "disc":
        circle(image, x, y, r, ink)
        circle(image, x, y, r * 0.7, paper, r * 0.14)
        circle(image, x, y, r * 0.22, paper)
    elif style == "sun":
        for k in range(12):
            angle = k * np.pi / 6
            tip = (x + np.cos(angle) * r, y + np.sin(angle) * r)
            foot = [
                (x + np.cos(angle + d) * r * 0.66, y + np.sin(angle + d) * r * 0.66) for d in (-0.24, 0.24)
            ]
            polygon(image, [tip, *foot], ink)
        circle(image, x, y, r * 0.62, ink, r * 0.14)
        circle(image, x, y, r * 0.3, ink)
    elif style == "square":  # a cash coin: a square hole
        circle(image, x, y, r, ink)
        circle(image, x, y, r * 0.84, paper, r * 0.09)
        hole = r * 0.3
        polygon(
            image,
            [(x - hole, y - hole), (x + hole, y - hole), (x + hole, y + hole), (x - hole, y + hole)],
            paper,
        )
    else:  # coin
        circle(image, x, y, r, ink, r * 0.3)
        circle(image, x, y, r * 0.5, ink)
        circle(image, x, y, r * 0.2, paper)


def draw_great_dot(
    image: Image, x: float, y: float, r: float, style: str, inks: Sequence[Colour], paper: Colour
) -> None:
    """The big ornate 一筒 of radius ``r`` px around ``(x, y)`` px; ``inks`` = (outer, inner, third)."""
    outer, inner, third = inks
    if style in ("bold", "coin", "rings"):
        circle(image, x, y, r, third, r * 0.22)
        circle(image, x, y, r * 0.76, outer, r * 0.16)
        circle(image, x, y, r * 0.52, inner, r * 0.2)
        if style != "bold":
            circle(image, x, y, r * 0.2, inner)
        return
    petals = 16 if style in ("wheel", "thin") else 12
    filled = style in ("cross", "disc")
    if filled:
        circle(image, x, y, r, outer)
    elif style != "flower":
        circle(image, x, y, r, outer, r * 0.07)
    for k in range(petals):
        angle = 2 * np.pi * k / petals
        px, py = x + np.cos(angle) * r * 0.74, y + np.sin(angle) * r * 0.74
        if filled:
            ellipse(image, px, py, r * 0.17, r * 0.1, np.degrees(angle), paper)
        elif style == "flower":
            ellipse(image, px, py, r * 0.26, r * 0.13, np.degrees(angle), outer)
        else:
            ellipse(image, px, py, r * 0.15, r * 0.06, np.degrees(angle), outer)
    circle(image, x, y, r * 0.54, paper)
    circle(image, x, y, r * 0.5, outer if filled else inner, r * 0.1)
    for k in range(4):
        angle = np.pi / 4 + k * np.pi / 2
        circle(image, x + np.cos(angle) * r * 0.2, y + np.sin(angle) * r * 0.2, r * 0.13, inner)
    circle(image, x, y, r * 0.1, inner)


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
        polygon(image, np.array(left + right), colour)

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
            ellipse(image, centre[0], centre[1], length * 0.135, half, degrees, ink)
            ellipse(image, centre[0], centre[1], length * 0.045, half * 0.4, degrees, paper)
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
            circle(image, p[0], p[1], half * 0.4, paper)
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
