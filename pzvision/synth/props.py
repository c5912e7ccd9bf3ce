"""What is on a table besides tiles: rim, centre panel, dice, phones, cups, chips, cards."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from pzvision.synth.bodies import OCCLUDER, UP, Box, Ids
from pzvision.synth.camera import Camera, Floats
from pzvision.synth.compose import blend, shaded
from pzvision.synth.glyphs import Colour, Image, draw_glyph


def _pips(count: int, ink: Colour, paper: Colour) -> Image:
    image = np.empty((64, 64, 3), np.uint8)
    image[:] = paper
    places = {1: (4,), 2: (0, 8), 3: (0, 4, 8), 4: (0, 2, 6, 8), 5: (0, 2, 4, 6, 8), 6: (0, 2, 3, 5, 6, 8)}[
        count
    ]
    for k in places:
        cv2.circle(
            image, (14 + 18 * (k % 3), 14 + 18 * (k // 3)), 11 if count == 1 else 7, ink, -1, cv2.LINE_AA
        )
    return image


def random_die(rng: np.random.Generator, x: float, y: float) -> Box:
    """A die of 1.2–2 cm."""
    side = float(rng.uniform(1.2, 2.0))
    dark = rng.random() < 0.25
    paper: Colour = (40, 30, 190) if dark else (240, 245, 245)
    count = int(rng.integers(1, 7))
    ink: Colour = (250, 250, 250) if dark else (40, 30, 200) if count in (1, 4) else (30, 25, 20)
    return Box(x, y, side / 2, float(rng.uniform(0, 6.28)), UP, (side, side, side), _pips(count, ink, paper),
               front_colour=paper, back_colour=paper, rounding=side * 0.2)  # fmt: skip


def die(x: float, y: float, z: float, yaw: float, count: int, side: float = 1.6) -> Box:
    """A white die of ``side`` cm with ``count`` on top, turned by ``yaw`` radians.

    Its middle is at ``(x, y)`` cm, ``z`` cm above the table.
    """
    paper: Colour = (240, 245, 245)
    ink: Colour = (40, 30, 200) if count in (1, 4) else (30, 25, 20)
    return Box(x, y, z, yaw, UP, (side, side, side), _pips(count, ink, paper),
               front_colour=paper, back_colour=paper, rounding=side * 0.2)  # fmt: skip


def random_phone(rng: np.random.Generator, x: float, y: float) -> Box:
    """A phone lying on its back at ``(x, y)`` cm, its screen on or off."""
    screen = np.zeros((256, 128, 3), np.uint8)
    if rng.random() < 0.5:
        screen[:] = rng.integers(20, 255, 3)
        for _ in range(int(rng.integers(4, 14))):
            a = rng.integers(0, (110, 240))
            b = a + rng.integers(8, (60, 40))
            cv2.rectangle(
                screen,
                (int(a[0]), int(a[1])),
                (int(b[0]), int(b[1])),
                tuple(int(v) for v in rng.integers(0, 255, 3)),
                -1,
            )
    else:
        screen[:] = rng.integers(5, 35)
    cv2.rectangle(screen, (0, 0), (127, 255), tuple(int(v) for v in rng.integers(0, 90, 3)), 6)
    body = tuple(int(v) for v in rng.integers(10, 200, 3))
    colour: Colour = (body[0], body[1], body[2])
    return Box(x, y, 0.45, float(rng.uniform(0, 6.28)), UP, (7.4, 15.5, 0.9), screen, front_colour=colour,
               back_colour=colour, rounding=0.9, gloss=1.0)  # fmt: skip


def random_card(rng: np.random.Generator, x: float, y: float) -> Box:
    """A playing card at ``(x, y)`` cm, face up: digits and pips that are no tile."""
    card = np.full((256, 180, 3), 245, np.uint8)
    ink: Colour = (30, 30, 200) if rng.random() < 0.5 else (25, 20, 20)
    number = int(rng.integers(1, 10))
    for left, top in ((8, 8), (146, 214)):
        draw_glyph(card, str(number), (left, top, 24, 34), ink, brush="hei", weight=16)
    for k in range(number):
        place = (50 + 40 * (k % 3), 70 + 55 * (k // 3))
        if rng.random() < 0.5:
            cv2.circle(card, place, 15, ink, -1, cv2.LINE_AA)
        else:
            cv2.fillPoly(
                card,
                [
                    np.array(
                        [
                            (place[0], place[1] - 20),
                            (place[0] + 14, place[1]),
                            (place[0], place[1] + 20),
                            (place[0] - 14, place[1]),
                        ]
                    )
                ],
                ink,
                cv2.LINE_AA,
            )
    return Box(x, y, 0.05, float(rng.uniform(0, 6.28)), UP, (5.8, 8.8, 0.08), card,
               front_colour=(245, 245, 245), back_colour=(60, 40, 150), rounding=0.35, gloss=0.2)  # fmt: skip


def draw_round(
    image: Image,
    ids: Ids | None,
    camera: Camera,
    centre: tuple[float, float],
    radius: float,
    height: float,
    colour: Colour,
    top: Colour,
    rings: Sequence[tuple[float, Colour]] = (),
    z: float = 0.0,
) -> None:
    """An upright cylinder (cup, bowl, chip, can) standing ``z`` cm above the table.

    ``centre``, ``radius`` and ``height`` are cm; ``rings`` = (share of the radius, colour) on its top.
    """
    angle = np.linspace(0, 2 * np.pi, 28, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(28)])

    def disc(r: float, at: float) -> Floats:
        return camera.project(circle * r + (centre[0], centre[1], at))

    bottom, lid = disc(radius * 0.96, z), disc(radius, z + height)
    hull = cv2.convexHull(np.vstack([bottom, lid]).astype(np.float32))[:, 0]
    fixed = np.round(hull * 16).astype(np.int32)
    cv2.fillConvexPoly(image, fixed, shaded(colour, 0.75), cv2.LINE_AA, 4)
    half = np.vstack([bottom, lid])
    left = half[half[:, 0] < np.median(half[:, 0])]
    part = cv2.convexHull(left.astype(np.float32))[:, 0]
    cv2.fillConvexPoly(image, np.round(part * 16).astype(np.int32), shaded(colour, 0.95), cv2.LINE_AA, 4)
    for share, ink in ((1.0, top), *rings):
        cv2.fillConvexPoly(
            image, np.round(disc(radius * share, z + height) * 16).astype(np.int32), ink, cv2.LINE_AA, 4
        )
    if ids is not None:
        cv2.fillConvexPoly(ids, fixed, OCCLUDER, cv2.LINE_8, 4)


def random_round(
    rng: np.random.Generator, image: Image, ids: Ids | None, camera: Camera, x: float, y: float
) -> None:
    """A cup, a bowl, a can or a pile of chips at ``(x, y)`` cm."""
    c = [tuple(int(v) for v in rng.integers(20, 250, 3)) for _ in range(3)]
    a, b, d = ((v[0], v[1], v[2]) for v in c)
    what = rng.random()
    if what < 0.4:
        draw_round(
            image,
            ids,
            camera,
            (x, y),
            float(rng.uniform(3, 4.5)),
            float(rng.uniform(6, 11)),
            a,
            shaded(a, 1.1),
            ((0.88, b),),
        )
    elif what < 0.6:
        draw_round(
            image,
            ids,
            camera,
            (x, y),
            float(rng.uniform(3, 3.4)),
            float(rng.uniform(9, 13)),
            a,
            (200, 200, 200),
            ((0.85, (170, 170, 175)), (0.3, (120, 120, 120))),
        )
    else:
        for k in range(int(rng.integers(1, 6))):
            draw_round(
                image,
                ids,
                camera,
                (x + float(rng.normal(0, 0.15)), y),
                2.0,
                0.35,
                a,
                a,
                ((0.8, (240, 240, 240)), (0.66, d)),
                z=k * 0.35,
            )


def draw_rim(image: Image, camera: Camera, half: float, width: float, height: float, colour: Colour) -> None:
    """The raised frame of a table, ``width`` and ``height`` cm, around its felt of side ``2·half`` cm."""
    a, b = half, half + width
    sides = []
    for k in range(4):
        angle = k * np.pi / 2
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        sides.append((turn, float(camera.eye[:2] @ turn @ np.array([0.0, -1.0]))))
    for turn, near in sorted(sides, key=lambda s: s[1]):
        top = np.array([(-b, -b), (b, -b), (a, -a), (-a, -a)]) @ turn.T
        inner = np.array([(-a, -a), (a, -a)]) @ turn.T
        outer = np.array([(-b, -b), (b, -b)]) @ turn.T
        for edge, low, shade in ((outer, -8.0, 0.55), (inner, 0.0, 0.7)):
            wall = np.array([(*edge[0], height), (*edge[1], height), (*edge[1], low), (*edge[0], low)])
            if (shade == 0.55) == (near > b):
                px = camera.project(wall)
                cv2.fillConvexPoly(
                    image, np.round(px * 16).astype(np.int32), shaded(colour, shade), cv2.LINE_AA, 4
                )
        px = camera.project(np.column_stack([top, np.full(4, height)]))
        cv2.fillConvexPoly(
            image,
            np.round(px * 16).astype(np.int32),
            shaded(colour, 0.95 + 0.05 * near / (abs(near) + 40)),
            cv2.LINE_AA,
            4,
        )


def draw_panel(
    image: Image, camera: Camera, rng: np.random.Generator, half: float, *, letters: str = "東南西北"
) -> None:
    """An automatic table's centre panel: a plate with a dice dome, lamps and seat letters.

    ``half``: half its side, cm. ``letters``: of the near, right, far and left side.
    """
    plate: Colour = _grey(rng, 25, 90) if rng.random() < 0.7 else _grey(rng, 120, 210)
    picture = np.empty((256, 256, 3), np.uint8)
    picture[:] = plate
    cv2.rectangle(picture, (6, 6), (249, 249), shaded(plate, 1.5), 3)
    cv2.circle(picture, (128, 128), 60, shaded(plate, 0.5), -1, cv2.LINE_AA)
    cv2.circle(picture, (128, 128), 60, shaded(plate, 2.0), 3, cv2.LINE_AA)
    cv2.circle(picture, (108, 104), 14, (235, 235, 235), -1, cv2.LINE_AA)
    inks: tuple[Colour, ...] = ((60, 220, 60), (50, 50, 230), (40, 190, 240), (230, 140, 40))
    for char in letters[1:] + letters[0]:  # a quarter turn after each: the last is the near one
        slot = np.empty((44, 110, 3), np.uint8)
        slot[:] = shaded(plate, 0.6)
        draw_glyph(slot, char, (8, 6, 32, 32), (60, 190, 230), weight=11)
        cv2.circle(slot, (78, 22), 10, inks[int(rng.integers(4))], -1, cv2.LINE_AA)
        picture = np.asarray(np.rot90(picture, k=3), np.uint8).copy()
        picture[206:250, 73:183] = slot
    square = np.array([(-half, half), (half, half), (half, -half), (-half, -half)])
    px = camera.project(np.column_stack([square, np.full(4, 0.4)])).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(np.array([(0, 0), (256, 0), (256, 256), (0, 256)], np.float32), px)
    h, w = image.shape[:2]
    warped = cv2.warpPerspective(picture, matrix, (w, h))
    mask = np.zeros((h, w), np.uint8)
    cv2.fillConvexPoly(mask, np.round(px * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    image[:] = blend(np.asarray(warped, np.uint8), image, mask)


def _grey(rng: np.random.Generator, low: int, high: int) -> Colour:
    v = int(rng.integers(low, high))
    return v, v, v
