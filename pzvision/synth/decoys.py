"""Things that look a little like tiles and are none, lying flat on the table under and beside the tiles.

Lit digits, score panels, keys and buttons of automatic tables, chips, coins, point sticks, dominoes, books,
notes, boxes, cards seen from behind, prints on the cloth. A finder that never saw them takes them for tiles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from pzvision.synth.camera import Camera
from pzvision.synth.compose import any_colour, blend, shaded
from pzvision.synth.glyphs import Colour, Image, draw_glyph
from pzvision.synth.props import draw_round

_CHARACTERS: Final = "一二三四五六七八九東南西北中春夏秋冬竹菊梅福"
# Lit segments of the digits 0–9; bits from the lowest: top, upper right, lower right, bottom, lower left,
# upper left, middle.
_SEGMENTS: Final = (0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F)
_LAMPS: Final[tuple[Colour, ...]] = (
    (40, 40, 255),
    (60, 255, 80),
    (60, 200, 255),
    (255, 140, 40),
    (250, 250, 250),
    (255, 230, 90),
)


def lay_plate(
    image: Image,
    camera: Camera,
    picture: Image,
    centre: tuple[float, float],
    yaw: float,
    size: tuple[float, float],
    *,
    z: float = 0.05,
    corner: float = 0.0,
) -> None:
    """Draw a flat picture of ``size`` (width, height) cm at ``centre`` into ``image``, in place.

    ``yaw``: radians. ``z``: height, cm. ``corner``: radius of its corners as a share of its shorter side.
    Nothing is drawn where a corner is behind the camera.
    """
    c, s = np.cos(yaw), np.sin(yaw)
    flat = np.array([(-0.5, 0.5), (0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)]) * size
    flat = flat @ np.array([[c, s], [-s, c]]) + centre
    points = np.column_stack([flat, np.full(4, z)])
    if camera.depth(points).min() < 2.0:
        return
    px = camera.project(points).astype(np.float32)
    h, w = image.shape[:2]
    x0, y0 = np.maximum(np.floor(px.min(0)).astype(int) - 1, 0)
    x1, y1 = np.minimum(np.ceil(px.max(0)).astype(int) + 2, (w, h))
    if x1 - x0 < 2 or y1 - y0 < 2 or np.abs(px).max() > 15000:
        return
    shown = float(np.linalg.norm(px[1] - px[0]))
    while picture.shape[1] > 2.2 * max(shown, 6.0):
        half = (max(2, picture.shape[1] // 2), max(2, picture.shape[0] // 2))
        picture = np.asarray(cv2.resize(picture, half, interpolation=cv2.INTER_AREA), np.uint8)
    ph, pw = picture.shape[:2]
    mask = np.zeros((ph, pw), np.uint8)
    r = int(corner * min(pw, ph))
    if r:
        cv2.rectangle(mask, (r, 0), (pw - 1 - r, ph - 1), 255, -1)
        cv2.rectangle(mask, (0, r), (pw - 1, ph - 1 - r), 255, -1)
        for x in (r, pw - 1 - r):
            for y in (r, ph - 1 - r):
                cv2.circle(mask, (x, y), r, 255, -1)
    else:
        mask[:] = 255
    source = np.array([(0, 0), (pw, 0), (pw, ph), (0, ph)], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(source, px - np.array([x0, y0], np.float32))
    size_px = (int(x1 - x0), int(y1 - y0))
    warped = cv2.warpPerspective(picture, matrix, size_px, borderMode=cv2.BORDER_REPLICATE)
    share = cv2.warpPerspective(mask, matrix, size_px)
    part = image[y0:y1, x0:x1]
    part[:] = blend(np.asarray(warped, np.uint8), np.asarray(part, np.uint8), np.asarray(share, np.uint8))


def _filled(height: int, width: int, colour: Colour) -> Image:
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = colour
    return picture


def _digit(picture: Image, number: int, box: tuple[int, int, int, int], ink: Colour, off: Colour) -> None:
    """One seven-segment digit in ``box`` (x, y, width, height) px."""
    x, y, w, h = box
    t = max(2, w // 5)
    ends = (
        ((x, y), (x + w, y)),
        ((x + w, y), (x + w, y + h // 2)),
        ((x + w, y + h // 2), (x + w, y + h)),
        ((x, y + h), (x + w, y + h)),
        ((x, y + h // 2), (x, y + h)),
        ((x, y), (x, y + h // 2)),
        ((x, y + h // 2), (x + w, y + h // 2)),
    )
    for k, (a, b) in enumerate(ends):
        lit = _SEGMENTS[number] >> k & 1
        across = a[1] == b[1]
        a = (a[0] + (t // 2 if across else 0), a[1] + (0 if across else t // 2))
        b = (b[0] - (t // 2 if across else 0), b[1] - (0 if across else t // 2))
        cv2.line(picture, a, b, ink if lit else off, t, cv2.LINE_AA)


def display(rng: np.random.Generator, digits: int | None = None) -> Image:
    """A lit display of 1–6 digits on its dark (or grey liquid-crystal) ground."""
    count = digits or int(rng.integers(1, 7))
    w = 60 * count + 30
    if rng.random() < 0.8:
        ground: Colour = any_colour(rng, 0, 45)
        ink = shaded(_LAMPS[int(rng.integers(len(_LAMPS)))], float(rng.uniform(0.7, 1.0)))
        off = shaded(ink, float(rng.uniform(0.05, 0.22)))
    else:
        grey = int(rng.integers(120, 190))
        ground, ink, off = (grey, grey + 10, grey), (35, 40, 35), (grey - 12, grey - 4, grey - 12)
    picture = _filled(120, w, ground)
    slant = float(rng.uniform(0, 0.12))
    for k in range(count):
        _digit(picture, int(rng.integers(10)), (24 + 60 * k, 22, 34, 76), ink, off)
    if slant > 0.03:
        shear = np.array([[1, -slant, slant * 60], [0, 1, 0]], np.float32)
        picture = np.asarray(
            cv2.warpAffine(picture, shear, (w, 120), borderMode=cv2.BORDER_CONSTANT, borderValue=ground),
            np.uint8,
        )
    if rng.random() < 0.6:
        glow = cv2.GaussianBlur(picture, (0, 0), 9)
        picture = np.asarray(cv2.addWeighted(picture, 1.0, glow, float(rng.uniform(0.3, 1.2)), 0), np.uint8)
    if rng.random() < 0.5:
        cv2.rectangle(picture, (0, 0), (w - 1, 119), any_colour(rng, 30, 230), int(rng.integers(2, 9)))
    return picture


def _write(rng: np.random.Generator, picture: Image, box: tuple[int, int, int, int], ink: Colour) -> None:
    char = _CHARACTERS[int(rng.integers(len(_CHARACTERS)))]
    if rng.random() < 0.5:
        char = str(int(rng.integers(0, 10)))
        char = char if char != "0" else "8"
    draw_glyph(picture, char, box, ink, brush="hei" if rng.random() < 0.5 else "kai", weight=12)


def panel(rng: np.random.Generator) -> Image:
    """A score panel or the middle of an automatic table: displays, lamps, round and square keys, letters."""
    ground = any_colour(rng, 10, 70) if rng.random() < 0.7 else any_colour(rng, 120, 240)
    side = 320
    picture = _filled(side, side, ground)
    if rng.random() < 0.5:
        cv2.rectangle(picture, (8, 8), (side - 9, side - 9), shaded(ground, 1.6), 4)
    middle = rng.random()
    if middle < 0.6:
        r = int(rng.integers(45, 85))
        cv2.circle(picture, (160, 160), r, any_colour(rng, 5, 90), -1, cv2.LINE_AA)
        cv2.circle(picture, (160, 160), r, any_colour(rng, 90, 240), int(rng.integers(2, 9)), cv2.LINE_AA)
        for _ in range(int(rng.integers(1, 4))):
            x, y = (int(v) for v in 160 + rng.uniform(-0.5, 0.5, 2) * r)
            die = cv2.boxPoints(((x, y), (24, 24), float(rng.uniform(0, 90))))
            cv2.fillConvexPoly(picture, die.astype(np.int32), (235, 240, 240), cv2.LINE_AA)
            cv2.circle(picture, (x, y), 5, (40, 40, 200), -1, cv2.LINE_AA)
    elif middle < 0.85:
        shown = cv2.resize(display(rng, int(rng.integers(1, 3))), (110, 90), interpolation=cv2.INTER_AREA)
        picture[115:205, 105:215] = shown
    for _ in range(4):
        picture = np.asarray(np.rot90(picture), np.uint8).copy()
        kind = rng.random()
        if kind < 0.4:
            shown = cv2.resize(display(rng, int(rng.integers(2, 6))), (120, 44), interpolation=cv2.INTER_AREA)
            picture[262:306, 100:220] = shown
        elif kind < 0.75:
            for k in range(int(rng.integers(1, 5))):
                at = (90 + 45 * k, 282)
                cv2.circle(picture, at, 16, any_colour(rng, 40, 255), -1, cv2.LINE_AA)
                if rng.random() < 0.5:
                    cv2.circle(picture, at, 16, any_colour(rng, 0, 255), 3, cv2.LINE_AA)
        else:
            for k in range(int(rng.integers(1, 4))):
                x = 80 + 60 * k
                cv2.rectangle(picture, (x, 262), (x + 38, 304), any_colour(rng, 40, 255), -1)
                _write(rng, picture, (x + 6, 268, 26, 30), any_colour(rng, 0, 255))
        if rng.random() < 0.6:
            _write(rng, picture, (16, 268, 34, 34), _LAMPS[int(rng.integers(len(_LAMPS)))])
    return picture


def text(rng: np.random.Generator) -> Image:
    """A page, a note, a ticket or a menu: lines of small writing."""
    paper = (245, 246, 246) if rng.random() < 0.5 else any_colour(rng, 170, 250)
    picture = _filled(300, 220, paper)
    ink = any_colour(rng, 0, 110)
    y, step = int(rng.integers(10, 30)), int(rng.integers(14, 34))
    if rng.random() < 0.5:
        cv2.rectangle(picture, (14, y), (206, y + step), any_colour(rng, 0, 230), -1)
        y += step + 10
    while y + step < 292:
        x = 14
        end = int(rng.integers(70, 206))
        while x + step * 0.7 < end:
            if rng.random() < 0.85:
                char = _CHARACTERS[int(rng.integers(len(_CHARACTERS)))]
                draw_glyph(picture, char, (x, y, int(step * 0.65), int(step * 0.65)), ink, weight=12)
            x += int(step * 0.75)
        y += step
    return picture


def box_top(rng: np.random.Generator) -> Image:
    """A packet, a lighter, a box of cigarettes: flat colours, a badge, a word or two."""
    picture = _filled(240, 160, any_colour(rng, 10, 250))
    for _ in range(int(rng.integers(1, 4))):
        y = int(rng.integers(0, 220))
        cv2.rectangle(picture, (0, y), (159, y + int(rng.integers(6, 90))), any_colour(rng, 10, 250), -1)
    if rng.random() < 0.6:
        centre = (80, int(rng.integers(50, 180)))
        cv2.circle(picture, centre, int(rng.integers(15, 55)), any_colour(rng, 10, 250), -1, cv2.LINE_AA)
    for k in range(int(rng.integers(0, 4))):
        _write(rng, picture, (18 + 34 * k, int(rng.integers(20, 190)), 30, 34), any_colour(rng, 0, 255))
    return picture


def card_back(rng: np.random.Generator) -> Image:
    """A playing card from behind: a lattice in a white border."""
    picture = _filled(260, 180, (245, 246, 246))
    ink = any_colour(rng, 20, 200)
    step = int(rng.integers(8, 30))
    inner = _filled(232, 152, (250, 250, 250) if rng.random() < 0.5 else shaded(ink, 1.6))
    for k in range(-260, 400, step):
        cv2.line(inner, (k, 0), (k + 232, 232), ink, max(1, step // 4), cv2.LINE_AA)
        cv2.line(inner, (k + 232, 0), (k, 232), ink, max(1, step // 4), cv2.LINE_AA)
    picture[14:246, 14:166] = inner
    return picture


def domino(rng: np.random.Generator) -> Image:
    """A domino or a bone tile of 牌九: pips on both halves, twice as long as wide."""
    dark = rng.random() < 0.4
    paper: Colour = any_colour(rng, 10, 50) if dark else (235, 242, 244)
    picture = _filled(240, 112, paper)
    ink: Colour = (245, 245, 245) if dark else any_colour(rng, 0, 60)
    places = ((), (4,), (0, 8), (0, 4, 8), (0, 2, 6, 8), (0, 2, 4, 6, 8), (0, 2, 3, 5, 6, 8))
    for half in (0, 1):
        colour = (40, 40, 210) if rng.random() < 0.3 else ink
        for k in places[int(rng.integers(7))]:
            at = (26 + 30 * (k % 3), 30 + 30 * (k // 3) + 120 * half)
            cv2.circle(picture, at, 10, colour, -1, cv2.LINE_AA)
    if rng.random() < 0.7:
        cv2.line(picture, (10, 120), (101, 120), ink, 3)
    return picture


def keys(rng: np.random.Generator) -> Image:
    """A remote control, calculator or keyboard: rows of keys with signs on them."""
    ground = any_colour(rng, 15, 80) if rng.random() < 0.7 else any_colour(rng, 170, 240)
    rows, columns = int(rng.integers(2, 7)), int(rng.integers(2, 8))
    picture = _filled(46 * rows + 14, 42 * columns + 14, ground)
    key, ink = any_colour(rng, 20, 250), any_colour(rng, 0, 255)
    for row in range(rows):
        for column in range(columns):
            x, y = 12 + 42 * column, 12 + 46 * row
            cv2.rectangle(picture, (x, y), (x + 32, y + 36), key, -1)
            if rng.random() < 0.8:
                _write(rng, picture, (x + 6, y + 6, 20, 24), ink)
    return picture


def stick(rng: np.random.Generator) -> Image:
    """A scoring stick: long and white with a few coloured dots."""
    picture = _filled(24, 260, (236, 242, 244) if rng.random() < 0.8 else any_colour(rng, 60, 240))
    ink = (40, 40, 210) if rng.random() < 0.6 else any_colour(rng, 0, 120)
    if rng.random() < 0.5:
        cv2.circle(picture, (130, 12), 7, ink, -1, cv2.LINE_AA)
    else:
        for k in range(int(rng.integers(2, 6))):
            for y in (7, 17):
                cv2.circle(picture, (105 + 13 * k, y), 3, ink, -1, cv2.LINE_AA)
    return picture


def print_mark(rng: np.random.Generator) -> Image:
    """A mark printed on the cloth: rings, a square in a square, a letter, a flower."""
    ground, ink = any_colour(rng, 20, 235), any_colour(rng, 10, 250)
    picture = _filled(200, 200, ground)
    what = rng.random()
    if what < 0.3:
        for r in range(90, 5, -int(rng.integers(8, 30))):
            cv2.circle(picture, (100, 100), r, ink, int(rng.integers(2, 7)), cv2.LINE_AA)
    elif what < 0.55:
        for r in range(92, 5, -int(rng.integers(8, 30))):
            cv2.rectangle(picture, (100 - r, 100 - r), (100 + r, 100 + r), ink, int(rng.integers(2, 7)))
    elif what < 0.8:
        _write(rng, picture, (20, 20, 160, 160), ink)
    else:
        petals = int(rng.integers(4, 9))
        for k in range(petals):
            a = 2 * np.pi * k / petals
            at = (round(100 + 55 * np.cos(a)), round(100 + 55 * np.sin(a)))
            cv2.circle(picture, at, int(rng.integers(14, 30)), ink, -1, cv2.LINE_AA)
    return picture


Maker = Callable[[np.random.Generator], Image]
# What is made, how often, its width in cm (least, most), and how round its corners are.
_PLATES: Final[tuple[tuple[Maker, float, tuple[float, float], float], ...]] = (
    (display, 3.0, (2.0, 12.0), 0.0),
    (panel, 1.5, (10.0, 26.0), 0.06),
    (text, 1.2, (5.0, 20.0), 0.0),
    (box_top, 1.2, (2.0, 8.0), 0.04),
    (card_back, 0.8, (5.0, 7.0), 0.06),
    (domino, 0.8, (1.8, 3.0), 0.1),
    (keys, 0.8, (4.0, 14.0), 0.06),
    (stick, 0.8, (5.0, 9.0), 0.3),
    (print_mark, 1.5, (2.5, 14.0), 0.0),
)


def _round_thing(rng: np.random.Generator, image: Image, camera: Camera, x: float, y: float) -> None:
    """A coin, a chip, a push button or a lamp."""
    a, b, c = (any_colour(rng, 20, 250) for _ in range(3))
    if rng.random() < 0.3:
        grey = int(rng.integers(90, 220))
        a, b = (grey - 30, grey - 8, grey), (grey - 45, grey - 20, grey - 12)
    rings = [
        (float(r), b if k % 2 == 0 else c) for k, r in enumerate(sorted(rng.uniform(0.2, 0.92, 4))[::-1])
    ]
    rings = rings[: int(rng.integers(0, 5))]
    radius = float(rng.uniform(0.7, 2.4))
    draw_round(image, None, camera, (x, y), radius, float(rng.uniform(0.1, 0.6)), shaded(a, 0.8), a, rings)


def scatter_decoys(rng: np.random.Generator, image: Image, camera: Camera, mean: float) -> None:
    """Lay the mean number of ``mean`` things (Poisson) on the table where the camera looks, in place."""
    h, w = image.shape[:2]
    weights = np.array([weight for _, weight, _, _ in _PLATES])
    for _ in range(int(rng.poisson(mean))):
        pixel = np.array([[rng.uniform(0, w), rng.uniform(0, h)]])
        x, y = (float(v) for v in camera.on_plane(pixel)[0])
        if not (abs(x) < 120 and abs(y) < 120) or camera.depth(np.array([[x, y, 0.0]]))[0] < 8:
            continue
        if rng.random() < 0.25:
            for _ in range(int(rng.integers(1, 6))):
                _round_thing(rng, image, camera, x + float(rng.normal(0, 3)), y + float(rng.normal(0, 3)))
            continue
        make, _, (low, high), corner = _PLATES[int(rng.choice(len(_PLATES), p=weights / weights.sum()))]
        width = float(np.exp(rng.uniform(np.log(low), np.log(high))))
        picture = make(rng)
        tall = width * picture.shape[0] / picture.shape[1]
        yaw = float(rng.uniform(0, 2 * np.pi))
        copies = int(rng.choice([1, 1, 1, 2, 4]))
        for k in range(copies):
            at = (x + 1.1 * width * k * np.cos(yaw), y + 1.1 * width * k * np.sin(yaw))
            lay_plate(image, camera, picture, at, yaw, (width, tall), corner=corner)
