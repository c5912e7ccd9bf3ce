"""Tile sets that look like no other: signs for the suits and numbers that no mahjong set has.

They stand for a set that a reader was never taught. Every seed invents another one; nothing is trained on
them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from pzvision.synth.glyphs import Colour, Image
from pzvision.synth.looks import Look, random_look
from pzvision.tiles import BACK, KINDS, rank, suit

_HEIGHT: Final = 176
_WIDTH: Final = 132
_ROMAN: Final = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
NUMERALS: Final = ("arabic", "roman", "letters")
MARKS: Final = ("cross", "bar", "ring", "wedge", "lozenge", "wave")
SIGNS: Final = (
    "triangle", "lozenge", "plus", "star", "arrow", "hourglass", "frame", "hexagon", "moon", "heart",
    "chevron", "drop",
)  # fmt: skip
# How many signs lie in each row, 1 to 9.
_ROWS: Final = (
    ((1,), (1, 1), (1, 1, 1), (2, 2), (2, 1, 2), (2, 2, 2), (2, 3, 2), (3, 2, 3), (3, 3, 3)),
    ((1,), (2,), (1, 2), (1, 2, 1), (1, 3, 1), (3, 3), (3, 1, 3), (2, 2, 2, 2), (3, 3, 3)),
    ((1,), (2,), (2, 1), (2, 2), (3, 2), (1, 2, 3), (2, 2, 2, 1), (3, 3, 2), (2, 3, 2, 2)),
)


class InventedFaces:
    """A `FaceSource`; the same seed is the same set."""

    def __init__(self, seed: list[int]) -> None:
        rng = np.random.default_rng([77_100, *seed])
        self._look = replace(random_look(rng), name="invented")
        self._numerals = str(rng.choice(NUMERALS))
        self._mark = str(rng.choice(MARKS))
        self._signs = tuple(str(s) for s in rng.choice(SIGNS, 2, replace=False))
        self._rows = [_ROWS[int(rng.integers(len(_ROWS)))] for _ in range(2)]
        self._font = int(rng.choice([cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX]))
        self._inks = [_ink(rng) for _ in range(4)]
        self._size = float(rng.uniform(0.85, 1.1))
        self._weight = float(rng.uniform(0.8, 1.3))
        self._faces: dict[int, Image] = {}

    @property
    def look(self) -> Look:
        """Colours of its bodies and backs."""
        return self._look

    @property
    def described(self) -> str:
        """In a few words, for tables."""
        return f"{self._numerals} over a {self._mark}; {self._signs[0]}; {self._signs[1]}"

    def face(self, kind: int, copy: int = 0) -> Image:
        """``(176, 132, 3)`` uint8 BGR; a back is plain, any other face than the 27 is blank."""
        if kind not in self._faces:
            self._faces[kind] = self._draw(kind)
        return self._faces[kind]

    def _draw(self, kind: int) -> Image:
        big = np.empty((_HEIGHT * 2, _WIDTH * 2, 3), np.uint8)
        big[:] = self._look.back if kind == BACK else self._look.face
        if kind < KINDS:
            number, of = rank(kind), suit(kind)
            if of == 0:
                self._number(big, number)
            else:
                self._pattern(big, self._signs[of - 1], self._rows[of - 1][number - 1], self._inks[of + 1])
        return np.asarray(cv2.resize(big, (_WIDTH, _HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)

    def _number(self, image: Image, number: int) -> None:
        height, width = image.shape[:2]
        thick = max(4, round(13 * self._weight))
        texts = {"arabic": str(number), "roman": _ROMAN[number - 1], "letters": "ABCDEFGHK"[number - 1]}
        said = texts[self._numerals]
        (w, h), _ = cv2.getTextSize(said, self._font, 4.0, thick)
        scale = 4.0 * min(0.8 * width / w, 0.36 * height / h)
        (w, h), _ = cv2.getTextSize(said, self._font, scale, thick)
        at = _px((width - w) / 2, height * 0.33 + h / 2)
        cv2.putText(image, said, at, self._font, scale, self._inks[0], thick, cv2.LINE_AA)
        self._under(image, width / 2, height * 0.78, width * 0.24, thick)

    def _under(self, image: Image, x: float, y: float, r: float, thick: int) -> None:
        """The mark under a number, which tells the suit and the way up."""
        ink = self._inks[1]
        if self._mark == "cross":
            cv2.line(image, _px(x - r, y), _px(x + r, y), ink, thick, cv2.LINE_AA)
            cv2.line(image, _px(x, y - r), _px(x, y + r), ink, thick, cv2.LINE_AA)
        elif self._mark == "bar":
            cv2.line(image, _px(x - 1.4 * r, y), _px(x + 1.4 * r, y), ink, 2 * thick, cv2.LINE_AA)
        elif self._mark == "ring":
            cv2.circle(image, _px(x, y), round(r), ink, thick, cv2.LINE_AA)
        elif self._mark == "wedge":
            points = np.array([_px(x - r, y - r), _px(x + r, y - r), _px(x, y + r)])
            cv2.fillPoly(image, [points], ink, cv2.LINE_AA)
        elif self._mark == "lozenge":
            points = np.array([_px(x, y - r), _px(x + 1.3 * r, y), _px(x, y + r), _px(x - 1.3 * r, y)])
            cv2.polylines(image, [points], True, ink, thick, cv2.LINE_AA)
        else:
            t = np.linspace(-1, 1, 40)
            wave = np.stack([x + 1.4 * r * t, y + 0.5 * r * np.sin(6 * t)], 1)
            cv2.polylines(image, [np.rint(wave).astype(np.int32)], False, ink, thick, cv2.LINE_AA)

    def _pattern(self, image: Image, sign: str, rows: tuple[int, ...], ink: Colour) -> None:
        height, width = image.shape[:2]
        many = sum(rows)
        step_y = height * min(0.3, 0.88 / len(rows))
        widest = max(rows)
        step_x = width * (0.3 if widest == 3 else 0.42)
        r = min(step_x, step_y) * (0.42 if many > 1 else 0.9) * self._size
        for row, count in enumerate(rows):
            y = height / 2 + (row - (len(rows) - 1) / 2) * step_y
            for i in range(count):
                x = width / 2 + (i - (count - 1) / 2) * step_x
                _sign(image, sign, x, y, r, ink, max(3, round(0.32 * r * self._weight)))


def _ink(rng: np.random.Generator) -> Colour:
    """A dark, mostly strong colour."""
    hsv = np.array(
        [[[int(rng.integers(180)), int(rng.integers(60, 256)), int(rng.integers(30, 150))]]], np.uint8
    )
    b, g, r = (int(v) for v in cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0])
    return b, g, r


def _px(x: float, y: float) -> tuple[int, int]:
    return round(x), round(y)


def _ring(x: float, y: float, r: float, corners: int, turn: float, dent: float = 1.0) -> np.ndarray:
    """Corners of a regular polygon, every second one drawn in by ``dent``."""
    at = turn + 2 * np.pi * np.arange(corners) / corners
    reach = np.where(np.arange(corners) % 2 == 0, r, r * dent)
    return np.rint(np.stack([x + reach * np.cos(at), y + reach * np.sin(at)], 1)).astype(np.int32)


def _sign(image: Image, sign: str, x: float, y: float, r: float, ink: Colour, thick: int) -> None:
    """One of `SIGNS` of radius ``r`` px around (x, y)."""
    up = -np.pi / 2
    if sign == "triangle":
        cv2.fillPoly(image, [_ring(x, y, r, 3, up)], ink, cv2.LINE_AA)
    elif sign == "lozenge":
        cv2.fillPoly(image, [_ring(x, y, r, 4, up, 0.6)], ink, cv2.LINE_AA)
    elif sign == "plus":
        for dx, dy in ((0.9, 0.0), (0.0, 0.9)):
            a, b = _px(x - dx * r, y - dy * r), _px(x + dx * r, y + dy * r)
            cv2.line(image, a, b, ink, 2 * thick, cv2.LINE_AA)
    elif sign == "star":
        cv2.fillPoly(image, [_ring(x, y, r, 10, up, 0.42)], ink, cv2.LINE_AA)
    elif sign == "arrow":
        cv2.arrowedLine(image, _px(x, y + r), _px(x, y - r), ink, thick + 1, cv2.LINE_AA, tipLength=0.55)
    elif sign == "hourglass":
        points = [
            _px(x - 0.7 * r, y - r),
            _px(x + 0.7 * r, y - r),
            _px(x - 0.7 * r, y + r),
            _px(x + 0.7 * r, y + r),
        ]
        cv2.fillPoly(image, [np.array(points)], ink, cv2.LINE_AA)
    elif sign == "frame":
        a, b = _px(x - 0.8 * r, y - 0.8 * r), _px(x + 0.8 * r, y + 0.8 * r)
        cv2.rectangle(image, a, b, ink, thick, cv2.LINE_AA)
    elif sign == "hexagon":
        cv2.polylines(image, [_ring(x, y, 0.9 * r, 6, 0.0)], True, ink, thick, cv2.LINE_AA)
    elif sign == "moon":
        cv2.ellipse(image, _px(x, y), _px(0.8 * r, 0.8 * r), 0, 60, 300, ink, 2 * thick, cv2.LINE_AA)
    elif sign == "heart":
        for side in (-1, 1):
            cv2.circle(image, _px(x + side * 0.42 * r, y - 0.3 * r), round(0.48 * r), ink, -1, cv2.LINE_AA)
        points = [_px(x - 0.85 * r, y - 0.1 * r), _px(x + 0.85 * r, y - 0.1 * r), _px(x, y + r)]
        cv2.fillPoly(image, [np.array(points)], ink, cv2.LINE_AA)
    elif sign == "chevron":
        points = [_px(x - 0.8 * r, y + 0.5 * r), _px(x, y - 0.5 * r), _px(x + 0.8 * r, y + 0.5 * r)]
        cv2.polylines(image, [np.array(points)], False, ink, thick + 2, cv2.LINE_AA)
    else:  # drop
        cv2.circle(image, _px(x, y + 0.3 * r), round(0.6 * r), ink, -1, cv2.LINE_AA)
        points = [_px(x - 0.55 * r, y + 0.1 * r), _px(x + 0.55 * r, y + 0.1 * r), _px(x, y - r)]
        cv2.fillPoly(image, [np.array(points)], ink, cv2.LINE_AA)
