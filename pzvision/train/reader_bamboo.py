"""The 条 of the drawn faces: bamboo in many makes, and the birds of the one."""

from __future__ import annotations

import cv2
import numpy as np

from pzvision.train.reader_canvas import MADE_UP, Canvas, Colour, Point


def _segment(c: Canvas, a: Point, b: Point, thick: float, colour: Colour) -> None:
    """One piece of bamboo from `a` to `b`; `thick` is its width."""
    white = (255, 255, 255)
    look = c.style.bar

    def at(t: float) -> Point:
        return a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t

    if look >= MADE_UP:  # so many joints, straight or waisted, with hearts or knots
        rng = np.random.default_rng(look)
        joints, space = int(rng.integers(1, 5)), rng.uniform(0.02, 0.08)
        stem, body, heart, knot = rng.uniform(0, 0.7), rng.uniform(0.6, 1.1), rng.random(), rng.random()
        if stem > 0.2:
            c.line(a, b, colour, thick * stem)
        for k in range(joints):
            t0, t1 = k / joints + space, (k + 1) / joints - space
            c.line(at(t0), at(t1), colour, thick * body)
            if heart < 0.4:
                c.line(at(t0 + 0.05), at(t1 - 0.05), white, thick * body * heart)
        if knot < 0.5:
            for k in range(joints + 1):
                c.circle(at(k / joints), thick * (0.4 + knot * 0.6), colour)
    elif look == 0:  # plain
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


def draw_bamboo(c: Canvas, rank: int) -> None:
    """Two to nine 条."""
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
    c: Canvas,
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


def draw_bird(c: Canvas) -> None:
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


def _peacock(c: Canvas) -> None:
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
