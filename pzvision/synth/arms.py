"""The players: arms reaching over the table, and their bodies beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from pzvision.synth.bodies import OCCLUDER, Ids
from pzvision.synth.camera import Camera, Floats
from pzvision.synth.compose import any_colour, blend, darken, shaded
from pzvision.synth.glyphs import Colour, Image
from pzvision.synth.optics import motion_kernel

SKINS: Final[tuple[Colour, ...]] = (
    (140, 175, 225),
    (120, 155, 210),
    (100, 135, 190),
    (80, 110, 165),
    (60, 85, 130),
    (160, 190, 235),
)


@dataclass(frozen=True)
class Arm:
    """An arm over the table.

    Attributes:
        shoulder, hand: world cm; the hand is the middle of its palm.
        skin, sleeve: BGR. ``sleeve_share``: part of the forearm that the sleeve covers.
        width: forearm's thickness, cm. ``left``: a left hand.
        curl: 0–1, from a flat hand to fingers bent down.
    """

    shoulder: tuple[float, float, float]
    hand: tuple[float, float, float]
    skin: Colour = (120, 155, 210)
    sleeve: Colour = (90, 60, 40)
    sleeve_share: float = 0.6
    width: float = 7.0
    curl: float = 0.4
    left: bool = False


# For each finger: sideways place of the knuckle, length, sideways place of the tip, cm.
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
        lines.append((points, widths, shaded(colour, 0.78)))
        lift = up * float(widths.mean()) * 0.12
        lines.append((points + lift, widths * 0.74, shaded(colour, 0.94)))
        lines.append((points + lift * 1.8, widths * 0.36, shaded(colour, 1.06)))

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
        light: factor on its brightness. ``shadow``: 0–1. ``smear``: motion blur in px, as (dx, dy).

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
        region[:] = darken(
            region, np.asarray(cv2.bitwise_not(cv2.convertScaleAbs(dark, alpha=shadow)), np.uint8)
        )
    layer = np.zeros_like(region)
    mask = np.zeros(region.shape[:2], np.uint8)
    for px, widths, colour in lines:
        _stroke(layer, px, widths, shaded(colour, light), (x0, y0))
        _stroke(mask, px, widths, (255, 255, 255), (x0, y0))
    unit = camera.focal / max(float(camera.depth(np.array([arm.hand]))[0]), 5.0)
    sigma = max(0.8, 0.35 * unit)
    soft = cv2.GaussianBlur(layer, (0, 0), sigma).astype(np.float32)
    weight = np.maximum(cv2.GaussianBlur(mask, (0, 0), sigma), 1).astype(np.float32)
    # blurred colours without the dark that blurs in from outside the arm
    top = np.minimum(cv2.divide(soft, cv2.merge([weight] * 3), scale=255.0), 255).astype(np.uint8)
    length = float(np.hypot(*smear))
    if length > 1.5:
        length, angle = min(length, 61.0), float(np.arctan2(smear[1], smear[0]))
        mask, top = _smeared(mask, length, angle), _smeared(top, length, angle)
    region[:] = blend(top, region, mask)
    if ids is not None:
        ids[y0:y1, x0:x1][mask > 110] = OCCLUDER
    return x0, y0, x1, y1


def _smeared(image: Image, length: float, angle: float) -> Image:
    """Blurred by a movement of ``length`` px; a long one at half the size, which nobody can tell."""
    if length < 8:
        return np.asarray(cv2.filter2D(image, -1, motion_kernel(length, angle)), np.uint8)
    tall, wide = image.shape[:2]
    half = cv2.resize(image, ((wide + 1) // 2, (tall + 1) // 2), interpolation=cv2.INTER_AREA)
    half = cv2.filter2D(half, -1, motion_kernel(length / 2, angle))
    return np.asarray(cv2.resize(half, (wide, tall), interpolation=cv2.INTER_LINEAR), np.uint8)


def random_arm(rng: np.random.Generator, shoulder: Sequence[float], hand: Sequence[float]) -> Arm:
    """Any skin, sleeve and grip; ``shoulder`` and ``hand`` x, y, z in cm as in `Arm`."""
    return Arm(
        (float(shoulder[0]), float(shoulder[1]), float(shoulder[2])),
        (float(hand[0]), float(hand[1]), float(hand[2])),
        skin=SKINS[int(rng.integers(len(SKINS)))],
        sleeve=any_colour(rng, 15, 230),
        sleeve_share=float(rng.uniform(0.0, 0.85)),
        width=float(rng.uniform(5.5, 8.5)),
        curl=float(rng.uniform(0, 0.9)),
        left=bool(rng.random() < 0.4),
    )


def draw_torso(image: Image, camera: Camera, at: tuple[float, float], side: int, colour: Colour) -> None:
    """A sitting player beside the table, ``at`` x, y cm: shoulders, chest, lap, seen mostly from above."""
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
        for canvas, ink in ((layer, shaded(colour, shade)), (mask, (255, 255, 255))):
            _stroke(canvas, px, widths, ink, (0.0, 0.0))
    layer = np.asarray(cv2.GaussianBlur(layer, (0, 0), 5), np.uint8)
    image[:] = blend(layer, image, mask)
