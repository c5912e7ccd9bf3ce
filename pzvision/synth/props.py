"""Everything on and around the table that is not a tile: rim, centre panel, arms, dice, phones, cups, chips, cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from pzvision.synth.bodies import OCCLUDER, UP, Box, Ids
from pzvision.synth.camera import Camera, Floats
from pzvision.synth.glyphs import Colour, Image, draw_glyph
from pzvision.synth.optics import motion_kernel

SKINS: Final[tuple[Colour, ...]] = (
    (140, 175, 225),
    (120, 155, 210),
    (100, 135, 190),
    (80, 110, 165),
    (60, 85, 130),
    (160, 190, 235),
)


def _shade(colour: Colour, amount: float) -> Colour:
    b, g, r = (int(min(255, max(0, v * amount))) for v in colour)
    return b, g, r


@dataclass(frozen=True)
class Arm:
    """An arm over the table.

    Attributes:
        shoulder, hand: world cm; the hand is the middle of its palm.
        skin, sleeve: BGR. ``sleeve_share``: part of the forearm that the sleeve covers.
        width: forearm's thickness, cm. ``curl``: 0 flat hand – 1 fingers bent down. ``left``: a left hand.
    """

    shoulder: tuple[float, float, float]
    hand: tuple[float, float, float]
    skin: Colour = (120, 155, 210)
    sleeve: Colour = (90, 60, 40)
    sleeve_share: float = 0.6
    width: float = 7.0
    curl: float = 0.4
    left: bool = False


# For each finger: sideways place at the knuckle, length, sideways place of the tip, in cm of a hand 8.5 cm wide.
_FINGERS: Final = ((-3.1, 6.3, -4.2), (-1.1, 7.6, -1.4), (1.0, 7.2, 1.4), (2.9, 5.6, 4.2))


def _arm_lines(arm: Arm) -> list[tuple[Floats, Floats, Colour]]:
    """(world points, diameters in cm, colour) from under to over."""
    hand, shoulder = np.array(arm.hand), np.array(arm.shoulder)
    ahead = hand - shoulder
    ahead[2] = 0
    ahead /= max(float(np.linalg.norm(ahead)), 1e-6)
    side = np.array([ahead[1], -ahead[0], 0.0]) * (-1.0 if arm.left else 1.0)
    wrist = hand - ahead * 6.0 + (0, 0, 1.2)
    lines: list[tuple[Floats, Floats, Colour]] = []
    cut = wrist + (shoulder - wrist) * (1 - arm.sleeve_share)
    thick = arm.width
    up = np.array([0.0, 0.0, 1.0])

    def limb(points: Floats, widths: Floats, colour: Colour) -> None:
        lines.append((points, widths, _shade(colour, 0.78)))
        lift = up * float(widths.mean()) * 0.12
        lines.append((points + lift, widths * 0.74, _shade(colour, 0.94)))
        lines.append((points + lift * 1.8, widths * 0.36, _shade(colour, 1.06)))

    t = np.linspace(0, 1, 5)[:, None]
    limb(wrist * t + cut * (1 - t), np.linspace(thick * 0.95, thick * 0.72, 5), arm.skin)
    if arm.sleeve_share > 0.02:
        limb(cut * t + shoulder * (1 - t), np.linspace(thick * 2.0, thick * 1.25, 5), arm.sleeve)
    palm = np.stack([wrist, hand - ahead * 1.5, hand + ahead * 2.2])
    limb(palm, np.array([5.6, 7.6, 7.8]), arm.skin)
    for place, length, tip_place in _FINGERS:
        knuckle = hand + ahead * 3.6 + side * place
        reach = length * (1 - 0.45 * arm.curl)
        middle = (
            knuckle + ahead * reach * 0.55 + side * (tip_place - place) * 0.5 + up * (0.4 - 0.4 * arm.curl)
        )
        tip = knuckle + ahead * reach + side * (tip_place - place) - up * (2.6 * arm.curl)
        tip[2] = max(tip[2], 0.8)
        limb(np.stack([knuckle, middle, tip]), np.array([2.1, 1.9, 1.5]), arm.skin)
    base = hand - ahead * 2.5 - side * 3.4
    tip = hand + ahead * (2.6 + arm.curl) - side * (5.6 - 3.0 * arm.curl) - up * (1.2 * arm.curl)
    tip[2] = max(tip[2], 0.8)
    limb(np.stack([base, (base + tip) / 2 - side * 0.8, tip]), np.array([2.8, 2.3, 1.8]), arm.skin)
    return lines


def _stroke(image: Image, points: Floats, widths: Floats, colour: Colour, shift: tuple[float, float]) -> None:
    last: tuple[Floats, float] | None = None
    for point, width in zip(points - shift, widths, strict=True):
        radius = max(float(width) / 2, 0.5)
        cv2.circle(
            image,
            (round(point[0] * 16), round(point[1] * 16)),
            round(radius * 16),
            colour,
            -1,
            cv2.LINE_AA,
            4,
        )
        if last is not None:
            (p, r), d = last, point - last[0]
            length = float(np.hypot(*d))
            if length > 1e-6:
                n = np.array([-d[1], d[0]]) / length
                quad = np.array([p + n * r, point + n * radius, point - n * radius, p - n * r])
                cv2.fillConvexPoly(image, np.round(quad * 16).astype(np.int32), colour, cv2.LINE_AA, 4)
        last = (point, radius)


def draw_arm(
    image: Image,
    ids: Ids | None,
    camera: Camera,
    arm: Arm,
    *,
    light: float = 1.0,
    shadow: float = 0.3,
    smear: tuple[float, float] = (0.0, 0.0),
) -> tuple[int, int, int, int] | None:
    """Draw an arm in place, with a soft shadow on the table below it.

    Args:
        light: its brightness. ``shadow``: 0–1. ``smear``: motion blur in px, as (dx, dy).

    Returns:
        The rectangle (x0, y0, x1, y1) that changed, or None when the arm is outside the picture.
    """
    h, w = image.shape[:2]
    lines = []
    everything = []
    for points, widths, colour in _arm_lines(arm):
        px = camera.project(points)
        scale = camera.focal / np.maximum(camera.depth(points), 5.0)
        lines.append((px, widths * scale, colour))
        everything += [px - (widths * scale)[:, None] / 2, px + (widths * scale)[:, None] / 2]
    ground = []
    for points, widths, _ in _arm_lines(arm)[::3]:
        flat = points.copy()
        flat[:, 0] += flat[:, 2] * 0.25
        flat[:, 1] -= flat[:, 2] * 0.35
        flat[:, 2] = 0.0
        px = camera.project(flat)
        ground.append((px, widths * camera.focal / np.maximum(camera.depth(flat), 5.0)))
        everything += [px]
    reach = int(max(abs(smear[0]), abs(smear[1]))) + 14
    low = np.min(np.vstack(everything), axis=0) - reach
    high = np.max(np.vstack(everything), axis=0) + reach
    x0, y0 = max(0, int(low[0])), max(0, int(low[1]))
    x1, y1 = min(w, int(high[0]) + 1), min(h, int(high[1]) + 1)
    if x1 <= x0 or y1 <= y0:
        return None
    region = image[y0:y1, x0:x1]
    if shadow > 0:
        small = np.zeros(
            ((y1 - y0 + 3) // 4, (x1 - x0 + 3) // 4), np.uint8
        )  # soft: a quarter of the size does
        for px, widths in ground:
            _stroke(small, px / 4, widths / 4, (255, 255, 255), (x0 / 4, y0 / 4))
        small = np.asarray(cv2.GaussianBlur(small, (0, 0), max(1.0, 0.3 * camera.focal / 100)), np.uint8)
        dark = cv2.resize(small, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR)
        keep = cv2.bitwise_not(cv2.convertScaleAbs(dark, alpha=shadow))
        region[:] = cv2.multiply(region, cv2.merge([keep] * 3), scale=1 / 255)
    layer = np.zeros_like(region)
    mask = np.zeros(region.shape[:2], np.uint8)
    for px, widths, colour in lines:
        _stroke(layer, px, widths, _shade(colour, light), (x0, y0))
        _stroke(mask, px, widths, (255, 255, 255), (x0, y0))
    unit = camera.focal / max(float(camera.depth(np.array([arm.hand]))[0]), 5.0)
    soft = cv2.GaussianBlur(layer, (0, 0), max(0.8, 0.35 * unit))
    weight = cv2.GaussianBlur(mask, (0, 0), max(0.8, 0.35 * unit))
    ratio = cv2.merge([np.maximum(weight, 1)] * 3)
    layer = cv2.divide(cv2.multiply(soft, 1.0, dtype=cv2.CV_16U), ratio.astype(np.uint16), scale=255.0)
    layer = np.minimum(layer, 255).astype(np.uint8)
    length = float(np.hypot(*smear))
    if length > 1.5:
        kernel = motion_kernel(min(length, 61.0), float(np.arctan2(smear[1], smear[0])))
        mask = cv2.filter2D(mask, -1, kernel)
        layer = cv2.filter2D(layer, -1, kernel)
    share = cv2.merge([mask] * 3)
    region[:] = cv2.add(
        cv2.multiply(layer, share, scale=1 / 255), cv2.multiply(region, cv2.bitwise_not(share), scale=1 / 255)
    )
    if ids is not None:
        ids[y0:y1, x0:x1][mask > 110] = OCCLUDER
    return x0, y0, x1, y1


def random_arm(rng: np.random.Generator, shoulder: Sequence[float], hand: Sequence[float]) -> Arm:
    """Any skin, sleeve and grip."""
    sleeve = tuple(int(v) for v in rng.integers(15, 230, 3))
    return Arm(
        (float(shoulder[0]), float(shoulder[1]), float(shoulder[2])),
        (float(hand[0]), float(hand[1]), float(hand[2])),
        skin=SKINS[int(rng.integers(len(SKINS)))],
        sleeve=(sleeve[0], sleeve[1], sleeve[2]),
        sleeve_share=float(rng.uniform(0.0, 0.85)),
        width=float(rng.uniform(5.5, 8.5)),
        curl=float(rng.uniform(0, 0.9)),
        left=bool(rng.random() < 0.4),
    )


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


def random_phone(rng: np.random.Generator, x: float, y: float) -> Box:
    """A phone lying on its back, its screen on or off."""
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
    """A playing card, face up: digits and pips that are no tile."""
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
    return Box(x, y, 0.05, float(rng.uniform(0, 6.28)), UP, (5.8, 8.8, 0.08), card, front_colour=(245, 245, 245),
               back_colour=(60, 40, 150), rounding=0.35, gloss=0.2)  # fmt: skip


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
    """An upright cylinder (cup, bowl, chip, can) in place; ``rings`` = (part of the radius, colour) on its top."""
    angle = np.linspace(0, 2 * np.pi, 28, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(28)])

    def disc(r: float, at: float) -> Floats:
        return camera.project(circle * r + (centre[0], centre[1], at))

    bottom, lid = disc(radius * 0.96, z), disc(radius, z + height)
    hull = cv2.convexHull(np.vstack([bottom, lid]).astype(np.float32))[:, 0]
    fixed = np.round(hull * 16).astype(np.int32)
    cv2.fillConvexPoly(image, fixed, _shade(colour, 0.75), cv2.LINE_AA, 4)
    half = np.vstack([bottom, lid])
    left = half[half[:, 0] < np.median(half[:, 0])]
    part = cv2.convexHull(left.astype(np.float32))[:, 0]
    cv2.fillConvexPoly(image, np.round(part * 16).astype(np.int32), _shade(colour, 0.95), cv2.LINE_AA, 4)
    for share, ink in ((1.0, top), *rings):
        cv2.fillConvexPoly(
            image, np.round(disc(radius * share, z + height) * 16).astype(np.int32), ink, cv2.LINE_AA, 4
        )
    if ids is not None:
        cv2.fillConvexPoly(ids, fixed, OCCLUDER, cv2.LINE_8, 4)


def random_round(
    rng: np.random.Generator, image: Image, ids: Ids | None, camera: Camera, x: float, y: float
) -> None:
    """A cup, a bowl, a can or a pile of chips at (x, y)."""
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
            _shade(a, 1.1),
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


def flat_polygon(
    image: Image, camera: Camera, points: Sequence[tuple[float, float]], z: float, colour: Colour
) -> None:
    """A polygon lying at height ``z``."""
    px = camera.project(np.array([(x, y, z) for x, y in points]))
    cv2.fillPoly(image, [np.round(px * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)


def draw_rim(image: Image, camera: Camera, half: float, width: float, height: float, colour: Colour) -> None:
    """The raised frame of a table around its felt of side ``2·half`` cm."""
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
                    image, np.round(px * 16).astype(np.int32), _shade(colour, shade), cv2.LINE_AA, 4
                )
        px = camera.project(np.column_stack([top, np.full(4, height)]))
        cv2.fillConvexPoly(
            image,
            np.round(px * 16).astype(np.int32),
            _shade(colour, 0.95 + 0.05 * near / (abs(near) + 40)),
            cv2.LINE_AA,
            4,
        )


def draw_panel(
    image: Image, camera: Camera, rng: np.random.Generator, half: float, *, turn: float = 0.0
) -> None:
    """An automatic table's centre panel: a plate with a dice dome, lamps and seat letters."""
    plate: Colour = _grey(rng, 25, 90) if rng.random() < 0.7 else _grey(rng, 120, 210)
    picture = np.empty((256, 256, 3), np.uint8)
    picture[:] = plate
    cv2.rectangle(picture, (6, 6), (249, 249), _shade(plate, 1.5), 3)
    cv2.circle(picture, (128, 128), 60, _shade(plate, 0.5), -1, cv2.LINE_AA)
    cv2.circle(picture, (128, 128), 60, _shade(plate, 2.0), 3, cv2.LINE_AA)
    cv2.circle(picture, (108, 104), 14, (235, 235, 235), -1, cv2.LINE_AA)
    inks: tuple[Colour, ...] = ((60, 220, 60), (50, 50, 230), (40, 190, 240), (230, 140, 40))
    for k, char in enumerate("東南西北"):
        slot = np.empty((44, 110, 3), np.uint8)
        slot[:] = _shade(plate, 0.6)
        draw_glyph(slot, char, (8, 6, 32, 32), (60, 190, 230), weight=11)
        cv2.circle(slot, (78, 22), 10, inks[int(rng.integers(4))], -1, cv2.LINE_AA)
        picture = np.asarray(np.rot90(picture, k=3), np.uint8).copy()
        picture[206:250, 73:183] = slot
    c, s = np.cos(turn), np.sin(turn)
    square = np.array([(-half, half), (half, half), (half, -half), (-half, -half)]) @ np.array(
        [[c, s], [-s, c]]
    )
    px = camera.project(np.column_stack([square, np.full(4, 0.4)])).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(np.array([(0, 0), (256, 0), (256, 256), (0, 256)], np.float32), px)
    h, w = image.shape[:2]
    warped = cv2.warpPerspective(picture, matrix, (w, h))
    mask = np.zeros((h, w), np.uint8)
    cv2.fillConvexPoly(mask, np.round(px * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    share = cv2.merge([mask] * 3)
    image[:] = cv2.add(
        cv2.multiply(warped, share, scale=1 / 255), cv2.multiply(image, cv2.bitwise_not(share), scale=1 / 255)
    )


def _grey(rng: np.random.Generator, low: int, high: int) -> Colour:
    v = int(rng.integers(low, high))
    return v, v, v


def draw_torso(image: Image, camera: Camera, at: tuple[float, float], side: int, colour: Colour) -> None:
    """A sitting player beside the table: shoulders, chest, lap, seen mostly from above."""
    angle = side * np.pi / 2
    c, s = np.cos(angle), np.sin(angle)
    h, w = image.shape[:2]
    layer = np.zeros_like(image)
    mask = np.zeros((h, w), np.uint8)
    for back, z, wide, thick, shade in (
        (0.0, -30.0, 30.0, 36.0, 0.6),
        (4.0, 0.0, 30.0, 26.0, 0.8),
        (8.0, 22.0, 32.0, 18.0, 1.0),
    ):
        points = []
        for x in (-wide / 2, wide / 2):
            dy = -back
            points.append((at[0] + x * c - dy * s, at[1] + x * s + dy * c, z))
        world = np.array(points)
        if camera.depth(world).min() < 15:
            continue
        px = camera.project(world)
        widths = thick * camera.focal / camera.depth(world)
        for canvas, ink in ((layer, _shade(colour, shade)), (mask, (255, 255, 255))):
            _stroke(canvas, px, widths, ink, (0.0, 0.0))
    layer = np.asarray(cv2.GaussianBlur(layer, (0, 0), 5), np.uint8)
    share = cv2.merge([mask] * 3)
    image[:] = cv2.add(
        cv2.multiply(layer, share, scale=1 / 255), cv2.multiply(image, cv2.bitwise_not(share), scale=1 / 255)
    )
