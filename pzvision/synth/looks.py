"""Tile looks: everything that makes one set of mahjong tiles differ from another."""

# ruff: noqa: E501  (tables of data)

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from pzvision.synth.glyphs import Brush, Colour
from pzvision.synth.motifs import BAMBOO_STYLES, BIRDS, DOT_STYLES


def _rgb(text: str) -> Colour:
    """``"c0392b"`` → BGR."""
    return int(text[4:6], 16), int(text[2:4], 16), int(text[0:2], 16)


@dataclass(frozen=True)
class Look:
    """One tile set. Colours are BGR 0–255.

    Attributes:
        name: what `pzvision render --look` calls it.
        face, back: colours of the front and of the back layer.
        green, red, dark: its three inks; ``dark`` is black or blue.
        numeral: ink of the 万 numerals; ``wan``: ink of 萬.
        brush, weight: how characters are written (``weight`` in hundredths, parts of the character's box).
        wan_char, five: 萬, ``萬b`` (萬 in a livelier hand) or 万; 伍 or 五.
        dot, bamboo, bird: motif styles.
        art: factor on the usual size of the drawing.
        bar: factor on the usual width of a bamboo.
        index: corner digit: none, left or right; ``index_ink`` its colour.
        back_share: part of the thickness that has the back's colour.
        dot_inks: ``classic`` green, red, blue; ``two`` dark and red; ``one`` dark with a red centre.
        middle_bar: ink of 7条/9条's middle column: red, dark or green.
        gloss: 0–1, from matt to glossy.
        engraving: 0–1, from printed to deeply cut.
        shake: seed of the small irregularities of its strokes.
    """

    name: str
    face: Colour = (240, 246, 248)
    back: Colour = (60, 140, 40)
    green: Colour = (60, 110, 20)
    red: Colour = (40, 40, 200)
    dark: Colour = (60, 40, 30)
    numeral: Colour = (40, 30, 25)
    wan: Colour = (40, 40, 200)
    brush: Brush = "kai"
    weight: float = 13.0
    wan_char: str = "萬"
    five: str = "伍"
    dot: str = "rings"
    bamboo: str = "capsule"
    bird: str = "sparrow"
    art: float = 1.0
    bar: float = 1.0
    index: Literal["none", "left", "right"] = "none"
    index_ink: Colour = (40, 40, 200)
    back_share: float = 0.45
    dot_inks: Literal["classic", "two", "one"] = "classic"
    middle_bar: Literal["red", "dark", "green"] = "red"
    gloss: float = 0.5
    engraving: float = 0.3
    shake: int = 0


_G, _B, _O, _DG = _rgb("1f8a4c"), _rgb("2348a8"), _rgb("f0952a"), _rgb("12633a")
_ALL: Final[tuple[Look, ...]] = (
    Look("jade", back=_rgb("2fa36b")),
    Look("orange", face=_rgb("fbf6e6"), back=_O, dot="cross", bamboo="beads", bird="parrot", dark=_rgb("1c2430"),
         green=_rgb("1c4a3a"), weight=15, dot_inks="two", shake=1),
    Look("blue", face=_rgb("f4f6fa"), back=_rgb("2465b8"), numeral=_rgb("1d3fae"), dark=_rgb("1d3fae"), green=_rgb("0e5d2f"),
         red=_rgb("a3151f"), wan=_rgb("a3151f"), bamboo="segments", dot="rings", bird="parrot", weight=11, shake=2),
    Look("ivory", wan_char="萬b", face=_rgb("f3e8c6"), back=_rgb("7c5a2a"), dark=_rgb("111111"), green=_rgb("1c4d18"), dot="rings",
         bamboo="outline", bird="crane", weight=14, back_share=0.35, gloss=0.3, shake=3),
    Look("white", wan_char="萬b", face=_rgb("fdfefe"), back=_rgb("e9b6c4"), numeral=_rgb("152a66"), dark=_rgb("2244b8"), green=_rgb("118a2f"),
         red=_rgb("d9141e"), wan=_rgb("d9141e"), dot="bold", bamboo="outline", bird="parrot", brush="bold", weight=15,
         gloss=0.9, shake=4),
    Look("club", face=_rgb("f2efe6"), back=_rgb("20304f"), dot="wheel", bamboo="bone", bird="robin", index="right", brush="hei",
         weight=10, five="五", dot_inks="two", shake=5),
    Look("mint", wan_char="萬b", face=_rgb("f7fbf7"), back=_rgb("6fd3b4"), green=_rgb("16a05a"), dark=_rgb("2a74c0"), numeral=_rgb("2a74c0"),
         red=_rgb("e2574c"), wan=_rgb("e2574c"), dot="thin", bamboo="capsule", bird="phoenix", weight=9, art=0.88, shake=6),
    Look("heavy", wan_char="萬b", face=_rgb("f6f4ee"), back=_rgb("b3202a"), dark=_rgb("0c0c10"), green=_rgb("10301f"), dot="cross",
         bamboo="bone", bird="crane", brush="bold", weight=18, art=1.06, bar=1.25, index="right", dot_inks="one", shake=7),
    Look("song", face=_rgb("faf8f0"), back=_rgb("d9c23a"), brush="song", weight=15, dot="flower", bamboo="stick", bird="peacock",
         green=_DG, dark=_rgb("1b1b3a"), middle_bar="dark", shake=8),
    Look("simple", face=_rgb("f8f8f8"), back=_rgb("3a7fd0"), brush="hei", weight=12, wan_char="万", five="五", dot="coin",
         bamboo="stick", bird="robin", green=_rgb("2c9a3c"), dark=_B, numeral=_rgb("222222"), bar=1.15, shake=9),
    Look("old", face=_rgb("e6d9b4"), back=_rgb("5a4a30"), green=_rgb("3f6240"), red=_rgb("9c3b30"), wan=_rgb("9c3b30"),
         dark=_rgb("3a3a46"), numeral=_rgb("33302c"), dot="thin", bamboo="segments", bird="peacock", weight=11, gloss=0.15,
         back_share=0.3, shake=10),
    Look("travel", face=_rgb("fefdfb"), back=_rgb("8c3fb0"), dot="disc", bamboo="capsule", bird="phoenix", weight=13,
         index="left", index_ink=_rgb("b01c2e"), dark=_rgb("26348c"), numeral=_rgb("26348c"), art=0.86, shake=11),
    Look("teal", wan_char="萬b", face=_rgb("f1f5f2"), back=_rgb("12807c"), dot="rings", bamboo="beads", bird="sparrow", green=_rgb("17403a"),
         dark=_rgb("17403a"), dot_inks="two", weight=14, wan=_rgb("b8242c"), red=_rgb("b8242c"), shake=12),
    Look("pink", face=_rgb("f7d9c8"), back=_rgb("f2c0ae"), dark=_rgb("14141c"), green=_rgb("1a5a2a"), dot="cross", bamboo="beads",
         bird="robin", weight=13, dot_inks="one", gloss=0.7, shake=13),
    Look("gold", face=_rgb("f5e2a0"), back=_rgb("c9961f"), dot="flower", bamboo="outline", bird="crane", weight=13, bar=0.85,
         middle_bar="dark", shake=14),
    Look("night", wan_char="萬b", face=_rgb("f0f2f4"), back=_rgb("1c1e24"), dot="bold", bamboo="segments", bird="parrot", green=_rgb("0a7a3c"),
         dark=_rgb("0e57c8"), numeral=_rgb("101418"), weight=16, brush="bold", middle_bar="red", shake=15),
    Look("grass", face=_rgb("fafaf2"), back=_rgb("62b52e"), brush="song", weight=14, five="五", dot="wheel", bamboo="bone",
         bird="phoenix", green=_G, dark=_rgb("123c78"), numeral=_rgb("123c78"), bar=0.9, shake=16),
    Look("coffee", face=_rgb("f4eee2"), back=_rgb("3c2a20"), dot="disc", bamboo="stick", bird="peacock", green=_rgb("245c34"),
         dark=_rgb("2b211c"), weight=12, index="left", dot_inks="two", brush="hei", art=0.94, shake=17),
)  # fmt: skip
LOOKS: Final[dict[str, Look]] = {look.name: look for look in _ALL}

HELD_OUT: Final[dict[str, Look]] = {
    look.name: look
    for look in (
        Look("harbour", face=_rgb("eef1ea"), back=_rgb("1f5f8b"), dark=_rgb("17324f"), numeral=_rgb("17324f"), green=_rgb("2a6b3c"),
             red=_rgb("b5302a"), wan=_rgb("b5302a"), brush="kai", weight=12, dot="sun", bamboo="spindle", bird="swallow",
             gloss=0.6, back_share=0.4, shake=101),
        Look("market", wan_char="萬b", face=_rgb("f8efd8"), back=_rgb("c4552d"), dark=_rgb("2a2320"), green=_rgb("2f5a1e"), red=_rgb("c0262f"),
             wan=_rgb("2a2320"), numeral=_rgb("c0262f"), brush="song", weight=15, dot="square", bamboo="twin", bird="hen",
             gloss=0.3, back_share=0.55, art=0.93, shake=102),
    )
}  # fmt: skip
"""Looks that no model is trained on, with motifs of their own: for measuring only."""


def random_look(rng: np.random.Generator) -> Look:
    """A look that is in no list: a named one with styles, colours and weights drawn anew."""

    def near(colour: Colour, spread: float) -> Colour:
        b, g, r = np.clip(
            np.array(colour) + rng.normal(0, spread, 3) + rng.normal(0, spread / 2), 0, 255
        ).astype(int)
        return int(b), int(g), int(r)

    base = _ALL[int(rng.integers(len(_ALL)))]
    other = _ALL[int(rng.integers(len(_ALL)))]
    back = near(other.back, 12) if rng.random() < 0.6 else tuple(int(v) for v in rng.integers(20, 250, 3))
    five = "伍" if rng.random() < 0.8 else "五"
    return replace(
        base,
        name="random",
        face=near(base.face, 5),
        back=(back[0], back[1], back[2]),
        green=near(base.green, 10),
        red=near(base.red, 10),
        dark=near(other.dark, 10),
        numeral=near(other.numeral, 8),
        wan=near(base.wan, 10),
        brush=("kai", "bold", "kai", "song", "hei")[int(rng.integers(5))],
        weight=float(np.clip(base.weight * rng.uniform(0.8, 1.25), 8, 19)),
        wan_char=("萬", "萬", "萬b", "萬b", "万")[int(rng.choice(5, p=(0.25, 0.25, 0.2, 0.2, 0.1)))],
        five=five,
        dot=DOT_STYLES[int(rng.integers(len(DOT_STYLES)))],
        bamboo=BAMBOO_STYLES[int(rng.integers(len(BAMBOO_STYLES)))],
        bird=BIRDS[int(rng.integers(len(BIRDS)))],
        art=float(rng.uniform(0.84, 1.07)),
        bar=float(rng.uniform(0.8, 1.25)),
        index=("none", "none", "left", "right")[int(rng.integers(4))],
        back_share=float(rng.uniform(0.25, 0.6)),
        dot_inks=("classic", "classic", "two", "one")[int(rng.integers(4))],
        middle_bar=("red", "red", "dark", "green")[int(rng.integers(4))],
        gloss=float(rng.uniform(0.1, 1.0)),
        engraving=float(rng.uniform(0.0, 1.0)),
        shake=int(rng.integers(1 << 30)),
    )
