"""Tile sets for rendered scenes out of the reader's material: drawn with installed fonts, or open artwork.

The looks of `pzvision.synth` write all characters with brushes of their own. A set here has one font, one
make of dots and bamboo, and the body and back of a random look. What it shows depends on the fonts installed
where it is drawn (see `reader_canvas`) and, where they are installed, on the tile sets of KMahjongg.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from pzvision.errors import PzvisionError
from pzvision.synth.faces import ASPECT, OTHER_VARIANTS, FaceSource, engraved
from pzvision.synth.glyphs import Colour, Image
from pzvision.synth.looks import Look, random_look
from pzvision.tiles import BACK, KINDS, OTHER, suit
from pzvision.train.faces import Bank, kmahjongg
from pzvision.train.reader_canvas import Style, font_files, random_style
from pzvision.train.reader_draw import draw_face

ARTWORK: Final = Path("/usr/share/kmahjongglib/tilesets")
"""Where Debian's kdegames-mahjongg-data-kf5 puts tile sets."""

_HEIGHT: Final = 176  # as the scenes' other drawn faces
_ARTWORK_SHARE: Final = 0.12


def font_set(rng: np.random.Generator, without: tuple[str, ...] = (), artwork: Path = ARTWORK) -> FaceSource:
    """A set drawn with one of the installed fonts or, now and then, one of the open tile sets installed.

    ``without``: fonts whose file names begin with one of these are left out.

    Raises `PzvisionError` without a font with Chinese characters.
    """
    bank = _artwork(artwork)
    if rng.random() < _ARTWORK_SHARE and len(bank):
        names = sorted({str(name) for name in bank.sets})
        name = names[int(rng.integers(len(names)))]
        return ArtworkFaces(bank.select(lambda s: s == name), rng)
    return FontFaces(rng, without)


class FontFaces:
    """A `FaceSource`: one invented set of `reader_draw`, every character of one font.

    Raises `PzvisionError` without a font with Chinese characters.
    """

    def __init__(self, rng: np.random.Generator, without: tuple[str, ...] = ()) -> None:
        families = _families(without)
        if not families:
            raise PzvisionError(
                "no font with Chinese characters found: install one, such as Debian's fonts-noto-cjk"
            )
        fonts = families[int(rng.integers(len(families)))]
        look = random_look(rng)
        style = random_style(rng, list(fonts), made_up=True)
        self._look = replace(look, name="font")
        self._style = replace(style, inks=_inks(style, look, rng))
        self._seed = int(rng.integers(1 << 30))
        self._paint = _Paint(rng)
        self._faces: dict[tuple[int, int], Image] = {}

    @property
    def look(self) -> Look:
        """Colours of its bodies and backs."""
        return self._look

    @property
    def style(self) -> Style:
        """What its faces share."""
        return self._style

    def face(self, kind: int, copy: int = 0) -> Image:
        """See `FaceSource.face`; ``copy`` varies class `OTHER` only."""
        key = (kind, copy % OTHER_VARIANTS if kind == OTHER else 0)
        if key not in self._faces:
            if kind == BACK:
                self._faces[key] = _plain(self._look.back)
            else:  # every face of a suit begins with the same state: they are laid out alike
                group = (suit(kind), 0) if kind < KINDS else (3, key[1])
                drawn = draw_face(kind, self._style, np.random.default_rng([self._seed, *group]))
                self._faces[key] = self._paint(drawn, self._look)
        return self._faces[key]


class ArtworkFaces:
    """A `FaceSource` of one set of pictures on white, such as `faces.kmahjongg` gives."""

    def __init__(self, bank: Bank, rng: np.random.Generator) -> None:
        self._look = replace(random_look(rng), name="artwork")
        paint = _Paint(rng)
        self._faces = [
            [paint(picture, self._look) for picture in bank.pictures[bank.kinds == kind]]
            for kind in range(OTHER + 1)
        ]
        self._back = _plain(self._look.back)

    @property
    def look(self) -> Look:
        """Colours of its bodies and backs."""
        return self._look

    def face(self, kind: int, copy: int = 0) -> Image:
        """See `FaceSource.face`."""
        return self._back if kind == BACK else self._faces[kind][copy % len(self._faces[kind])]


class _Paint:
    """How one set's drawings lie on its tiles: strokes fatter or thinner, inks faded, cut in."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.strength = float(rng.uniform(0.7, 1.0))
        self.thicker = float(rng.normal(0, 0.5)) if rng.random() < 0.5 else 0.0

    def __call__(self, drawn: Image, look: Look) -> Image:
        """A drawing on white in the colours and size of a face."""
        face = cv2.resize(drawn, (round(_HEIGHT * ASPECT), _HEIGHT), interpolation=cv2.INTER_LINEAR)
        face = stroked(np.asarray(face, np.uint8), self.thicker, 3)
        share = 1 - (1 - face / 255.0) * self.strength
        painted = np.clip(np.array(look.face) * share, 0, 255).astype(np.uint8)
        return engraved(painted, look) if look.engraving > 0 else painted


def stroked(picture: Image, thicker: float, reach: int) -> Image:
    """``(H, W, 3)`` uint8, its dark strokes fatter or thinner by up to ``reach - 1`` px.

    ``thicker``: by which share of that, below 0 thinner.
    """
    if thicker == 0:
        return picture
    kernel = np.ones((reach, reach), np.uint8)
    other = cv2.erode(picture, kernel) if thicker > 0 else cv2.dilate(picture, kernel)
    share = min(1.0, abs(thicker))
    return np.asarray(cv2.addWeighted(other, share, picture, 1 - share, 0), np.uint8)


def _plain(colour: Colour) -> Image:
    return np.full((_HEIGHT, round(_HEIGHT * ASPECT), 3), colour, np.uint8)


def _inks(style: Style, look: Look, rng: np.random.Generator) -> tuple[Colour, Colour, Colour]:
    """The style's, the look's, or those in another order; seldom one of any strong colour."""
    inks = list(style.inks if rng.random() < 0.6 else (look.numeral, look.green, look.red))
    if rng.random() < 0.25:
        inks = [inks[int(i)] for i in rng.permutation(3)]
    if rng.random() < 0.1:
        hsv = np.array([[[int(rng.integers(180)), 200, int(rng.integers(60, 200))]]], np.uint8)
        b, g, r = (int(v) for v in cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0])
        inks[int(rng.integers(3))] = (b, g, r)
    return inks[0], inks[1], inks[2]


@cache
def _families(without: tuple[str, ...]) -> tuple[tuple[tuple[str, int], ...], ...]:
    """The installed fonts by family, so that one with many weights counts no more than another."""
    families: dict[str, list[tuple[str, int]]] = {}
    for path, index in font_files():
        name = Path(path).name
        if not (without and name.startswith(without)):
            family = re.match(r"[A-Za-z0-9]*", name)
            families.setdefault(family.group() if family else name, []).append((path, index))
    return tuple(tuple(fonts) for _, fonts in sorted(families.items()))


@cache
def _artwork(folder: Path) -> Bank:
    return kmahjongg(folder)
